"""`misword rescore`: formats in and out, standard output, result folder, what is refused."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from arpa import write_arpa
from extras import needs
from misword.cli.main import main
from misword.io.results import read_result

pytestmark = needs("kenlm")
Run = Callable[[str], tuple[int, str, str]]
ROWS = [
    {"utt": "b", "rank": 1, "text": "the cat", "score": -1.5, "ac": 7, "note": "é"},
    {"utt": "b", "rank": 2, "text": "the dog", "score": -2.5, "ac": 8, "note": None},
    {"utt": "a", "rank": 1, "text": "", "score": -3.25, "ac": 9, "note": "x"},
]
NEW: dict[str, list[float]] = {
    "ngram": [-3.2236, -5.0657, -2.5328],
    "ngram_oov": [0, 1, 0],
    "words": [2, 2, 0],
}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(tmp_path)
    write_arpa(tmp_path / "lm.arpa")
    lines = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in ROWS)
    Path("nbest.jsonl").write_text(lines, encoding="utf-8")

    def call(command: str) -> tuple[int, str, str]:
        code = main(shlex.split(command))
        captured = capfd.readouterr()
        return code, captured.out, captured.err

    return call


def test_all_columns_stay_and_rows_are_in_order(run: Run) -> None:
    code, out, err = run("rescore nbest.jsonl --lm ngram:lm.arpa -o scored.jsonl --format table")
    assert code == 0
    scored = [json.loads(line) for line in Path("scored.jsonl").read_text("utf-8").splitlines()]
    for place, (row, old) in enumerate(zip(scored, ROWS, strict=True)):
        new = {name: values[place] for name, values in NEW.items()}
        assert row == old | new
    assert "distinct texts" in out
    assert "ngram|file:" in out
    assert "25.0 % of 4 words are unknown to the model" in err


@pytest.mark.parametrize("name", ["s.csv", "s.tsv", "s.parquet", "s"])
def test_the_name_decides_the_format(name: str, run: Run) -> None:
    assert run(f"rescore nbest.jsonl --lm ngram:lm.arpa -o {name}")[0] == 0
    readers: dict[str, Callable[[str], pl.DataFrame]] = {
        "s.csv": pl.read_csv,
        "s.tsv": lambda file: pl.read_csv(file, separator="\t"),
        "s.parquet": pl.read_parquet,
        "s": pl.read_ndjson,
    }
    table = readers[name](name)
    assert table.columns == [*ROWS[0], *NEW]
    for column, values in NEW.items():
        assert table[column].to_list() == values
    code, _, err = run(f"rescore {name} --lm ngram:lm.arpa,column=two -o again.jsonl")
    assert code == 0, err
    assert pl.read_ndjson("again.jsonl")["two"].to_list() == NEW["ngram"]


def test_lists_go_to_standard_output_and_the_table_to_the_other(run: Run) -> None:
    code, out, err = run("rescore nbest.jsonl --lm ngram:lm.arpa --format json")
    assert code == 0
    assert len(out.splitlines()) == len(ROWS)
    assert json.loads(err[err.index("{") :])["rows"][0]["oov"] == 1


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("h.json", json.dumps([{"input": ["the cat", "the dog"], "output": "the cat"}])),
        ("m.txt", "0 ||| the cat ||| am=1 ||| -1\n0 ||| the dog ||| am=2 ||| -2\n"),
        ("one.csv", "id,text\nx,the cat\ny,the dog\n"),
    ],
)
def test_other_formats_are_read(name: str, content: str, run: Run) -> None:
    Path(name).write_text(content)
    code, out, err = run(f"rescore {name} --lm ngram:lm.arpa")
    assert code == 0, err
    rows = [json.loads(line) for line in out.splitlines()]
    assert [row["ngram"] for row in rows] == NEW["ngram"][:2]
    if name == "m.txt":
        assert [row["am"] for row in rows] == [1, 2]


def test_lists_without_ids_need_references(run: Run) -> None:
    Path("beams.tsv").write_text("the cat\t-1\nthe dog\t-2\nthe\t-1\ncat\t-2\n")
    Path("ref.txt").write_text("the cat\nthe\n")
    code, _, err = run("rescore beams.tsv --input-format nemo-beams --lm ngram:lm.arpa")
    assert code == 2
    assert "name the references too" in err
    command = "rescore beams.tsv --input-format nemo-beams --lm ngram:lm.arpa --references ref.txt"
    code, out, _ = run(command)
    assert code == 0
    assert [json.loads(line)["utt"] for line in out.splitlines()] == ["1", "1", "2", "2"]


def test_scored_lists_of_references_without_ids_are_found_again(run: Run) -> None:
    lists = [{"input": ["the cat", "the dog"], "output": "the dog"}] * 2
    Path("h.json").write_text(json.dumps(lists))
    assert run("rescore h.json --lm ngram:lm.arpa -o scored.jsonl")[0] == 0
    code, _, err = run("oracle h.json scored.jsonl --metrics wer --bootstrap 0")
    assert code == 0, err


def test_a_result_folder(run: Run) -> None:
    command = "rescore nbest.jsonl --lm ngram:lm.arpa --normalize lower -o s.jsonl --out result"
    assert run(command)[0] == 0
    result = read_result("result")
    assert result.kind == "rescored"
    assert result.tables["hypotheses"]["ngram"].to_list() == NEW["ngram"]
    assert "nbest.jsonl" in str(result.provenance["sha256"])
    assert run(command)[0] == 2  # it has a result already


def test_a_report(run: Run) -> None:
    """The page is written with the lists; an input is not overwritten by it."""
    command = "rescore nbest.jsonl --lm ngram:lm.arpa -o s.jsonl --report page.html"
    assert run(command)[0] == 0
    assert "ngram prefers another hypothesis than rank 1" in Path("page.html").read_text("utf-8")
    code, _, err = run("rescore nbest.jsonl --lm ngram:lm.arpa --report nbest.jsonl")
    assert (code, "this is an input" in err) == (2, True)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("nbest.jsonl --lm ngram:none.arpa", "no such file"),
        ("nbest.jsonl --lm ngram:nbest.jsonl", "no n-gram model that kenlm can read"),
        ("nbest.jsonl --lm ngrams:lm.arpa", "ngram"),
        ("nbest.jsonl --lm ngram:lm.arpa --lm ngram:lm.arpa", "two language models"),
        ("nbest.jsonl --lm ngram:lm.arpa,column=ac", "have a column 'ac' already"),
        ("nbest.jsonl --lm ngram:lm.arpa -o nbest.jsonl", "this is an input"),
        ("nbest.jsonl --lm ngram:lm.arpa -o .", "this is a folder"),
        ("nbest.jsonl --lm ngram:lm.arpa --normalize nothing", "nothing"),
        ("none.jsonl --lm ngram:lm.arpa", "none.jsonl"),
    ],
)
def test_what_is_refused(command: str, message: str, run: Run) -> None:
    code, out, err = run(f"rescore {command}")
    assert code == 2
    assert message in err
    assert not out


def test_a_language_model_must_be_named(run: Run) -> None:
    with pytest.raises(SystemExit):
        run("rescore nbest.jsonl")


def test_damaged_scores_are_refused(run: Run) -> None:
    Path("nan.jsonl").write_text(
        '{"utt": "a", "rank": 1, "text": "the", "score": "nan"}\n'
        '{"utt": "a", "rank": 2, "text": "cat", "score": "1"}\n'
    )
    code, _, err = run("rescore nan.jsonl --lm ngram:lm.arpa")
    assert code == 2
    assert "not finite" in err
