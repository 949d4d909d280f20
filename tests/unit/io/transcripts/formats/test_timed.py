"""stm and ctm, alone and together."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from misword.core.errors import InputError, MismatchError
from misword.io.transcripts.pairing import Transcript
from misword.io.transcripts.read import read_corpus, read_transcript
from misword.io.transcripts.segments import locate

Write = Callable[[str, str | bytes], Path]

IGNORE = "IGNORE_time_segment_in_scoring"


def read(path: Path) -> Transcript:
    return read_transcript(path, role="reference")


def test_stm(write: Write) -> None:
    path = write(
        "a.stm",
        ";; comment\nf1 1 ann 0.00 1.50 <o,f0>  hello\u00a0you there \n\n"
        f"f1 1 - 1.5 2 <o> {IGNORE}\nf1 A bob 2 3.25\n",
    )
    found = read(path)
    assert found.frame.to_dicts() == [
        {
            "utt": "f1-1-0.0-1.5",
            "text": "hello\u00a0you there",
            "line": 2,
            "file": "f1",
            "channel": "1",
            "speaker": "ann",
            "begin": 0.0,
            "end": 1.5,
            "label": "<o,f0>",
        },
        {
            "utt": "f1-A-2.0-3.25",
            "text": "",
            "line": 5,
            "file": "f1",
            "channel": "A",
            "speaker": "bob",
            "begin": 2.0,
            "end": 3.25,
            "label": None,
        },
    ]
    assert found.notes == (f"{path}: 1 segment not scored (ignore_time_segment_in_scoring)",)


def test_stm_speakers_tell_coinciding_segments_apart(write: Write) -> None:
    found = read(write("a.stm", "f 1 ann 0 1 a\nf 1 bob 0 1 b\nf 1 ann 1 2 c\n"))
    assert found.frame["utt"].to_list() == ["f-1-0.0-1.0-ann", "f-1-0.0-1.0-bob", "f-1-1.0-2.0"]
    assert "label" not in found.frame.columns
    path = write("b.stm", "f 1 ann 0 1 a\nf 1 ann 0 1 b\n")
    with pytest.raises(InputError, match="line 1 and line 2"):
        read(path)


@pytest.mark.parametrize(
    ("line", "match"),
    [
        ("f 1 ann 1", "4 fields"),
        ("f 1 ann x 2 words", "begin is 'x'"),
        ("f 1 ann 1 inf words", "end is 'inf'"),
        ("f 1 ann 2 1 words", r"ends \(1\) before it begins \(2\)"),
    ],
)
def test_bad_stm(write: Write, line: str, match: str) -> None:
    path = write("a.stm", f";; c\nf 1 ann 0 1 fine\n{line}\n")
    with pytest.raises(InputError, match=match) as caught:
        read(path)
    assert caught.value.where == f"{path}:3"


def test_nothing_but_comments(write: Write) -> None:
    with pytest.raises(InputError, match="no utterances"):
        read(write("a.stm", ";; nothing\n"))


def test_ctm_alone_joins_each_channel_by_time(write: Write) -> None:
    path = write(
        "a.ctm", "g 1 5 1 x\u00a0z 0.5\nf 1 2 .5 you 0.9 lex\n;; c\nf 1 1 .5 hello\nf 2 0 1 y\n"
    )
    assert read(path).frame.rows() == [
        ("g-1", "x\u00a0z", 1, "g", "1"),
        ("f-1", "hello you", 2, "f", "1"),
        ("f-2", "y", 5, "f", "2"),
    ]


@pytest.mark.parametrize(
    ("line", "match"),
    [
        ("f 1 0 1", "4 fields"),
        ("f 1 zero 1 w", "begin is 'zero'"),
        ("f 1 0 nan w", "duration is 'nan'"),
        ("f 1 0 -1 w", "negative"),
        ("f 1 * * <ALT_BEGIN>", "alternatives in ctm are not read"),
    ],
)
def test_bad_ctm(write: Write, line: str, match: str) -> None:
    path = write("a.ctm", f"f 1 0 1 fine\n{line}\n")
    with pytest.raises(InputError, match=match) as caught:
        read(path)
    assert caught.value.where == f"{path}:2"


STM = (
    "f 1 ann 0.0 2.0 a\n"
    f"f 1 - 2.0 4.0 {IGNORE}\n"
    "f 1 bob 4.0 6.0 b\n"
    "f 1 ann 8.0 9.0 c\n"
    "g 1 cyd 0.0 1.0 d\n"
)


def placed(write: Write, ctm: str) -> tuple[list[str], tuple[str, ...]]:
    corpus, notes = read_corpus(write("r.stm", STM), [write("h.ctm", ctm)])
    return corpus.hypotheses["text"].to_list(), notes


def test_words_go_to_the_segment_that_holds_their_middle(write: Write) -> None:
    words, _ = placed(write, "f 1 1.5 0.8 one\nf 1 3.8 0.6 two\nf 1 0.2 0.1 first\ng 1 0 1 g\n")
    assert words == ["first one", "two", "", "g"]


def test_words_between_segments_go_to_the_nearest(write: Write) -> None:
    words, notes = placed(write, "f 1 6.4 0.2 b\nf 1 7.4 0.2 c\nf 1 90 1 late\ng 1 5 1 g\n")
    assert words == ["", "b", "c late", "g"]
    assert not any("left out" in note for note in notes)


def test_words_in_ignored_segments_are_counted(write: Write) -> None:
    words, notes = placed(write, "f 1 2.1 0.2 x\nf 1 3.1 0.2 y\nf 1 0 1 a\n")
    assert words == ["a", "", "", ""]
    assert any("2 words left out" in note and "h.ctm" in note for note in notes)
    assert any("1 recording, the first is 'g', channel '1'" in note for note in notes)


def test_words_of_unknown_recordings_are_refused(write: Write) -> None:
    with pytest.raises(MismatchError, match=r"file 'x', channel '1'.*no such file") as caught:
        placed(write, "f 1 0 1 a\nx 1 0 1 b\n")
    assert caught.value.where.endswith("h.ctm:2")
    with pytest.raises(MismatchError, match=r"channel 'A', but .*r.stm has channels 1 of it"):
        placed(write, "f A 0 1 a\n")


def test_words_of_recordings_that_are_ignored_as_a_whole(write: Write) -> None:
    stm = write("r.stm", f"f 1 a 0 1 x\ng 1 - 0 1 {IGNORE}\n")
    corpus, notes = read_corpus(stm, [write("h.ctm", "f 1 0 1 x\ng 1 0 1 y\ng 1 5 1 z\n")])
    assert corpus.hypotheses["text"].to_list() == ["x"]
    assert any("2 words left out" in note for note in notes)


def test_ctm_against_ctm_and_stm_against_stm(write: Write) -> None:
    ctm = write("r.ctm", "f 1 0 1 a\nf 1 1 1 b\n")
    corpus, _ = read_corpus(ctm, [write("h.ctm", "f 1 0 2 c\n")])
    assert corpus.references["text"].to_list() == ["a b"]
    assert corpus.hypotheses["text"].to_list() == ["c"]
    hyp = write("h.stm", "f 1 x 1.00 2.00 late\nf 1 x 0 1 early\n")
    corpus, _ = read_corpus(write("r.stm", "f 1 x 0.0 1.0 a\nf 1 x 1.0 2.0 b\n"), [hyp])
    assert corpus.hypotheses["text"].to_list() == ["early", "late"]


TIMES = st.integers(0, 30)


@settings(deadline=None)
@given(st.lists(st.tuples(TIMES, st.integers(1, 9)), min_size=1, max_size=8), TIMES)
def test_locate_agrees_with_looking_at_every_span(spans: list[tuple[int, int]], time: int) -> None:
    frame = pl.DataFrame(
        {"begin": [b for b, _ in spans], "end": [b + length for b, length in spans]},
        schema={"begin": pl.Float64, "end": pl.Float64},
    )
    inside, nearest = (int(rows[0]) for rows in locate(np.array([float(time)]), frame))
    gaps = [max(begin - time, time - begin - length, 0) for begin, length in spans]
    holding = [n for n, (begin, length) in enumerate(spans) if begin <= time < begin + length]
    assert (inside in holding) if holding else inside == -1
    assert gaps[nearest] == min(gaps)
