"""`misword oracle`: tables, JSON, chosen texts in each format, what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from misword.cli.main import main
from misword.io.results import read_result

Run = Callable[[str], tuple[int, str, str]]
NBEST = """utt,rank,text
u1,1,the cat
u1,2,the cat sat
u2,1,on a mat
u2,2,on the mats
"""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(tmp_path)
    Path("ref.csv").write_text("utt,text\nu1,the cat sat\nu2,on the mat\n")
    Path("nbest.csv").write_text(NBEST)

    def run(command: str) -> tuple[int, str, str]:
        code = main(command.split())
        out, err = capsys.readouterr()
        return code, out, err

    return run


def test_tables(run: Run) -> None:
    code, out, _ = run("oracle ref.csv nbest.csv --metrics wer,cer --bootstrap 9 --format md")
    assert code == 0
    assert "**nbest: rates in %, best of 2**" in out
    assert "| judged by | rank 1 | chosen by wer | chosen by cer |" in out
    assert "| wer | 33.33 | 16.67 | 16.67 |" in out
    assert "| wer | cer | 1 of 2 | 1 | 14.29 | 4.76 | 14.29 | 4.76 |" in out


def test_json_and_csv(run: Run) -> None:
    _, out, _ = run("oracle ref.csv nbest.csv --metrics wer --depths 2 --format json")
    printed = json.loads(out)
    assert printed["depths"] == [1, 2]
    assert [row["rate"] for row in printed["curves"]] == [2 / 6, 1 / 6]
    assert printed["tied"][0]["tied"] == 1
    _, out, _ = run("oracle ref.csv nbest.csv --metrics wer --bootstrap 0 --format csv")
    assert out.startswith("system,metric,chosen_by,depth,rate,")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("best.csv", "utt,rank,text\nu1,2,the cat sat\nu2,1,on a mat\n"),
        ("best.tsv", "utt\trank\ttext\nu1\t2\tthe cat sat\nu2\t1\ton a mat\n"),
        ("best.trn", "the cat sat (u1)\non a mat (u2)\n"),
        ("best.txt", "the cat sat\non a mat\n"),
        ("text", "u1 the cat sat\nu2 on a mat\n"),
        (
            "best.jsonl",
            '{"utt": "u1", "rank": 2, "text": "the cat sat"}\n'
            '{"utt": "u2", "rank": 1, "text": "on a mat"}\n',
        ),
    ],
)
def test_chosen_texts(run: Run, name: str, content: str) -> None:
    assert run(f"oracle ref.csv nbest.csv --metrics wer -o {name}")[0] == 0
    assert Path(name).read_text() == content
    if name != "best.txt":  # references with ids need hypotheses with ids
        _, out, _ = run(f"score ref.csv {name} --metrics wer --format json")
        assert json.loads(out)["rows"][0]["rate"] == 1 / 6


def test_ties_by_a_metric_and_a_result_folder(run: Run) -> None:
    command = "oracle ref.csv nbest.csv --metrics wer,cer --ties cer -o best.txt --out result"
    assert run(command)[0] == 0
    assert Path("best.txt").read_text() == "the cat sat\non the mats\n"
    result = read_result("result")
    assert result.kind == "oracle"
    assert result.provenance["ties"] == "cer"
    assert result.tables["chosen"].height == 4


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("--metrics wer --ties cer", "not among the metrics"),
        ("--metrics wer --depths 0", "0 is below 1"),
        ("--metrics wer --depths x", "invalid"),
        ("--metrics wer -o -", "standard output gets the results"),
        ("--metrics wer -o ref.csv", "this is an input"),
        ("nbest.csv --names a,b --metrics wer -o best.csv", "several systems"),
    ],
)
def test_wrong_options(
    run: Run, command: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code, _, err = run(f"oracle ref.csv nbest.csv {command}")
    except SystemExit as ended:
        code, err = int(ended.code or 0), capsys.readouterr().err
    assert code == 2
    assert message in err
    assert not Path("best.csv").exists()


@pytest.mark.parametrize(
    ("lists", "message"),
    [
        ("utt,rank,text\nu1,1,a\nu1,3,b\nu2,1,c\n", "none of rank 2"),
        ("utt,rank,text\nu1,1,a\nu1,1,b\nu2,1,c\n", "duplicate rank 1"),
        ("utt,rank,text\nu1,1,a\nu1,2,b\n", "lacks 'u2'"),
        ("utt,rank,text\nu1,1,a\nu1,2,b\nu2,1,c\nu3,1,d\n", "lacks 'u3'"),
    ],
)
def test_wrong_lists(run: Run, lists: str, message: str) -> None:
    Path("nbest.csv").write_text(lists)
    code, _, err = run("oracle ref.csv nbest.csv")
    assert code == 2
    assert message in err


def test_lists_of_one_are_noted(run: Run) -> None:
    Path("nbest.csv").write_text("utt,text\nu1,the cat\nu2,on\n")
    code, _, err = run("oracle ref.csv nbest.csv --metrics wer")
    assert code == 0
    assert "note: nbest: 2 of 2 lists have one hypothesis" in err
