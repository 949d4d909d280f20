"""Alternatives, comments and ids in NIST files as sclite reads them.

The cases are lines of SCTK's src/sclite/testdata/tests.ref and tests.hyp.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from misword.core.errors import InputError, MismatchError
from misword.io.transcripts.alternatives import spaced
from misword.io.transcripts.read import read_corpus, read_transcript

Write = Callable[[str, str | bytes], Path]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("th {e/is} is {th/t} en", "th { e / is } is { th / t } en"),
        ("th { {e / @} is {w as / i / s / @ } / d is } is {th/t} en",
         "th { { e / @ } is { w as / i / s / @ } / d is } is { th / t } en"),
        ("{fi-/fig-} th- {-lk/-ik}", "{ fi- / fig- } th- { -lk / -ik }"),
        ("del_withnull { fi /@ } skip", "del_withnull { fi / @ } skip"),
        ("a d @ e", "a d e"),
        ("@", ""),
        ("and/or a@b @home {laugh} { laugh }", "and/or a@b @home {laugh} { laugh }"),
        ("a } b {", "a } b {"),
        ("{laugh {a/b}}", "{laugh { a / b } }"),
    ],
)  # fmt: skip
def test_alternatives_get_blanks(written: str, read: str) -> None:
    assert spaced(written, "r.trn:1") == read
    assert spaced(read, "r.trn:1") == read


@pytest.mark.parametrize("text", ["a { b / c", "a {b/c", "{a {b/c}/ d", "x { y { a / b } / c"])
def test_braces_that_do_not_match_are_refused(write: Write, text: str) -> None:
    path = write("r.trn", f"fine (a-1)\n{text} (a-2)\n")
    with pytest.raises(InputError, match="braces do not match") as caught:
        read_transcript(path, role="reference")
    assert caught.value.where == f"{path}:2"


def test_comments_and_ids_of_trn(write: Write) -> None:
    path = write("r.txt", ";; made by hand (x)\na {b/@} (F_0)\n;;;\n(f_1)\n")
    found = read_transcript(path, role="reference")
    assert found.format == "trn"
    assert found.frame.select("utt", "text", "line").rows() == [
        ("F_0", "a { b / @ }", 2), ("f_1", "", 4),
    ]  # fmt: skip


def test_plain_lines_keep_their_braces(write: Write) -> None:
    path = write("r.txt", "set {b/c} to a/b\nmail @ noon\n")
    found = read_transcript(path, role="reference", input_format="lines")
    assert found.frame["text"].to_list() == ["set {b/c} to a/b", "mail @ noon"]


def test_ids_that_differ_in_case(write: Write) -> None:
    references = write("r.trn", "a (4OAC0201)\nb (4oac0202)\nc (x)\nd (X)\n")
    corpus, _ = read_corpus(
        references, [write("h.trn", "d (X)\nb (4OAC0202)\na (4oac0201)\nc (x)\n")]
    )
    assert corpus.hypotheses["text"].to_list() == ["a", "b", "c", "d"]
    with pytest.raises(MismatchError, match="different ids"):  # both could be 4oac0201
        read_corpus(references, [write("h.trn", "a (4oac0201)\na (4Oac0201)\nc (x)\nd (X)\n")])


def test_ids_of_other_formats_keep_their_case(write: Write) -> None:
    with pytest.raises(MismatchError, match="different ids"):
        read_corpus(write("r.tsv", "id\ttext\nA1\tx\n"), [write("h.tsv", "id\ttext\na1\tx\n")])


def test_hypotheses_of_ignored_segments_are_left_out(write: Write) -> None:
    stm = write("r.stm", "f 1 a 0 1 x\nf 1 - 1 2 <o> IGNORE_TIME_SEGMENT_IN_SCORING\n")
    corpus, _ = read_corpus(stm, [write("h.stm", "f 1 a 0 1 y\nf 1 a 1 2 z\n")])
    assert corpus.hypotheses["text"].to_list() == ["y"]
