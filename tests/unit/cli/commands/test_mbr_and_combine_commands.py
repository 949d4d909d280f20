"""`misword mbr` and `misword combine`: tables, JSON, files, references, what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from misword.cli.main import main
from misword.io.results import read_result

Run = Callable[[str], tuple[int, str, str]]
NBEST = """utt,rank,text,score,lm
u1,1,the cat,-1,-9
u1,2,a cat sat,-1.2,-2
u1,3,the cat sat,-1.3,-1
u2,1,on a mat,-1,-1
u2,2,on a mats,-2,-2
"""
CTM = {
    "a.ctm": "r 1 0 1 the 0.9\nr 1 1 1 cat 0.9\n",
    "b.ctm": "r 1 0 1 a 0.2\nr 1 1 1 cat 0.9\n",
    "c.ctm": "r 1 0 1 a 0.1\nr 1 1 1 cat 1\n",
}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(tmp_path)
    Path("ref.csv").write_text("utt,text\nu1,the cat sat\nu2,on the mat\n")
    Path("nbest.csv").write_text(NBEST)
    for name, content in CTM.items():
        Path(name).write_text(content)
    for name, first in (("x", "a cat sat"), ("y", "the cat"), ("z", "the cat sat")):
        Path(f"{name}.csv").write_text(f"utt,text\nu1,{first}\nu2,on the mat\n")

    def run(command: str) -> tuple[int, str, str]:
        code = main(command.split())
        out, err = capsys.readouterr()
        return code, out, err

    return run


def test_choices_without_references(run: Run) -> None:
    code, out, _ = run("mbr nbest.csv --format md -o chosen.csv")
    assert code == 0
    assert "| u1 | 3 |" in out
    chosen = "utt,rank,text\nu1,3,the cat sat\nu2,1,on a mat\n"
    assert Path("chosen.csv").read_text() == chosen
    _, out, _ = run("mbr nbest.csv --format json --scale 100")
    assert [row["rank"] for row in json.loads(out)["chosen"]] == [1, 1]
    _, out, _ = run("mbr nbest.csv --features lm,score --weights 100,1 --format csv")
    assert out.splitlines()[1].startswith("u1,nbest,3,the cat sat,")


def test_choices_with_references(run: Run) -> None:
    options = "--references ref.csv --bootstrap 9 --format md"
    code, out, err = run(f"mbr nbest.csv --metrics cer {options}")
    assert code == 0
    assert "| wer | rank 1 | 33.33 |" in out
    assert "| wer | mbr | 16.67 |" in out
    assert "| cer | oracle |" in out
    assert "nothing is gained for certain" in err
    _, out, _ = run(f"mbr nbest.csv --scale auto --folds 2 {options}")
    assert "| wer | mbr, held out |" in out
    assert "| scale | % | folds |" in out


def test_result_folders_and_reports(run: Run) -> None:
    for command, kind in (("mbr nbest.csv", "mbr"), ("combine x.csv y.csv z.csv", "combination")):
        for options in ("", " --references ref.csv --bootstrap 9"):
            code, _, _ = run(f"{command}{options} --out r --force --report r.html")
            assert code == 0
            assert read_result("r").kind == kind
            assert "have" in Path("r.html").read_text() or "elected" in Path("r.html").read_text()


def test_combination(run: Run) -> None:
    code, out, _ = run("combine x.csv y.csv z.csv --format md -o out.trn")
    assert code == 0
    assert "| u1 | the cat sat |" in out
    assert Path("out.trn").read_text() == "the cat sat (u1)\non the mat (u2)\n"
    run("combine x.csv y.csv z.csv -o out.csv")
    assert Path("out.csv").read_text() == "utt,text\nu1,the cat sat\nu2,on the mat\n"
    run("combine x.csv y.csv z.csv -o out.parquet")
    assert pl.read_parquet("out.parquet").equals(pl.read_csv("out.csv"))
    code, _, err = run("combine x.csv y.csv z.csv -o out.ctm")
    assert (code, Path("out.ctm").exists(), "name it out.csv" in err) == (2, False, True)
    _, out, _ = run("combine x.csv y.csv z.csv --references ref.csv --bootstrap 9 --format md")
    assert "| wer | x | 16.67 |" in out
    assert "| wer | combined | 0.00 |" in out


def test_confidences_of_ctm_files(run: Run) -> None:
    _, out, _ = run("combine a.ctm b.ctm c.ctm --format json")
    assert json.loads(out)["texts"][0]["text"] == "a cat"
    _, out, _ = run("combine a.ctm b.ctm c.ctm --alpha 0.5 --method maxconf --format json")
    assert json.loads(out)["texts"][0]["text"] == "the cat"


def test_lists_vote(run: Run) -> None:
    _, out, err = run("combine nbest.csv --ranks 3 --format json")
    assert [row["text"] for row in json.loads(out)["texts"]] == ["the cat sat", "on a mat"]
    assert "fewer than 3 transcripts" in err


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("mbr nbest.csv --scale auto", "only with references"),
        ("mbr nbest.csv --features am", "they have: score, lm"),
        ("mbr nothing.csv", "nothing.csv"),
        ("mbr nbest.csv -o nbest.csv", "nbest.csv"),
        ("combine x.csv", "nothing to vote on"),
        ("combine x.csv a.ctm", "different ids"),
        ("combine x.csv y.csv --alpha 0.5", "need confidences"),
    ],
)
def test_what_is_refused(run: Run, command: str, message: str) -> None:
    code, out, err = run(command)
    assert code == 2
    assert not out
    assert message in err


def test_scores_that_are_no_numbers_are_refused(run: Run) -> None:
    Path("bad.csv").write_text(NBEST.replace("-1.2", "nan"))
    code, _, err = run("mbr bad.csv")
    assert code == 2
    assert "score is not finite (utterance 'u1', rank 2)" in err
