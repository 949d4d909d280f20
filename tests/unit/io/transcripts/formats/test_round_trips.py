"""A written transcript is read back unchanged, in every format."""

from __future__ import annotations

import csv
import gzip
import io
import json
import tempfile
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
import zstandard
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from misword.io.transcripts.read import read_transcript

HARD = [
    "",
    "\U0001f600 ok",
    "a\u2028b\u2029",
    "\u00a0x\u00a0",
    "\x0b\x0c\x1c\x85",
    "(a)",
    '"q",',
    "\ufeff",
]
# A carriage return before the line's end is a line end of Windows, not text.
CHARACTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\n\r\0")
TEXTS = st.lists(st.text(CHARACTERS, max_size=20), min_size=1, max_size=8)


def as_lines(texts: list[str]) -> bytes:
    # A mark at the very start would be taken off as a byte-order mark.
    return "\ufeff".encode() + "".join(f"{text}\n" for text in texts).encode()


def as_kaldi(texts: list[str]) -> bytes:
    return "".join(f"u{n} {text}\n" for n, text in enumerate(texts)).encode()


def as_trn(texts: list[str]) -> bytes:
    return "".join(f"{text} (u{n})\n" for n, text in enumerate(texts)).encode()


def as_jsonl(texts: list[str]) -> bytes:
    rows = enumerate(texts)
    lines = (json.dumps({"id": n, "text": text}, ensure_ascii=n % 2 == 0) for n, text in rows)
    return "\n".join(lines).encode()


def as_delimited(texts: list[str], delimiter: str = ",") -> bytes:
    buffer = io.StringIO(newline="")
    rows = csv.writer(buffer, delimiter=delimiter)
    rows.writerows([("id", "text"), *enumerate(texts)])
    return buffer.getvalue().encode()


def as_parquet(texts: list[str]) -> bytes:
    buffer = io.BytesIO()
    pl.DataFrame({"text": texts}, schema={"text": pl.String}).write_parquet(buffer)
    return buffer.getvalue()


WRITERS: dict[str, Callable[[list[str]], bytes]] = {
    "lines": as_lines,
    "kaldi": as_kaldi,
    "trn": as_trn,
    "jsonl": as_jsonl,
    "csv": as_delimited,
    "tsv": lambda texts: as_delimited(texts, "\t"),
    "parquet": as_parquet,
}
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".zst": zstandard.compress,
}


@pytest.mark.parametrize("packer", PACKERS)
@pytest.mark.parametrize("format", sorted(WRITERS.keys() - {"parquet"}))
@settings(max_examples=60, deadline=None)
@example(HARD)
@given(TEXTS)
def test_round_trip(format: str, packer: str, texts: list[str]) -> None:
    assert_round_trip(format, packer, texts)


@pytest.mark.parametrize("packer", PACKERS)
@settings(max_examples=3, deadline=None)  # a process is started for each
@example(HARD)
@given(TEXTS)
def test_round_trip_of_parquet(packer: str, texts: list[str]) -> None:
    assert_round_trip("parquet", packer, texts)


def assert_round_trip(format: str, packer: str, texts: list[str]) -> None:
    assume(not texts[0].startswith("\ufeff"))  # at a file's start it is a byte-order mark
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"a{packer}")
        path.write_bytes(PACKERS[packer](WRITERS[format](texts)))
        found = read_transcript(path, role="reference", input_format=format)
    # In kaldi and trn, blanks separate the id from the text and belong to neither.
    expected = [text.strip(" \t") for text in texts] if format in ("kaldi", "trn") else texts
    assert found.frame["text"].to_list() == expected


@pytest.mark.parametrize("format", ["jsonl", "csv", "parquet"])
def test_formats_with_quoting_keep_line_ends(format: str, tmp_path: Path) -> None:
    texts = ["a\nb", "\r\n", "c\r", "\n"]
    path = tmp_path / f"a.{format}"
    path.write_bytes(WRITERS[format](texts))
    assert read_transcript(path, role="hypothesis").frame["text"].to_list() == texts
