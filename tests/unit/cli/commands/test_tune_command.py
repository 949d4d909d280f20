"""`misword tune`: tables, JSON, files of texts and weights, systems, what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from misword.cli.main import main
from misword.io.results import read_result

Run = Callable[[str], tuple[int, str, str]]
FEW = "--resamples 3 --bootstrap 9"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(tmp_path)
    references, lists = ["utt,text,speaker"], ["utt,rank,text,score,lm"]
    for number in range(12):
        references.append(f"u{number},the cat sat,s{number % 4}")
        lists.append(f"u{number},1,the cat,{-1 - number / 50},{-9 - number / 9}")
        lists.append(f"u{number},2,the cat sat,{-2 - number / 90},{-5 - number / 7}")
    Path("ref.csv").write_text("\n".join(references) + "\n")
    Path("nbest.csv").write_text("\n".join(lists) + "\n")

    def run(command: str) -> tuple[int, str, str]:
        code = main(command.split())
        out, err = capsys.readouterr()
        return code, out, err

    return run


def test_tables(run: Run) -> None:
    code, out, _ = run(f"tune ref.csv nbest.csv --metrics cer {FEW} --format md")
    assert code == 0
    assert "**Rates in %, 12 lists**" in out
    assert "| wer | rank 1 | 33.33 |" in out
    assert "| wer | held out | 0.00 |" in out
    assert "**Weights, and how far each may move while the others stay**" in out
    assert "held out, the weights change wer by -33.33 points from rank 1, p" in out
    assert "misword tune --apply score=" in out


def test_json_and_csv(run: Run) -> None:
    command = f"tune ref.csv nbest.csv --features score,lm --block speaker --folds 2 {FEW}"
    _, out, _ = run(f"{command} --format json")
    printed = json.loads(out)
    assert printed["tuned_by"] == "wer"
    assert printed["features"] == ["score", "lm"]
    assert [row["fold"] for row in printed["folds"]] == [1, 2]
    assert printed["verdict"].endswith("there are too few lists or blocks for a test")
    _, out, _ = run(f"{command} --format csv")
    assert out.startswith("data,metric,choice,rate,low,high,")


def test_weights_are_written_and_applied(run: Run) -> None:
    command = f"tune ref.csv nbest.csv --write-weights w.json -o held.txt --out result {FEW}"
    assert run(command)[0] == 0
    assert Path("held.txt").read_text() == "the cat sat\n" * 12
    assert read_result("result").kind == "tuning"
    code, out, err = run("tune --apply w.json nbest.csv -o chosen.csv")
    assert code == 0
    assert out == ""
    assert "12 of 12 chosen texts are not of rank 1" in err
    assert Path("chosen.csv").read_text().startswith("utt,rank,text\nu0,2,the cat sat\n")
    run("tune --apply score=1,lm=-2 nbest.csv -o other.txt")
    assert Path("other.txt").read_text() == "the cat\n" * 12


def test_test_lists(run: Run) -> None:
    command = f"tune ref.csv nbest.csv --test ref.csv nbest.csv {FEW} --format json -o out.jsonl"
    _, out, _ = run(command)
    rows = json.loads(out)["rates"]
    assert [row["rate"] for row in rows if row["data"] == "test"] == [1 / 3, 0, 0]
    assert len(Path("out.jsonl").read_text().splitlines()) == 12


def test_systems(run: Run) -> None:
    Path("ref.txt").write_text("a b\nc d\n")
    Path("s1.txt").write_text("a\nc d\n")
    Path("s2.txt").write_text("a b\nc d\n")
    code, out, err = run("tune ref.txt s1.txt s2.txt --systems --bootstrap 20 --format md")
    assert code == 0
    assert "| s2 | 0.00 \\* |" in out
    assert "is not significantly better than" in err
    _, out, _ = run("tune ref.txt s1.txt s2.txt --systems --bootstrap 20 --format json")
    assert json.loads(out)["choices"][0]["rate"] == 0
    _, out, _ = run("tune ref.txt s1.txt s2.txt --systems --bootstrap 20 --format csv --out result")
    assert out.startswith("metric,system,rate,")
    assert read_result("result").kind == "system-tuning"


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("ref.csv nbest.csv --features lm,nothing", "the lists have no feature 'nothing'"),
        ("ref.csv nbest.csv --folds 1", "folds is 1"),
        ("ref.csv nbest.csv --start lm", "'lm' is not a weight"),
        ("ref.csv nbest.csv -o -", "standard output gets the results"),
        ("ref.csv nbest.csv --write-weights nbest.csv", "nbest.csv"),
        ("ref.csv nbest.csv --systems -o out.txt", "-o beside --systems"),
        ("ref.csv nbest.csv --systems", "needs two systems"),
        ("--apply score=1 nbest.csv", "--apply reads N-best lists without references"),
        ("--apply score=1 nbest.csv -o a.txt --test ref.csv nbest.csv", "--test beside --apply"),
        ("--apply nothing=1 nbest.csv -o a.txt", "the lists have no feature 'nothing'"),
        ("--apply none.json nbest.csv -o a.txt", "this is not a file of weights of misword"),
    ],
)
def test_what_is_refused(run: Run, command: str, problem: str) -> None:
    code, _, err = run(f"tune {command}")
    assert code == 2
    assert problem in err
    assert not Path("a.txt").exists()


def test_a_missing_number_is_named(run: Run) -> None:
    lines = Path("nbest.csv").read_text().splitlines()
    lines[4] = "u1,2,the cat sat,,-5"
    Path("nbest.csv").write_text("\n".join(lines) + "\n")
    code, _, err = run("tune ref.csv nbest.csv")
    assert code == 2
    assert "'score' has no finite number in 1 row: utterance 'u1', rank 2: nothing" in err
