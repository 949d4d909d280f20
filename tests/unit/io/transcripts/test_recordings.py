"""References and hypotheses of the same recordings that are divided differently."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import misword
from misword.core.errors import MismatchError, OptionError
from misword.core.types import Segments
from misword.io.transcripts.read import read_corpus

Write = Callable[[str, str | bytes], Path]

STM = """call 1 ann 0 1 good morning
call 1 bob 1 2 hello there
late 1 ann 0 1 so long
"""
NLP = """token|speaker|ts|endTs
good|ann|0.0|0.4
morning|ann|0.5|0.9
hello|bob|1.2|1.5
there|bob|1.6|1.9
"""
WHOLE = "id,text\ncall,good morning hello dear\nlate,so long\n"
TURNS = [
    ("call-1-0.0-1.0", "good morning"),
    ("call-1-1.0-2.0", "hello there"),
    ("late-1-0.0-1.0", "so long"),
]


def test_segments_of_a_reference_are_kept(write: Write) -> None:
    corpus, notes = read_corpus(write("r.stm", STM), write("h.csv", WHOLE))
    assert corpus.references.select("utt", "text").rows() == TURNS
    assert corpus.references["recording"].to_list() == ["call", "call", "late"]
    assert corpus.hypotheses["utt"].to_list() == ["call", "late"]
    assert corpus.segments == Segments("transfer")
    assert notes == ("2 recordings cut into 3 segments by alignment (--segments as-they-are: not "
                     "cut)",)  # fmt: skip
    scores = misword.score(corpus, metrics="wer")
    assert scores.texts()["hypothesis"].to_list() == ["good morning", "hello dear", "so long"]
    assert "speaker" in scores.metadata


def test_turns_of_whole_recordings_are_segments(write: Write) -> None:
    corpus, notes = read_corpus(write("r/call.nlp", NLP).parent, write("h/call.nlp", NLP).parent)
    frame = corpus.references
    assert frame.select("utt", "speaker", "turn", "begin", "end", "text").rows() == [
        ("call-001", "ann", 1, 0.0, 0.9, "good morning"),
        ("call-002", "bob", 2, 1.2, 1.9, "hello there"),
    ]
    assert "1 recording cut into 2 turns" in notes[0]
    words = corpus.words_of("")
    assert words is not None
    assert words.select("utt", "place").rows() == [
        ("call-001", 0), ("call-001", 1), ("call-002", 0), ("call-002", 1)
    ]  # fmt: skip
    as_they_are, notes = read_corpus(
        write("r/call.nlp", NLP), write("h/call.nlp", NLP), segments="as-they-are"
    )
    assert as_they_are.references["text"].to_list() == ["good morning hello there"]
    assert notes == ()


def test_other_segments_of_hypotheses_are_joined_in_their_order(write: Write) -> None:
    rows = (
        "id,recording,begin,text\n2,call,5,hello there\n1,call,0,good morning\n3,late,0,so long\n"
    )
    corpus, _ = read_corpus(write("r.stm", STM), write("h.csv", rows))
    assert corpus.hypotheses["text"].to_list() == ["good morning hello there", "so long"]


def test_segments_may_be_joined(write: Write) -> None:
    corpus, notes = read_corpus(write("r.stm", STM), write("h.csv", WHOLE), segments="recording")
    assert notes == ("3 segments joined into 2 recordings",)
    scores = misword.score(corpus, metrics="wer")
    assert scores.table["utt"].to_list() == ["call", "late"]


def test_lines_are_one_recording_only_if_that_is_asked_for(write: Write) -> None:
    files = write("r.txt", "a b\nc d\n"), write("h.txt", "a b c\nd\ne\n")
    with pytest.raises(MismatchError, match="2 utterances"):
        read_corpus(*files)
    corpus, _ = read_corpus(*files, segments="transfer")
    assert corpus.hypotheses["text"].to_list() == ["a b c d e"]


def test_the_same_ids_are_paired_as_they_are(write: Write) -> None:
    corpus, notes = read_corpus(write("r.stm", STM), write("h.stm", STM))
    assert corpus.segments is None
    assert notes == ()


def test_recordings_that_one_side_lacks(write: Write) -> None:
    references, hypotheses = write("r.stm", STM), write("h.csv", "id,text\ncall,good\nother,x\n")
    with pytest.raises(MismatchError, match=r"lacks 'late'.*lacks 'other'"):
        read_corpus(references, hypotheses)
    corpus, notes = read_corpus(references, hypotheses, missing="skip")
    assert corpus.references["recording"].to_list() == ["call", "call"]
    assert "h: 1 recording without a reference left out: 'other'" in notes
    assert "h: 1 recording without a hypothesis left out: 'late'" in notes
    corpus, notes = read_corpus(references, hypotheses, missing="delete")
    assert misword.score(corpus, metrics="wer")["wer"] == pytest.approx(5 / 6)
    assert "h: 1 recording without a hypothesis counted as deletions: 'late'" in notes


def test_recordings_must_be_known(write: Write) -> None:
    references, hypotheses = write("r.csv", "id,text\n1,a\n2,b\n"), write("h.stm", STM)
    with pytest.raises(MismatchError, match="recordings of the two sides are not known") as caught:
        read_corpus(references, hypotheses, segments="transfer")
    assert "recording" in str(caught.value.fix)
    with pytest.raises(OptionError, match="unknown segments"):
        read_corpus(references, hypotheses, segments="cut")  # type: ignore[arg-type]


def test_sidecars_belong_to_recordings(write: Write) -> None:
    nlp = "token|speaker|tags|wer_tags\nin|a||\n2020|a|['0:YEAR']|['1']\nyes|b||\n"
    reference = write("r/call.nlp", nlp).parent
    forms = '{"0": {"candidates": [{"verbalization": ["twenty", "twenty"]}]}}'
    kinds = '{"1": {"entity_type": "YEAR"}}'
    corpus, _ = read_corpus(
        reference,
        write("h/call.txt", "in twenty twenty yes\n").parent,
        alternatives_from=write("norm/call.norm.json", forms).parent,
        tags_from=write("tags/call.wer_tag.json", kinds).parent,
    )
    assert corpus.references["text"].to_list() == ["in { 2020 / twenty twenty }", "yes"]
    scores = misword.score(corpus, metrics="wer", entities="tags")
    assert scores["wer"] == 0
    assert scores.texts()["hypothesis"].to_list() == ["in twenty twenty", "yes"]
