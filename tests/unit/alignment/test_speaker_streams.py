"""Streams of words of speakers: assignment, limits of time, segments of streams."""

from __future__ import annotations

from itertools import chain, permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from misword.alignment.speaker_streams import TimedTokens, assign, assign_segments, count_timed
from misword.core.types import Tokens, offsets_of

WORDS = 5
texts = st.lists(st.integers(0, WORDS - 1), max_size=7)


def tokens_of(rows: list[list[int]], words: int = WORDS) -> Tokens:
    ids = np.array(list(chain.from_iterable(rows)), np.int32)
    return Tokens(ids, offsets_of([len(row) for row in rows]), [str(n) for n in range(words)])


def edit_distance(a: list[int], b: list[int], allowed: Any = None) -> int:
    table = np.zeros((len(a) + 1, len(b) + 1), np.int64)
    table[0], table[:, 0] = np.arange(len(b) + 1), np.arange(len(a) + 1)
    for i, j in product(range(len(a)), range(len(b))):
        table[i + 1, j + 1] = min(table[i, j + 1], table[i + 1, j]) + 1
        if allowed is None or allowed(i, j):
            table[i + 1, j + 1] = min(table[i + 1, j + 1], table[i, j] + (a[i] != b[j]))
    return int(table[-1, -1])


@given(st.integers(1, 5).flatmap(
    lambda n: st.lists(st.lists(st.integers(0, 9), min_size=n, max_size=n), min_size=n, max_size=n)
))  # fmt: skip
def test_no_assignment_costs_less(rows: list[list[int]]) -> None:
    costs = np.array(rows, np.float64)
    found, numbers = assign(costs), range(len(costs))
    assert sorted(found.tolist()) == list(numbers)
    least = min(sum(costs[i, p[i]] for i in numbers) for p in permutations(numbers))
    assert costs[np.arange(len(costs)), found].sum() == least


def test_an_empty_matrix_has_an_empty_assignment() -> None:
    assert assign(np.zeros((0, 0))).tolist() == []


timed = st.lists(
    st.tuples(st.integers(0, WORDS - 1), st.integers(0, 12), st.integers(0, 4)), max_size=8
)


@given(timed, timed, st.booleans())
def test_only_words_at_one_time_are_aligned(
    said: list[tuple[int, int, int]], heard: list[tuple[int, int, int]], in_order: bool
) -> None:
    if in_order:
        said, heard = sorted(said, key=lambda w: w[1]), sorted(heard, key=lambda w: w[1])

    def side(words: list[tuple[int, int, int]]) -> TimedTokens:
        begin = np.array([w[1] for w in words], np.float64)
        return TimedTokens(tokens_of([[w[0] for w in words]]), begin, begin + [w[2] for w in words])

    def overlap(i: int, j: int) -> bool:
        (_, a, long), (_, b, wide) = said[i], heard[j]
        return a < b + wide and b < a + long

    (counts,) = count_timed(side(said), side(heard), np.array([[0, 0]]))
    hits, substitutions, insertions, deletions = counts.tolist()
    expected = edit_distance([w[0] for w in said], [w[0] for w in heard], overlap)
    assert substitutions + insertions + deletions == expected
    assert hits + substitutions + deletions == len(said)
    assert hits + substitutions + insertions == len(heard)
    assert min(counts) >= 0


def test_without_limits_of_time_the_counts_are_those_of_all_words() -> None:
    said, heard = [0, 1, 2, 3, 4], [0, 2, 2, 4]

    def side(words: list[int]) -> TimedTokens:
        ends = np.full(len(words), np.inf)
        return TimedTokens(tokens_of([words]), -ends, ends)

    assert count_timed(side(said), side(heard), np.array([[0, 0]])).tolist() == [[3, 1, 0, 1]]


@given(st.lists(texts, min_size=1, max_size=5), st.lists(texts, min_size=1, max_size=3), st.data())
def test_segments_have_the_distance_of_their_streams(
    segments: list[list[int]], streams: list[list[int]], data: st.DataObject
) -> None:
    numbers = st.integers(0, len(streams) - 1)
    initial = data.draw(st.lists(numbers, min_size=len(segments), max_size=len(segments)))
    found, distance = assign_segments(tokens_of(segments), tokens_of(streams), np.array(initial))

    def total(assignment: list[int]) -> int:
        given: list[list[int]] = [[] for _ in streams]
        for stream, segment in zip(assignment, segments, strict=True):
            given[stream].extend(segment)
        return sum(edit_distance(a, b) for a, b in zip(given, streams, strict=True))

    assert distance == total(found.tolist())
    best = min(total(list(each)) for each in product(range(len(streams)), repeat=len(segments)))
    assert best <= distance


def test_a_stream_of_several_words_of_64_bits() -> None:
    rows = np.random.default_rng(1).permutation(360).reshape(40, 9).tolist()
    streams = [list(chain.from_iterable(rows[first::2])) for first in (0, 1)]
    found, distance = assign_segments(
        tokens_of(rows, 360), tokens_of(streams, 360), np.zeros(40, np.int64)
    )
    assert distance == 0
    assert found.tolist() == [0, 1] * 20


@pytest.mark.parametrize("initial", [[0], [0, 2], [0, -1]])
def test_each_segment_needs_a_stream(initial: list[int]) -> None:
    with pytest.raises(ValueError, match="number of a stream"):
        assign_segments(tokens_of([[0], [1]]), tokens_of([[0], [1]]), np.array(initial))
