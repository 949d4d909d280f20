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
from misword.io.transcripts.formats.nist import assign, spans_at
from misword.io.transcripts.pairing import Transcript
from misword.io.transcripts.read import read_corpus, read_transcript

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
        ("f 1 0 1 two words", "'words' after the word"),
        ("f 1 0 1 twenty 5 people", "'people' after the word"),
        ("f 1 0 1 w 0.9f 1 1 1 v", "'0.9f' after the word"),
        ("f 1 0 1 w 0.9 lex anna f 1 1 1 v", "'f 1 1 1 v' after the word"),
        ("f 1 * * <ALT_BEGIN>", "<ALT_BEGIN> does not belong to a complete group"),
        ("f 1 * * <ALT>", "<ALT> does not belong"),
        ("f 1 * * <alt_end>", "<ALT_END> does not belong"),
        ("f 1 * * <ALT_BEGIN>\nf 2 * * <ALT_END>", "<ALT_END> does not belong"),
        ("f 1 * * <ALT_BEGIN>\nf 1 * * <ALT_BEGIN>", "<ALT_BEGIN> does not belong"),
        ("f 1 * * <ALT_BEGIN>\nf 2 0 1 w\nf 1 * * <ALT_END>", "<ALT_BEGIN> does not belong"),
    ],
)
def test_bad_ctm(write: Write, line: str, match: str) -> None:
    path = write("a.ctm", f"f 1 0 1 fine\n{line}\n")
    with pytest.raises(InputError, match=match) as caught:
        read(path)
    assert caught.value.where in (f"{path}:2", f"{path}:3")


def test_unknown_confidences_types_and_speakers_of_ctm(write: Write) -> None:
    path = write("a.ctm", "f 1 0 1 a NA lex NA\nf 1 1 1 b 1 <NA> anna\nf 1 2 1 c - un-lex\n")
    words = read_transcript(path, role="hypothesis").words
    assert words is not None
    assert words["confidence"].to_list() == [None, 1.0, None]
    assert words["speaker"].to_list() == [None, "anna", None]
    assert words.select("recording", "utt", "channel", "begin", "end", "word").rows()[1] == (
        *("f", "f-1", "1", 1.0, 2.0), "b",
    )  # fmt: skip


def test_alternatives_of_ctm(write: Write) -> None:
    # The groups are from SCTK's src/sclite/testdata/tima_ref.ctm.
    path = write(
        "a.txt",
        "5555 A 22.60 0.19 THAT'S\n5555 A * * <ALT_BEGIN>\n5555 A 22.80 0.17 INTEREST-\n"
        "5555 A * * <ALT>\n5555 A * * <ALT_END>\n5555 A 23.00 -0.01 YEAH\n5555 A 23 1 @\n"
        "5555 A * * <ALT_BEGIN>\n5555 A 222.77 0.32 BYEBYE\n5555 A * * <ALT>\n"
        "5555 A 222.78 0.12 BYE\n5555 A 222.93 0.16 BYE\n5555 A * * <ALT_END>\n",
    )
    found = read(path)
    assert found.format == "ctm"
    text = "THAT'S { INTEREST- / @ } YEAH { BYEBYE / BYE BYE }"
    assert found.frame["text"].to_list() == [text]


def test_a_group_of_one_or_no_alternative_is_plain(write: Write) -> None:
    path = write("a.ctm", "f 1 * * <ALT_BEGIN>\nf 1 0.5 1 a\nf 1 * * <ALT_END>\nf 1 2 1 b\n")
    assert read(path).frame["text"].to_list() == ["a b"]


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


def test_words_between_segments_go_to_the_next(write: Write) -> None:
    words, notes = placed(write, "f 1 6.1 0.2 c\nf 1 90 1 late\ng 1 5 1 g\n")
    assert words == ["", "", "c late", "g"]
    assert not any("left out" in note for note in notes)


def test_words_before_an_ignored_segment_are_ignored_as_in_sclite(write: Write) -> None:
    stm = write("r.stm", f"f 1 a 0 1 x\nf 1 - 2 3 {IGNORE}\nf 1 a 4 5 y\n")
    corpus, notes = read_corpus(stm, [write("h.ctm", "f 1 0 1 x\nf 1 1.5 0.1 z\nf 1 4 1 y\n")])
    assert corpus.hypotheses["text"].to_list() == ["x", "y"]
    assert any("1 word left out" in note for note in notes)


def test_a_group_of_alternatives_goes_to_one_segment_by_its_last_middle(write: Write) -> None:
    group = "f 1 * * <ALT_BEGIN>\nf 1 1.0 0.2 a\nf 1 * * <ALT>\nf 1 {} 0.2 b\nf 1 * * <ALT_END>\n"
    stm = write("r.stm", "f 1 a 0 2 x\nf 1 a 2 3 y\n")
    corpus, _ = read_corpus(stm, [write("h.ctm", group.format("1.5"))])
    assert corpus.hypotheses["text"].to_list() == ["{ a / b }", ""]
    corpus, _ = read_corpus(stm, [write("h.ctm", group.format("1.9"))])
    assert corpus.hypotheses["text"].to_list() == ["", "{ a / b }"]


def test_names_of_recordings_that_differ_in_case(write: Write) -> None:
    stm = write("r.stm", "2347 a 2347-a 0 1 x\n2347 b 2347-b 0 1 y\n")
    corpus, _ = read_corpus(stm, [write("h.ctm", "2347 A 0 0.5 x\n2347 B 0 0.5 y\n")])
    assert corpus.hypotheses["text"].to_list() == ["x", "y"]
    stm = write("r.stm", "f a s 0 1 x\nf A s 0 1 y\n")  # both exist: each has its own words
    corpus, _ = read_corpus(stm, [write("h.ctm", "f A 0 0.5 y\nf a 0 0.5 x\n")])
    assert corpus.hypotheses["text"].to_list() == ["x", "y"]


def test_overlapping_segments_give_a_note(write: Write) -> None:
    stm = write("r.stm", "f 1 ann 0 4 a b c\nf 1 bob 1.5 3 d e\n")
    ctm = write("h.ctm", "f 1 0 1 a\nf 1 1.6 0.2 d\nf 1 1.8 0.4 b\nf 1 2.5 0.4 e\nf 1 3.5 0.4 c\n")
    _, notes = read_corpus(stm, [ctm])
    assert any("3 words at times where segments of the reference overlap" in note for note in notes)
    touching = write("t.stm", "f 1 ann 0 2 a\nf 1 bob 2 4 d\n")
    assert not any("overlap" in note for note in read_corpus(touching, [ctm])[1])


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


SPANS = st.lists(st.tuples(TIMES, st.integers(1, 9)), min_size=1, max_size=8)


@settings(deadline=None)
@given(SPANS, st.lists(TIMES, min_size=1))
def test_words_are_assigned_one_by_one(spans: list[tuple[int, int]], times: list[int]) -> None:
    frame = pl.DataFrame(
        [(float(b), float(b + length), n) for n, (b, length) in enumerate(sorted(spans))],
        schema={"begin": pl.Float64, "end": pl.Float64, "segment": pl.Int64},
        orient="row",
    )
    middles = np.array(sorted(times), np.float64)
    segment, expected = 0, []
    for middle in middles:  # sclite's loop: a segment takes words until it has ended
        while segment < len(spans) - 1 and middle >= frame["end"][segment]:
            segment += 1
        expected.append(segment)
    assert assign(middles, frame).tolist() == expected
    holding = [sum(b <= time < b + length for b, length in spans) for time in sorted(times)]
    assert spans_at(middles, frame).tolist() == holding
