"""Lines, Kaldi and trn."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from misword.core.errors import InputError
from misword.io.transcripts.read import read_transcript

Write = Callable[[str, str | bytes], Path]


def read(path: Path) -> pl.DataFrame:
    return read_transcript(path, role="reference").frame


def test_kaldi_cuts_at_the_first_blanks(write: Write) -> None:
    path = write("text", "a-1 one  two\nb\n  c\t three \nd four\u00a0five\n")
    assert read(path).rows() == [
        ("a-1", "one  two", 1),
        ("b", "", 2),
        ("c", "three", 3),
        ("d", "four\u00a0five", 4),
    ]


def test_kaldi_needs_an_id_on_every_line(write: Write) -> None:
    path = write("text", "a x\n \nb y\n")
    with pytest.raises(InputError, match="empty line") as caught:
        read(path)
    assert caught.value.where == f"{path}:2"


def test_trn(write: Write) -> None:
    path = write("a.trn", "one (laughs) two  (spk1-01)\n\n(spk2_02)\nthree(spk3-03) \n")
    frame = read(path)
    assert frame.columns == ["utt", "text", "line", "speaker"]
    assert frame.rows() == [
        ("spk1-01", "one (laughs) two", 1, "spk1"),
        ("spk2_02", "", 3, "spk2"),
        ("spk3-03", "three", 4, "spk3"),
    ]


def test_trn_speakers_only_where_all_have_one(write: Write) -> None:
    assert read(write("a.trn", "x (a-1)\ny (b)\n")).columns == ["utt", "text", "line"]
    assert read(write("b.trn", "x (-1)\n")).columns == ["utt", "text", "line"]


@pytest.mark.parametrize("line", ["no id", "two words (a b)", "()", "(a) x"])
def test_trn_needs_an_id_on_every_line(write: Write, line: str) -> None:
    path = write("a.trn", f"one (a)\n{line}\n")
    with pytest.raises(InputError, match=r"no \(id\)") as caught:
        read(path)
    assert caught.value.where == f"{path}:2"
