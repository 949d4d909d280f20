"""Phrases and compounds in texts: the kernels against direct Python code."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from misword.alignment.phrases import find_compounds, find_phrases
from misword.core.types import Tokens

Found = list[tuple[int, int, int, int]]
SIZE = 4
rows_of_words = st.lists(st.lists(st.integers(0, SIZE - 1), max_size=12), max_size=4)


def make_tokens(rows: list[list[int]], vocabulary: list[str]) -> Tokens:
    ids = np.array([word for row in rows for word in row], np.int32)
    return Tokens(ids, np.cumsum([0, *map(len, rows)], dtype=np.int64), vocabulary)


def listed(columns: tuple[np.ndarray, ...]) -> Found:
    return [(row, start, end, number) for row, start, end, number in np.array(columns).T.tolist()]


@given(rows_of_words, st.lists(st.lists(st.integers(0, SIZE - 1), max_size=4), max_size=30))
def test_phrases_are_those_of_direct_code(rows: list[list[int]], phrases: list[list[int]]) -> None:
    words = list("abcd")
    expected = [
        (number, start, start + len(phrase), phrase_number)
        for number, row in enumerate(rows)
        for start in range(len(row))
        for phrase_number, phrase in enumerate(phrases)
        if phrase and row[start : start + len(phrase)] == phrase
    ]
    found = find_phrases(make_tokens(rows, words), make_tokens(phrases, words))
    assert listed(found) == expected


@given(
    rows_of_words,
    st.lists(st.text("ab", max_size=5), min_size=SIZE, max_size=SIZE),
    st.sampled_from([0, 1, 2, 3, 4, None]),
)
def test_compounds_are_those_of_direct_code(
    rows: list[list[int]], letters: list[str], most: int | None
) -> None:
    expected = []
    for number, row in enumerate(rows):
        for start in range(len(row)):
            for end in range(start + 2, len(row) + 1):
                parts = [letters[word] for word in row[start:end]]
                spelled = "".join(parts)
                if all(parts) and spelled in letters and (most is None or len(parts) <= most):
                    expected.append((number, start, end, letters.index(spelled)))
    found = find_compounds(make_tokens(rows, letters), letters, most)
    assert listed(found) == expected


def test_more_occurrences_than_words() -> None:
    tokens = make_tokens([[0] * 400], ["a"])
    phrases = make_tokens([[0]] * 5, ["a"])
    found = find_phrases(tokens, phrases)
    assert len(found.row) == 2000
    assert (found.end == found.start + 1).all()


def test_many_compounds() -> None:
    """Words of all lengths up to 40: every sequence that is not too long is a compound."""
    letters = ["x" * (size + 1) for size in range(40)]
    found = find_compounds(make_tokens([[0] * 100], letters), letters, None)
    assert len(found.row) == sum(min(39, 99 - start) for start in range(100))
    assert (found.number == found.end - found.start - 1).all()


def test_letters_of_other_scripts() -> None:
    words = ["über", "mut", "übermut", "Übermut", "日", "本", "日本"]
    tokens = make_tokens([[0, 1], [3], [4, 5, 4]], words)
    found = find_compounds(tokens, [word.lower() for word in words])
    assert listed(found) == [(0, 0, 2, 2), (2, 0, 2, 6)]


def test_a_large_vocabulary() -> None:
    """Hashes of many words: no compound is missed, and none is invented."""
    words = [f"{number:04d}" for number in range(5000)] + [
        f"{a:04d}{b:04d}" for a, b in pairwise(range(0, 5000, 7))
    ]
    tokens = make_tokens([list(range(0, 5000, 7))], words)
    found = find_compounds(tokens, words)
    assert found.number.tolist() == list(range(5000, len(words)))
    assert (found.end - found.start == 2).all()


def test_no_words() -> None:
    nothing = make_tokens([], [])
    assert listed(find_phrases(nothing, nothing)) == []
    assert listed(find_compounds(nothing, [])) == []


def test_arguments_are_checked() -> None:
    left, right = make_tokens([[0, 1]], ["a", "b"]), make_tokens([[0]], ["a"])
    with pytest.raises(ValueError, match="share a vocabulary"):
        find_phrases(left, right)
    with pytest.raises(ValueError, match="token ids"):
        find_phrases(make_tokens([[2]], ["a", "b"]), left)
    with pytest.raises(ValueError, match="a string without NUL for each word"):
        find_compounds(left, ["a"])
    with pytest.raises(ValueError, match="a string without NUL for each word"):
        find_compounds(left, ["a", "b\0"])
