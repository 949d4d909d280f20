"""Hypotheses that look made up or stuck, and hypotheses that do not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import misword
from misword.asr.checking.suspicious import LONGEST, looped_words, repeated_words
from misword.report.article import Article
from misword.report.sections.utterances import FLAGGED
from misword.text.tokens import encode_lists

ENGLISH = "it was the best of times and it was the worst of times for all of them"
words = st.lists(st.sampled_from("ab"), max_size=24)


def flags(reference: str, hypothesis: str, **options: Any) -> list[tuple[str, int]]:
    scores = misword.score([reference], [hypothesis], "wer", **options)
    return scores.records["flagged"].select("flag", "words").rows()


def repeated_by_hand(row: list[str]) -> int:
    """Mark each place that lies in a loop after the first occurrence of the phrase."""
    marked: set[int] = set()
    for size in range(1, LONGEST + 1):
        times = 6 if size == 1 else 3
        for start in range(len(row)):
            block = row[start : start + size * times]
            if len(block) == size * times and block == block[:size] * times:
                marked.update(range(start + size, start + size * times))
    return len(marked)


@given(st.lists(words, min_size=1, max_size=5))
def test_repeated_words_are_those_of_a_plain_search(rows: list[list[str]]) -> None:
    assert repeated_words(encode_lists(rows)).tolist() == [repeated_by_hand(row) for row in rows]


def test_a_loop_does_not_go_on_in_the_next_text() -> None:
    assert repeated_words(encode_lists([["a", "b", "a", "b"], ["a", "b"]])).tolist() == [0, 0]


def test_what_was_said_is_no_loop() -> None:
    said = encode_lists([["no"] * 7, ["no"] * 7])
    assert looped_words((said, said), np.array([[0, 1]])).tolist() == [0]


@pytest.mark.parametrize(
    ("reference", "hypothesis", "expected"),
    [
        ("we go home now", "we go home now we go home now we go home now", [("loop", 8)]),
        ("I see", "Thank you. thank you, Thank you!", [("loop", 4)]),
        ("no no no no no no", "no no no no no no no", []),
        ("you know you know it", "you know you know you know it", []),
        ("a b", "a c d e f g h i j k l b", [("burst", 10)]),
        ("a b", "a c d e f g h i j k b", []),
        ("oh", "a b c d e f g h i j k l m n o p", [("burst", 15), ("long", 16)]),
        ("", "a b c d e f g h i j k l m n o", [("burst", 15), ("long", 15)]),
        ("one two three", "", [("empty", 3)]),
        ("one two", "", []),
        ("", "", []),
        ("good morning to you", "доброе утро вам", [("script", 3)]),
        ("привет всем", "привет всем", []),
    ],
)  # fmt: skip
def test_flags(reference: str, hypothesis: str, expected: list[tuple[str, int]]) -> None:
    assert flags(reference, hypothesis) == expected


def test_another_language_is_flagged() -> None:
    french = "il est dans la maison avec les enfants et le chien"
    assert flags(ENGLISH, french, lang="en") == [("language", 11)]
    assert flags(french, french, lang="en") == []


def test_the_language_of_the_references_is_recognised() -> None:
    references = [ENGLISH] * 5
    hypotheses = [*references[:4], "il est dans la maison avec les enfants et le chien"]
    table = misword.score(references, hypotheses, "wer").records["flagged"]
    assert table.select("utt", "flag").rows() == [("5", "language")]


def test_a_note_counts_the_flags_and_the_table_is_stored(tmp_path: Path) -> None:
    scores = misword.score(["a b c", "d e f"], {"x": ["", "d e f"], "y": ["", ""]}, "wer")
    (note,) = (note for note in scores.notes if "made up" in note)
    assert note.startswith("3 of 4 hypotheses look made up or stuck (empty 3)")
    scores.save(tmp_path / "saved")
    stored = misword.load(tmp_path / "saved").records["flagged"]
    assert stored.equals(scores.records["flagged"])
    assert stored.columns == ["utt", "system", "rank", "flag", "words", "reference", "hypothesis"]


def test_only_the_best_hypotheses_of_lists_are_flagged() -> None:
    references = pl.DataFrame({"utt": ["1"], "text": ["a b c"]})
    lists = pl.DataFrame(
        {"utt": ["1", "1"], "system": ["x", "x"], "rank": [1, 2], "text": ["a b c", ""]}
    )
    corpus = misword.Corpus(references, lists.with_columns(score=pl.lit(0.0)))
    assert misword.score(lambda: corpus, metrics="wer").records["flagged"].is_empty()


def test_the_section_of_the_report() -> None:
    result = misword.score(["a b c"], {"<i>": [""]}, "wer").result(bootstrap=0)
    shown = FLAGGED.make(Article.of("r0", result))
    assert "&lt;i&gt;" in shown
    assert "empty" in shown
    sound = misword.score(["a b c"], ["a b c"], "wer").result(bootstrap=0)
    assert FLAGGED.make(Article.of("r0", sound)) == ""


def test_the_metric_counts_words_of_loops() -> None:
    scores = misword.score(["a b c d", "x y"], ["a b a b a b c d", "x y"], "loops")
    assert scores["loops"] == 4 / 6
    assert "loops: 1 of 2 hypotheses have loops" in scores.notes
