"""The choice with the lowest corpus rate: compared with all possible choices."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from misword.asr.metrics.rates import WIL
from misword.asr.nbest.choice import highest_ratio, is_exact, lowest_on_hull, lowest_ratio
from misword.asr.nbest.lists import HypothesisLists
from misword.core.types import Statistics
from misword.stat.measure import ratio_of_terms

Lists = list[list[tuple[int, int]]]
# Hits and further steps of each hypothesis, in up to four lists of up to five.
hypotheses = st.tuples(st.integers(0, 6), st.integers(0, 6))
drawn_lists = st.lists(st.lists(hypotheses, min_size=1, max_size=5), min_size=1, max_size=4)


def as_lists(drawn: Lists) -> HypothesisLists:
    return HypothesisLists.of(np.concatenate([np.arange(1, len(one) + 1) for one in drawn]))


def flat(drawn: Lists) -> NDArray[np.int64]:
    return np.array([pair for one in drawn for pair in one])


def all_choices(lists: HypothesisLists) -> list[list[int]]:
    return [list(rows) for rows in product(*(range(lo, hi) for lo, hi in pairwise(lists.offsets)))]


def wil(sums: Statistics) -> float:
    return float(WIL().rate(np.asarray(sums)))


@given(drawn_lists)
@settings(max_examples=300)
def test_quotients_have_the_lowest_and_the_highest_rate_of_all_choices(drawn: Lists) -> None:
    lists, pairs = as_lists(drawn), flat(drawn)
    terms = np.column_stack([pairs[:, 1], pairs.sum(axis=1)])  # errors and steps, as in MER
    rates = [float(ratio_of_terms(terms[rows].sum(axis=0))) for rows in all_choices(lists)]
    defined = [rate for rate in rates if not np.isnan(rate)]
    for found, expected in (
        (lowest_ratio(lists, terms), min(defined, default=np.nan)),
        (highest_ratio(lists, terms), max(defined, default=np.nan)),
    ):
        rate = float(ratio_of_terms(terms[found.first].sum(axis=0)))
        if not np.isnan(rate):
            assert rate == pytest.approx(expected)


@given(drawn_lists)
@settings(max_examples=200)
def test_any_of_the_ties_of_a_quotient_gives_the_same_rate(drawn: Lists) -> None:
    lists, pairs = as_lists(drawn), flat(drawn)
    terms = np.column_stack([pairs[:, 1], pairs.sum(axis=1) + 1])
    tied = lowest_ratio(lists, terms)
    rows = [tied.rows[lo:hi].tolist() for lo, hi in pairwise(tied.offsets)]
    rates = {
        round(float(ratio_of_terms(terms[list(one)].sum(axis=0))), 12) for one in product(*rows)
    }
    assert len(rates) == 1
    lowest = min(float(ratio_of_terms(terms[one].sum(axis=0))) for one in all_choices(lists))
    best = {tuple(one) for one in all_choices(lists)
            if float(ratio_of_terms(terms[one].sum(axis=0))) < lowest + 1e-12}  # fmt: skip
    assert best == set(product(*rows))


@given(drawn_lists, st.integers(1, 8))
@settings(max_examples=300)
def test_wil_has_the_lowest_rate_of_all_choices(drawn: Lists, words: int) -> None:
    lists, pairs = as_lists(drawn), flat(drawn)
    hits = np.minimum(pairs[:, 0], words)
    terms = np.column_stack([hits, np.full(len(hits), words), hits + pairs[:, 1]])
    assert is_exact(lists, terms)
    found = lowest_on_hull(lists, terms, WIL().rate)
    expected = min(wil(terms[rows].sum(axis=0)) for rows in all_choices(lists))
    assert wil(terms[found.first].sum(axis=0)) == pytest.approx(expected)


def test_the_hypothesis_with_the_lowest_own_rate_is_not_always_in_the_best_choice() -> None:
    lists = HypothesisLists.of(np.array([1, 1, 2]))
    # MER: 0 of 10; then 1 of 2 (50 %) or 6 of 16 (37.5 %): 1 / 12 is less than 6 / 26.
    terms = np.array([[0, 10], [1, 2], [6, 16]])
    assert lowest_ratio(lists, terms).rows.tolist() == [0, 1]


def test_sums_that_are_larger_than_those_of_one_list() -> None:
    rng = np.random.default_rng(1)
    ranks = np.tile(np.arange(1, 51), 200)
    words = np.repeat(rng.integers(5, 30, 200), 50)
    hits = words - rng.binomial(words, 0.2)
    terms = np.column_stack([hits, words, hits + rng.integers(0, 6, len(hits))])
    lists = HypothesisLists.of(ranks)
    best = wil(terms[lowest_on_hull(lists, terms, WIL().rate).first].sum(axis=0))
    # All corners of the hull that a fine grid of directions finds.
    for slope in np.linspace(0, 1, 201):
        rows = lists.with_least(slope * terms[:, 2] - terms[:, 0]).first
        assert best <= wil(terms[rows].sum(axis=0)) + 1e-12


def test_three_sums_that_vary_are_reported() -> None:
    lists = HypothesisLists.of(np.array([1, 2]))
    terms = np.array([[1, 2, 3], [2, 3, 5]])
    assert not is_exact(lists, terms)
    assert lowest_on_hull(lists, terms, WIL().rate).rows.tolist() == [1]


def test_no_lists() -> None:
    lists = HypothesisLists.of(np.zeros(0, np.int64))
    none = np.zeros((0, 3), np.int64)
    assert len(lowest_ratio(lists, none)) == len(lowest_on_hull(lists, none, WIL().rate)) == 0
