"""Which format a file has."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from misword.core.errors import InputError, OptionError
from misword.io.files.sources import Source
from misword.io.transcripts.formats import FORMATS, plain
from misword.io.transcripts.formats.plain import misfits
from misword.io.transcripts.read import read_transcript

Write = Callable[[str, str | bytes], Path]

STM = ";; header\nf1 1 spk 0.00 1.50 <o> hello\nf1 1 spk 1.50 2.00 <o>\n"
CTM = ";; header\nf1 1 0.00 0.50 hello 0.9\nf1 1 0.50 0.25 you\n"
BY_CONTENT = {
    "jsonl": '\n{"text": "a"}\n',
    "trn": "hello (a-1)\n\n(a-2)\n",
    "stm": STM,
    "ctm": CTM,
    "kaldi": "spk1-utt_2 hello\nspk1/utt.3\n",
    "csv": "id,speaker,text\n1,a,hello\n",
    "tsv": "reference\thypothesis\na\tb\n",
    "lines": "hello there\nyou\n",
}


def format_of(path: Path, format: str | None = None) -> str:
    return read_transcript(path, role="reference", input_format=format).format


@pytest.mark.parametrize("name", BY_CONTENT)
@pytest.mark.parametrize("file", ["a.txt", "a.unknown", "a"])
def test_by_content(write: Write, name: str, file: str) -> None:
    assert format_of(write(file, BY_CONTENT[name])) == name


BY_NAME = {
    "a.trn": ("trn", "x (1)\n"),
    "a.STM": ("stm", "f 1 s 0 1 x\n"),
    "a.ctm": ("ctm", "f 1 0 1 x\n"),
    "a.csv": ("csv", "text\nx\n"),
    "a.tsv": ("tsv", "text\nx\n"),
    "a.jsonl": ("jsonl", '{"text": "x"}'),
    "a.ndjson": ("jsonl", '{"text": "x"}'),
    "a.json": ("jsonl", '{"text": "x"}'),
    "text": ("kaldi", "a x\n"),
    "my.text": ("lines", "a x\n"),
}


ID = re.compile(r"(?!\d{1,3}$)(?=.*\d)[^\W_](?:[\w./-]*[^\W_])?")


@given(st.lists(st.text("ab19_-./ \t٣é", max_size=12), max_size=8))
def test_lines_without_an_id(lines: list[str]) -> None:
    """An id is the first token, if it fits the pattern and no line before has it."""
    seen: set[str] = set()
    without_id = []
    for number, line in enumerate(lines):
        token = re.split(r"[ \t]", line.strip(" \t"))[0]
        if token in seen or not ID.fullmatch(token):
            without_id.append(number)
        seen.add(token)
    assert list(misfits(lines)) == without_id


@given(st.lists(st.from_regex(r"[ab]?[19]{0,4}[-_]?[é٣b]? ?x?", fullmatch=True), max_size=6))
def test_files_with_ids_are_found_in_columns(lines: list[str]) -> None:
    """Most lines are examined in columns, which find what the rule for single lines finds."""
    source = Source("a", "a", "".join(f"{line}\n" for line in ("u7 x", *lines)).encode())
    with patch.object(plain, "FIRST_LINES", 1):
        found = plain.Kaldi().looks_like(source)
    assert found == (len(lines) > 0 and not list(misfits(["u7 x", *lines])))


@pytest.mark.parametrize("file", BY_NAME)
def test_by_name(write: Write, file: str) -> None:
    expected, content = BY_NAME[file]
    found = read_transcript(write(file, content), role="reference")
    assert (found.format, found.frame["text"].to_list()) == (
        expected,
        ["x" if file != "my.text" else "a x"],
    )


def test_every_format_has_its_name() -> None:
    assert {FORMATS.create(name).name for name in FORMATS.names()} == set(FORMATS.names())


def test_forcing_beats_name_and_content(write: Write) -> None:
    path = write("a.trn", "u-1 hello (x)\n")
    found = read_transcript(path, role="reference", input_format="lines")
    assert found.frame.rows() == [("u-1 hello (x)", 1)]
    assert read_transcript(path, role="reference", input_format="kaldi").frame["utt"].to_list() == [
        "u-1"
    ]


def test_an_unknown_format_names_the_known(write: Write) -> None:
    with pytest.raises(OptionError, match="did you mean 'kaldi'"):
        format_of(write("a.txt", "x\n"), format="kaldy")


@pytest.mark.parametrize(
    ("content", "line", "why"),
    [
        ("u1 a\nu2 b\nhello you\n", 3, "line 3 begins with 'hello'"),
        ("u1 a\n\n", 2, "line 2 is empty"),
        ("u1 a\nu2 b\nu3 c\nu1 d\n", 4, "repeats the id 'u1' of line 1"),
    ],
)
def test_between_kaldi_and_lines_nothing_is_guessed(
    write: Write, content: str | bytes, line: int, why: str
) -> None:
    path = write("a.txt", content)
    with pytest.raises(InputError, match="cannot be detected") as caught:
        format_of(path)
    assert why in caught.value.what
    assert caught.value.where == f"{path}:{line}"
    assert "--input-format kaldi" in caught.value.fix
    assert "--input-format lines" in caught.value.fix


def test_fewer_than_half_are_plain_lines(write: Write) -> None:
    assert format_of(write("a.txt", "2 beers\nhello you\nand you\n")) == "lines"


@pytest.mark.parametrize("token", ["hello", "-a1", "a1-", "c'est1", "10:30", "a1,"])
def test_what_is_no_id(write: Write, token: str) -> None:
    assert format_of(write("a.txt", f"{token} x\n")) == "lines"


@pytest.mark.parametrize("token", ["0001", "a1", "a-1_b.c/2", "été-1", "1089-134686-0000"])
def test_what_is_an_id(write: Write, token: str) -> None:
    assert format_of(write("a.txt", f"{token} x\n{token}b y\n")) == "kaldi"


def test_one_line_that_may_have_an_id_is_ambiguous(write: Write) -> None:
    path = write("a.txt", "covid19 is here\n")
    with pytest.raises(InputError, match="detected from one line: 'covid19' may be an id"):
        format_of(path)
    assert format_of(path, "lines") == "lines"
    assert format_of(path, "kaldi") == "kaldi"
    assert format_of(write("b.txt", "hello you\n")) == "lines"


def test_kaldi_detected_by_content_is_noted(write: Write) -> None:
    found = read_transcript(write("a.txt", "u1 x\nu2 y\n"), role="reference")
    assert found.notes[0].startswith(f"{found.path} is read as kaldi")
    assert read_transcript(write("text", "u1 x\nu2 y\n"), role="reference").notes == ()


def test_spoken_digits_are_neither_stm_nor_ctm(write: Write) -> None:
    assert format_of(write("a.txt", "u1 1 2 3 4 5\nu2 5 6 7 8 9\n")) == "kaldi"


def test_a_few_lines_that_do_not_fit_are_no_trn(write: Write) -> None:
    assert format_of(write("a.txt", "hello (a)\nyou there\n")) == "lines"


def test_binary_data_have_no_format(write: Write) -> None:
    junk = random.Random(0).randbytes(4000)
    path = write("a.bin", junk)
    with pytest.raises(InputError, match="cannot be detected: this looks like binary") as caught:
        format_of(path)
    assert caught.value.where == str(path)
    assert "--input-format" in caught.value.fix
    with pytest.raises(InputError, match="binary"):
        format_of(write("b.bin", b"\x01\x02\x03\x04abc"))
