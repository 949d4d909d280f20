"""Intervals of many groups equal those of each group alone."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from misword.core.types import Statistics
from misword.stat.bootstrap import Bootstrap, interval
from misword.stat.measure import GroupedRows, group_intervals, ratio_of_terms
from misword.stat.student_t import upper_quantile, upper_quantiles


def random_terms(rng: np.random.Generator, rows: int) -> Statistics:
    """Return errors and words; some rows have no words."""
    words = rng.poisson(rng.choice([0, 3, 12], rows))
    return np.stack([rng.binomial(words + 1, rng.choice([0.0, 0.2, 0.9])), words], axis=1)


@pytest.mark.parametrize("kind", [np.int64, np.float64])
@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_groups_have_the_intervals_of_single_samples(kind: type, confidence: float) -> None:
    rng = np.random.default_rng(5)
    sizes = np.array([1, 1, 2, 2, 2, 3, 3, 4, 5, 5, 9, 9, 9, 20, 20, 40, 300, 1, 0 + 7, 7, 7])
    starts = np.concatenate([[0], np.cumsum(sizes)])
    terms: Statistics = random_terms(rng, int(starts[-1])).astype(kind)
    terms[starts[10] : starts[11]] = [1, 4]  # all rows are equal
    terms[starts[11] : starts[12]] = [0, 0]  # the rate is undefined
    bootstrap = Bootstrap(200, confidence, 3)
    low, high = group_intervals(GroupedRows(terms, starts), ratio_of_terms, bootstrap)
    for group, (lo, hi) in enumerate(pairwise(starts.tolist())):
        expected = interval(terms[lo:hi], ratio_of_terms, bootstrap)
        assert (low[group], high[group]) == pytest.approx(expected, rel=1e-9, nan_ok=True)


def test_the_order_of_rows_does_not_matter() -> None:
    rng = np.random.default_rng(6)
    terms, starts = random_terms(rng, 60), np.arange(0, 61, 12)
    shuffled = np.concatenate([rng.permutation(terms[lo : lo + 12]) for lo in starts[:-1]])
    bootstrap = Bootstrap(100)
    one = group_intervals(GroupedRows(terms, starts), ratio_of_terms, bootstrap)
    other = group_intervals(GroupedRows(shuffled, starts), ratio_of_terms, bootstrap)
    assert np.array_equal(one, other, equal_nan=True)


def test_rows_of_large_numbers() -> None:
    """The numbers of a row do not fit into one integer."""
    rng = np.random.default_rng(7)
    terms = random_terms(rng, 40) * 3**30
    found = group_intervals(GroupedRows(terms, np.arange(0, 41, 8)), ratio_of_terms, Bootstrap(100))
    expected = [interval(part, ratio_of_terms, Bootstrap(100)) for part in terms.reshape(5, 8, 2)]
    assert pytest.approx(np.array(expected), rel=1e-9, nan_ok=True) == np.array(found).T


def test_without_resamples_there_are_no_intervals() -> None:
    rows = GroupedRows(np.ones((6, 2), int), np.array([0, 3, 6]))
    found = group_intervals(rows, ratio_of_terms, Bootstrap(0))
    assert np.isnan(found).all()


@pytest.mark.parametrize("tail", [0.0005, 0.025, 0.1, 0.4])
def test_quantiles_of_many_degrees_of_freedom(tail: float) -> None:
    freedom = np.concatenate([np.linspace(1, 12, 40), [2, 25.5, 99, 255]])
    expected = [upper_quantile(tail, one) for one in freedom.tolist()]
    assert upper_quantiles(tail, freedom) == pytest.approx(expected, rel=1e-11)
    assert upper_quantiles(tail, freedom[:1]) == pytest.approx(expected[:1], rel=1e-11)
