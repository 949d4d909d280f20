"""Metadata files: further columns for the references."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from misword.core.errors import InputError, MismatchError
from misword.io.transcripts.columns import typed
from misword.io.transcripts.read import read_corpus

Write = Callable[[str, str | bytes], Path]
Sides = tuple[Path, list[Path]]


@pytest.fixture
def sides(write: Write) -> Sides:
    return write("r.txt", "u2 a\nu1 b\n"), [write("h.txt", "u1 b\nu2 a\n")]


def joined(sides: Sides, *paths: Path, id_column: str | None = None) -> pl.DataFrame:
    return read_corpus(*sides, metadata=paths, id_column=id_column)[0].references


def test_kaldi_maps(write: Write, sides: Sides) -> None:
    paths = [
        write("utt2spk", "u1 ann\nu2 bob\nu3 cyd\n"),
        write("utt2dur.txt", "u1 1.5\nu2 2\n"),
        write("noise", "u2 car  park \nu1 none\n"),
    ]
    assert joined(sides, *paths).to_dicts() == [
        {"utt": "u2", "text": "a", "speaker": "bob", "dur": "2", "noise": "car  park"},
        {"utt": "u1", "text": "b", "speaker": "ann", "dur": "1.5", "noise": "none"},
    ]


@pytest.mark.parametrize("number", ["1٣", "٣", "1.५", "1e٣"])
def test_digits_of_other_scripts_are_text(number: str) -> None:
    """polars does not convert them."""
    assert typed(pl.Series(["2", number])).to_list() == ["2", number]


def test_tables(write: Write, sides: Sides) -> None:
    buffer = io.BytesIO()
    pl.DataFrame({"utt": ["u1", "u2"], "age": [1, 2]}).write_parquet(buffer)
    paths = [
        write("a.csv", "noise,id,text\ncar,u1,t1\nbus,u2,t2\n"),
        write("b.jsonl", '{"id": "u2", "snr": 2}\n{"id": "u1", "snr": 1}\n'),
        write("c.parquet", buffer.getvalue()),
        write("d", "utt\tsentence\nu1\ts1\nu2\ts2\n"),
    ]
    assert joined(sides, *paths).drop("text").rows() == [
        ("u2", "bus", "t2", 2, 2, "s2"),
        ("u1", "car", "t1", 1, 1, "s1"),
    ]
    assert joined(sides, paths[0]).columns == ["utt", "text", "noise", "text_"]


def test_the_id_column_can_be_named(write: Write, sides: Sides) -> None:
    path = write("a.csv", "key,noise\nu1,car\nu2,bus\n")
    assert joined(sides, path, id_column="key")["noise"].to_list() == ["bus", "car"]


def test_every_reference_must_be_covered(write: Write, sides: Sides) -> None:
    path = write("utt2spk", "u2 bob\n")
    with pytest.raises(MismatchError, match="no metadata for 1 of 2 references: 'u1'") as caught:
        joined(sides, path)
    assert caught.value.where == str(path)
    assert f"{sides[0]}:2" in caught.value.what


def test_duplicate_ids(write: Write, sides: Sides) -> None:
    path = write("utt2spk", "u1 a\nu2 b\nu1 c\n")
    with pytest.raises(InputError, match="duplicate id 'u1', on line 1 and line 3"):
        joined(sides, path)


def test_ids_without_value(write: Write, sides: Sides) -> None:
    path = write("utt2spk", "u1 a\nu2\n")
    with pytest.raises(InputError, match="'u2' has no value") as caught:
        joined(sides, path)
    assert caught.value.where == f"{path}:2"


def test_columns_that_are_there_already(write: Write, sides: Sides) -> None:
    path = write("utt2spk", "u1 a\nu2 b\n")
    with pytest.raises(InputError, match="'speaker' is there already"):
        joined(sides, path, path)


def test_rows_without_ids_go_by_position_where_references_do(write: Write, sides: Sides) -> None:
    path = write("a.csv", "noise\ncar\nbus\n")
    lines = write("l.txt", "a\nb\n")
    assert joined((lines, [lines]), path).rows() == [("1", "a", "car"), ("2", "b", "bus")]
    with pytest.raises(MismatchError, match="no column of ids"):
        joined(sides, path)
    with pytest.raises(MismatchError, match="1 rows for the 2 utterances"):
        joined((lines, [lines]), write("b.csv", "noise\ncar\n"))
