"""Plateaus along a line against brute force with exact fractions, and against scores."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from misword.asr.metrics.rates import WER
from misword.asr.nbest.features import FeatureLists, upper_envelopes
from misword.asr.nbest.weight_search import Changes, Plateaus, best_stretch, stretch_at

NUMBERS = st.integers(-6, 6)  # few values, so that lines are often equal, parallel or concurrent
LINES = st.lists(st.tuples(NUMBERS, NUMBERS, st.integers(0, 3)), min_size=1, max_size=8)


def make(lists: list[list[tuple[int, int, int]]]) -> FeatureLists:
    """Lists whose features are an intercept and a slope, and whose errors are of 10 words."""
    rows = np.array([line for lines in lists for line in lines], np.float64)
    offsets = np.concatenate([[0], np.cumsum([len(lines) for lines in lists])]).astype(np.int64)
    terms = np.stack([rows[:, 2].astype(np.int64), np.full(len(rows), 10)], axis=1)
    return FeatureLists(np.ascontiguousarray(rows[:, :2].T), offsets, terms, WER())


def brute_force(lists: list[list[tuple[int, int, int]]], t: Fraction) -> int:
    """The errors of the first of the highest lines of each list at t."""
    return sum(
        max(enumerate(lines), key=lambda item: (item[1][0] + t * item[1][1], -item[0]))[1][2]
        for lines in lists
    )


def crossings(lists: list[list[tuple[int, int, int]]]) -> list[Fraction]:
    """All positions at which two lines of a list cross."""
    return sorted({
        Fraction(a[0] - b[0], b[1] - a[1])
        for lines in lists for a in lines for b in lines if a[1] != b[1]
    })  # fmt: skip


@given(st.lists(LINES, min_size=1, max_size=5))
def test_plateaus_equal_brute_force(lists: list[list[tuple[int, int, int]]]) -> None:
    made = make(lists)
    plateaus = Changes.along(made, np.array([1.0, 0]), np.array([0.0, 1])).plateaus(made.terms)
    assert plateaus.sums.dtype == np.int64
    points = [Fraction(float(start)) for start in plateaus.starts[1:]]
    middles = [(a + b) / 2 for a, b in pairwise(points)]
    ends = [points[0] - 1, *middles, points[-1] + 1] if points else [Fraction(0)]
    assert plateaus.sums[:, 0].tolist() == [brute_force(lists, t) for t in ends]
    # No crossing that changes the errors is missed.
    known = crossings(lists)
    between = [(a + b) / 2 for a, b in pairwise(known)]
    for t in between:
        assert plateaus.sums_at(np.array([float(t)]))[0, 0] == brute_force(lists, t)


@pytest.mark.parametrize("seed", range(3))
def test_long_lists_equal_the_choice_by_scores(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 300, 20)
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    terms = rng.integers([0, 5], [5, 9], (int(offsets[-1]), 2))
    lists = FeatureLists(rng.normal(size=(3, len(terms))), offsets, terms, WER())
    weights, direction = rng.normal(size=(2, 3))
    plateaus = Changes.along(lists, weights, direction).plateaus(terms)
    for t in rng.normal(size=50) * 3:
        expected = terms[lists.choice(weights + t * direction)].sum(axis=0)
        assert plateaus.sums_at(np.array([t]))[0].tolist() == expected.tolist()


def test_hand_worked_list() -> None:
    """Scores 0, 1 + t, 2t of the errors 2, 0, 1: the second is the best from -1 to 1."""
    made = make([[(0, 0, 2), (1, 1, 0), (0, 2, 1)], [(5, 5, 1)]])
    plateaus = Changes.along(made, np.array([1.0, 0]), np.array([0.0, 1])).plateaus(made.terms)
    assert plateaus.starts.tolist() == [-np.inf, -1.0, 1.0]
    assert plateaus.sums[:, 0].tolist() == [3, 1, 2]
    best = best_stretch(plateaus, WER())
    assert (best.rate, best.low, best.high, best.middle) == (0.05, -1.0, 1.0, 0.0)
    assert stretch_at(plateaus, WER(), 5.0).low == 1.0


def test_the_widest_of_equally_good_stretches_is_taken() -> None:
    sums = np.array([[5, 10], [3, 10], [4, 10], [3, 10], [3, 10], [6, 10]])
    plateaus = Plateaus(np.array([-np.inf, -2.0, -1.9, 0.0, 0.5, 1.0]), sums)
    best = best_stretch(plateaus, WER())
    assert (best.low, best.high) == (0.0, 1.0)


def test_undefined_rates_are_never_the_best() -> None:
    plateaus = Plateaus(np.array([-np.inf, 0.0]), np.array([[0, 0], [1, 2]]))
    assert best_stretch(plateaus, WER()).low == 0.0


def test_what_the_kernel_refuses() -> None:
    one = np.zeros(1)
    for intercepts, slopes, offsets, problem in (
        (one, one, [0, 0, 1], "at least one line"),
        (one, np.zeros(2), [0, 1], "1 intercepts, 2 slopes"),
        (one, one, [], "offsets"),
        (one, one + np.nan, [0, 1], "finite"),
        (one + np.inf, one, [0, 1], "finite"),
    ):
        with pytest.raises(ValueError, match=problem):
            upper_envelopes(intercepts, slopes, np.array(offsets, np.int64))
