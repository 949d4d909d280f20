"""Names of columns and systems that polars would read as patterns: `*` and `^t.*$`.

Columns of such names get an underscore.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import misword
from misword.cli.main import main
from misword.core.errors import InputError
from misword.io.transcripts.read import read_transcript

NAMES = ["*", "^t.*$", "^.*$"]
REFERENCES = [f"word{number} and some more" for number in range(12)]


@pytest.fixture(params=NAMES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=["csv", "jsonl", "parquet"])
def table(request: pytest.FixtureRequest, name: str, tmp_path: Path) -> Path:
    """Return a table whose metadata columns are a plain one and one with a hostile name."""
    frame = pl.DataFrame(
        {
            "utt": [f"u{number}" for number in range(12)],
            "text": REFERENCES,
            "tone": ["low", "high"] * 6,
            name: ["a", "b", "c"] * 4,
        }
    )
    path = tmp_path / f"table.{request.param}"
    if request.param == "csv":
        frame.write_csv(path)
    elif request.param == "jsonl":
        frame.write_ndjson(path)
    else:
        frame.write_parquet(path)
    return path


def hypotheses(folder: Path, label: str, wrong: int) -> Path:
    path = folder / f"{label}.csv"
    texts = [text.replace("and", "end") if n < wrong else text for n, text in enumerate(REFERENCES)]
    rows = {"utt": [f"u{number}" for number in range(12)], "text": texts}
    pl.DataFrame(rows).sort("utt", descending=True).write_csv(path)
    return path


def run(capsys: pytest.CaptureFixture[str], *words: object) -> Any:
    assert main([str(word) for word in words]) == 0
    return json.loads(capsys.readouterr().out)


def test_score_groups_by_the_column(
    name: str, table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hyp = hypotheses(tmp_path, "hyp", 4)
    common = ["score", table, hyp, "--metrics", "wer", "--format", "json", "--bootstrap", 0]
    rows = run(capsys, *common, "--by", name, "--out", tmp_path / "out")
    text = json.dumps(rows)
    assert all(f'"{value}"' in text for value in "abc")
    scores = misword.load(tmp_path / "out")
    assert set(scores.table[f"{name}_"]) == {"a", "b", "c"}
    assert set(scores.table["tone"]) == {"low", "high"}
    run(capsys, *common, "--by", f"{name},tone", "--categorical", name)
    run(capsys, *common, "--join", name)


def test_compare_by_block_and_group(
    name: str, table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [hypotheses(tmp_path, label, n) for label, n in (("a", 4), ("b", 9))]
    common = ["--metrics", "wer", "--format", "json", "--bootstrap", 50]
    for option in ("--by", "--block"):
        run(capsys, "compare", table, *files, option, name, *common)
    report = tmp_path / "page.html"
    run(capsys, "compare", table, *files, "--by", name, *common, "--report", report)
    assert report.exists()


def test_metadata_keep_their_values(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    utts = [f"u{number}" for number in range(12)]
    reference, metadata = tmp_path / "ref.csv", tmp_path / "metadata.csv"
    pl.DataFrame({"utt": utts, "text": REFERENCES}).write_csv(reference)
    rows = {"utt": utts, "tone": ["low"] * 12, name: ["x", "y"] * 6}
    pl.DataFrame(rows).write_csv(metadata)
    out = tmp_path / "out"
    hyp = hypotheses(tmp_path, "h", 2)
    run(capsys, "score", reference, hyp, "--metadata", metadata, "--format", "json", "--out", out)
    table = misword.load(out).table
    assert table[f"{name}_"].to_list() == ["x", "y"] * 6
    assert table["tone"].to_list() == ["low"] * 12


def test_columns_in_memory(name: str) -> None:
    texts = pl.Series(name, REFERENCES)
    scores = misword.score(texts, {name: texts}, metadata={name: ["x", "y"] * 6}, metrics="wer")
    assert scores.systems == [name]
    assert [key for key, _ in scores.group(f"{name}_")] == [("x",), ("y",)]
    frame = pl.DataFrame({name: REFERENCES, "other": REFERENCES})
    assert misword.score(texts, frame, metrics="wer").systems == [name, "other"]


def test_two_columns_whose_names_would_be_the_same_are_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    pl.DataFrame({"text": REFERENCES, name: REFERENCES, f"{name}_": REFERENCES}).write_csv(path)
    with pytest.raises(InputError, match="rename one of them"):
        read_transcript(path, role="reference")


def test_corrupt_keeps_the_name_of_a_column(name: str, table: Path, tmp_path: Path) -> None:
    noisy = tmp_path / f"noisy{table.suffix}"
    words = ["corrupt", table, "--wer", "0.3", "--channel", "uniform", "-o", noisy]
    assert main([str(word) for word in words]) == 0
    assert name in noisy.read_bytes().decode("utf-8", "replace")
    assert f"{name}_" not in noisy.read_bytes().decode("utf-8", "replace")


def test_the_column_may_hold_ids_or_texts(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The hostile name is that of the ids, then that of the hypotheses."""
    path = tmp_path / "both.csv"
    rows = {"key": [f"u{n}" for n in range(12)], "text": REFERENCES, name: REFERENCES}
    pl.DataFrame(rows).write_csv(path)
    common = ["--metrics", "wer", "--format", "json", "--bootstrap", 0]
    run(capsys, "score", path, "--hypothesis-column", name, *common)
    rows = {name: [f"u{n}" for n in range(12)], "text": REFERENCES, "pred_text": REFERENCES}
    pl.DataFrame(rows).write_csv(path)
    run(capsys, "score", path, "--id-column", name, *common)


def test_systems_and_values_with_such_names(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reference = tmp_path / "ref.txt"
    reference.write_text("\n".join(REFERENCES) + "\n")
    files = []
    for label, wrong in (("one", 3), ("two", 6)):
        path = tmp_path / f"{label}.txt"
        texts = [t.replace("and", "end") if n < wrong else t for n, t in enumerate(REFERENCES)]
        path.write_text("\n".join(texts) + "\n")
        files.append(path)
    common = ["--names", f"{name},plain", "--format", "json", "--bootstrap", 50]
    out = tmp_path / "out"
    run(capsys, "score", reference, *files, *common, "--out", out)
    assert misword.load(out).table["system"].unique().len() == 2
    report = tmp_path / "page.html"
    run(capsys, "compare", reference, *files, *common, "--report", report)
    assert main(["report", str(out), "-o", str(tmp_path / "page2.html")]) == 0
    capsys.readouterr()
    run(capsys, "correlate", reference, files[0], "--format", "json")
