"""The table of words: what readers fill it with, and what is computed from it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from misword.core.types import Corpus
from misword.io.transcripts.read import read_corpus, read_transcript
from misword.io.transcripts.words import (
    COLUMNS,
    complete_words,
    confidences_of,
    has_confidences,
    segments_of,
    texts_of,
    word_table,
)

Write = Callable[[str, str | bytes], Path]


@given(st.lists(st.text(st.sampled_from("ab \t\x1c\x85\u2028\u3000é"), max_size=6), max_size=8))
def test_words_are_those_of_the_joined_text(values: list[str]) -> None:
    table = word_table(pl.DataFrame({"word": values}, schema={"word": pl.String}), "u")
    assert table["word"].to_list() == " ".join(values).split()
    assert table["place"].to_list() == list(range(table.height))
    assert table.columns == list(COLUMNS)


def test_places_are_counted_in_each_utterance() -> None:
    rows = pl.DataFrame({"utt": ["a", "b", "a"], "word": ["x y", "z", "w"]})
    table = word_table(rows)
    assert table.select("recording", "utt", "place", "word").rows() == [
        ("a", "a", 0, "x"), ("a", "a", 1, "y"), ("b", "b", 0, "z"), ("a", "a", 2, "w"),
    ]  # fmt: skip
    assert texts_of(table).rows() == [("a", "x y w"), ("b", "z")]


def test_segments_have_times_and_the_speaker_of_all_their_words() -> None:
    rows = pl.DataFrame(
        {
            "word": ["a", "b", "c", "d"],
            "segment": [0, 0, 1, 1],
            "speaker": ["x", "x", "x", "y"],
            "begin": [1.0, None, 3.0, 4.0],
            "end": [1.5, 2.5, None, None],
        }
    )
    found = segments_of(word_table(rows, "call")).drop("utt", "channel")
    assert found.rows() == [
        ("call", 0, 0, 2, "x", 1.0, 2.5, "a b"),
        ("call", 1, 2, 2, None, 3.0, None, "c d"),
    ]


def test_a_plain_text_has_no_table_until_it_is_asked_for(write: Write) -> None:
    corpus, _ = read_corpus(write("r.txt", "a b\n\nc\n"), write("h.txt", "a\nb\nc d\n"))
    assert corpus.words is None
    whole = complete_words(corpus).words
    assert whole is not None
    assert whole.select("system", "recording", "utt", "place", "word").rows() == [
        ("", "1", "1", 0, "a"), ("", "1", "1", 1, "b"), ("", "3", "3", 0, "c"),
        ("h", "1", "1", 0, "a"), ("h", "2", "2", 0, "b"),
        ("h", "3", "3", 0, "c"), ("h", "3", "3", 1, "d"),
    ]  # fmt: skip


def test_known_words_are_kept_when_the_table_is_completed(write: Write) -> None:
    corpus, _ = read_corpus(write("r.csv", "utt,text\nf-1,x y\n"), write("h.ctm", "f 1 2 1 x .5\n"))
    before = corpus.words_of("h")
    assert before is not None
    assert corpus.words_of("") is None
    completed = complete_words(corpus)
    after = completed.words_of("h")
    assert after is not None
    assert after.equals(before)
    assert completed.words_of("") is not None


def test_confidences_are_lists_of_the_best_hypotheses(write: Write) -> None:
    lines = [{"id": "1", "text": "a b", "confidences": [0.5, None]}, {"id": "2", "text": ""}]
    corpus, _ = read_corpus(
        write("r.csv", "utt,text\n1,a b\n2,c\n"),
        write("h.jsonl", "\n".join(map(json.dumps, lines))),
    )
    assert has_confidences(corpus)
    assert confidences_of(corpus, corpus.hypotheses).to_list() == [[0.5, None], None]
    plain = Corpus(corpus.references, corpus.hypotheses)
    assert not has_confidences(plain)
    assert confidences_of(plain, plain.hypotheses).to_list() == [None, None]


def test_ids_that_differ_in_case_are_those_of_the_references(write: Write) -> None:
    references = write("r.ctm", "CALL A 0 1 x\n")
    corpus, _ = read_corpus(references, write("h.ctm", "call a 0 1 y 0.5\n"))
    words = corpus.words_of("h")
    assert words is not None
    assert words["utt"].to_list() == corpus.references["utt"].to_list() == ["CALL-A"]


def test_words_of_ctm_in_segments_have_the_ids_of_the_segments(write: Write) -> None:
    references = read_transcript(write("r.stm", "f 1 s 0 2 a\nf 1 s 2 4 b\n"), role="reference")
    ctm = write("h.ctm", "f 1 0 1 x 0.5\nf 1 3 1 y 0.7\n")
    found = read_transcript(ctm, role="hypothesis", references=references)
    assert found.words is not None
    assert found.words.select("recording", "utt", "place", "begin", "confidence").rows() == [
        ("f", "f-1-0.0-2.0", 0, 0.0, 0.5), ("f", "f-1-2.0-4.0", 0, 3.0, 0.7),
    ]  # fmt: skip
