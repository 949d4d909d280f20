"""`misword fit`: tables, files, formats and errors."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from judged import choice_table, rating_table, write_words
from misword.asr.people.blend_file import read_blend
from misword.cli.main import main

Run = Callable[[str], tuple[int, str, str]]
FAST = "--metrics cer,wil --bootstrap 50 --repeats 2"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(tmp_path)
    choice_table().write_csv("choices.tsv", separator="\t")
    rating_table().write_csv("ratings.csv")

    def run(command: str) -> tuple[int, str, str]:
        code = main(command.split())
        out, err = capsys.readouterr()
        return code, out, err

    return run


def test_tables_of_choices(run: Run) -> None:
    code, out, _ = run(f"fit choices.tsv {FAST} -o b.json --format table")
    assert code == 0
    for shown in (
        "Agreement with people (held out)", "Weights", "With fewer judgements", "one voter",
        "cer|ties:misword",
    ):  # fmt: skip
        assert shown in out
    assert [part.spec for part in read_blend("b.json").metrics] == ["cer", "wil"]
    code, out, _ = run("score choices.tsv choices.tsv --metrics blend:file=b.json")
    assert code == 2  # triplets are no transcripts
    Path("ref.txt").write_text("the cat sat\n")
    Path("hyp.txt").write_text("the cat sad\n")
    code, out, _ = run("score ref.txt hyp.txt --metrics blend:file=b.json --bootstrap 0")
    assert code == 0


def test_tables_of_ratings(run: Run) -> None:
    code, out, _ = run(f"fit ratings.csv {FAST} --format table")
    assert code == 0
    assert "Correlation with ratings (held out)" in out
    assert "one voter" not in out
    code, _, err = run(f"fit ratings.csv {FAST} --lower-is-better")
    assert code == 2
    assert "all weights are 0" in err


def test_ratings_from_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    stdin = io.TextIOWrapper(io.BytesIO(Path("ratings.csv").read_bytes()))
    monkeypatch.setattr("sys.stdin", stdin)
    code, out, err = run(f"fit - {FAST} --format csv")
    assert code == 0
    assert err.startswith("note: wil alone ranks better than the blend")
    assert out.startswith("metric,pearson")


def test_json_and_csv(run: Run) -> None:
    code, out, _ = run(f"fit choices.tsv {FAST} --format json --select")
    found = json.loads(out)
    assert code == 0
    assert {"digest", "slope", "folds", "weights", "quality", "curve", "selection"} <= found.keys()
    code, out, _ = run(f"fit choices.tsv {FAST} --format csv")
    assert out.startswith("metric,consensus,least,choices,agreed,low,high,half,ties,p")


def test_a_result_folder(run: Run) -> None:
    code, _, _ = run(f"fit choices.tsv {FAST} --out results -o b.json")
    assert code == 0
    assert json.loads(Path("b.json").read_text("utf-8"))["about"]["judgements"] == 60
    assert {path.stem for path in Path("results").glob("*.parquet")} == {
        "quality", "weights", "curve", "judgements", "words",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (f"fit none.tsv {FAST}", "none.tsv"),
        (f"fit choices.tsv {FAST} -o choices.tsv", "choices.tsv"),
        (f"fit choices.tsv {FAST} --columns a,b", "2 columns are named"),
        (f"fit choices.tsv {FAST} --prior none.json", "the blend cannot be read"),
        ("fit choices.tsv --metrics blend", "a blend needs a file"),
        ("score choices.tsv choices.tsv --metrics blend:file=none.json", "cannot be read"),
    ],
)
def test_errors(run: Run, command: str, said: str) -> None:
    before = Path("choices.tsv").read_bytes()
    code, out, err = run(command)
    assert (code, out) == (2, "")
    assert said in err
    assert "Traceback" not in err
    assert Path("choices.tsv").read_bytes() == before


def test_groups_and_lists_of_hypotheses(run: Run, tmp_path: Path) -> None:
    """`--by` and N-best lists, of which the best hypothesis is scored, as for other metrics."""
    assert run("demo --copy demo")[0] == 0
    spec = write_words(tmp_path / "b.json")
    rates = []
    for name in ("whisper-tiny.csv", "whisper-tiny.nbest.jsonl"):
        files = f"demo/en/ref.csv demo/en/{name}"
        code, out, _ = run(f"score {files} --metrics {spec} --by speaker --format json")
        assert code == 0
        rows = [row for row in json.loads(out)["rows"] if row["total"]]
        rates.append(rows[0]["rate"])
    assert rates[0] == rates[1] > 0


def test_parts_lists_blends(run: Run) -> None:
    code, out, _ = run("parts metrics --format csv")
    assert code == 0
    assert "blend" in out
    assert "people" in out
