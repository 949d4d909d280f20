"""Runs of words that a family reads."""

from __future__ import annotations

import numpy as np

from misword.asr.forgiving.spans import find_runs
from misword.core.types import Tokens
from misword.text.writing import BETWEEN, MAKES_RUN, WITHIN_RUN

WORDS = ["house", "five", "dollars", "to"]
KINDS = np.array([0, MAKES_RUN, WITHIN_RUN, BETWEEN], np.uint8)


def runs(*texts: str) -> list[tuple[int, str]]:
    """Return the row and the words of each run."""
    rows = [[WORDS.index(word) for word in text.split()] for text in texts]
    ids = np.array([word for row in rows for word in row], np.int32)
    tokens = Tokens(ids, np.cumsum([0, *map(len, rows)]), WORDS)
    found = find_runs(tokens, KINDS)
    return [
        (row, " ".join(WORDS[word] for word in ids[start : start + size]))
        for row, start, size in zip(*(column.tolist() for column in found), strict=True)
    ]


def test_a_run_has_a_word_that_makes_it() -> None:
    assert runs("house five dollars house dollars", "dollars to dollars") == [(0, "five dollars")]


def test_a_run_ends_with_its_row() -> None:
    assert runs("dollars five", "five dollars") == [(0, "dollars five"), (1, "five dollars")]


def test_words_between_others_are_at_no_end_of_a_run() -> None:
    assert runs("to to five to five to house") == [(0, "five to five")]
    assert runs("five to", "to five") == [(0, "five"), (1, "five")]


def test_words_between_others_make_no_run() -> None:
    assert runs("to", "to dollars to", "house to house", "") == []
