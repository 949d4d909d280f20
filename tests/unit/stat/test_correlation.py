"""Coefficients and their intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from misword.core.errors import OptionError
from misword.core.progress import reporting
from misword.stat.bootstrap import Bootstrap
from misword.stat.correlation import (
    COEFFICIENTS,
    Coefficients,
    _ranks,
    correlation,
    correlations,
    groups,
)

RNG = np.random.default_rng(5)


def values(found: Coefficients) -> list[float]:
    return [getattr(found, name).value for name in COEFFICIENTS]


def test_ranks_of_a_resample_by_hand() -> None:
    """The values 1 1 2 3 3 3 have the ranks 1.5, 3 and 5; the mean rank is 3.5."""
    ranks = _ranks(np.array([[2.0, 1.0, 3.0]]), np.array([6.0]))
    assert ranks.tolist() == [[-2.0, -0.5, 1.5]]


def test_by_hand() -> None:
    """Two neighbours swapped: 1 - 6 * 2 / (4 * 15), and 5 pairs concordant, 1 not."""
    assert values(correlation([1, 2, 3, 4], [1, 3, 2, 4], Bootstrap(0))) == pytest.approx(
        [0.8, 0.8, 4 / 6]
    )
    # Ties: ranks 1.5 1.5 3 and 1 2.5 2.5; of three pairs one is concordant, each side ties one.
    assert values(correlation([1, 1, 2], [1, 2, 2], Bootstrap(0))) == pytest.approx([0.5, 0.5, 0.5])
    assert values(correlation([1, 2, 30], [3, 2, 1], Bootstrap(0)))[1:] == pytest.approx([-1, -1])


def test_without_resamples_there_is_no_interval() -> None:
    found = correlation([1, 2, 3], [1, 3, 2], Bootstrap(0))
    assert math.isnan(found.pearson.low)
    assert math.isnan(found.kendall.high)


def test_rows_without_a_value_are_left_out_and_counted() -> None:
    left, right = [1, np.nan, 2, 3, 4], [1, 5, 3, 2, np.nan]
    found = correlation(left, right, Bootstrap(50))
    assert (found.rows, found.left_out) == (3, 2)
    assert values(found) == values(correlation([1, 2, 3], [1, 3, 2], Bootstrap(0)))
    alone = correlation([1, np.nan], [2, 3])
    assert (alone.rows, alone.left_out, alone.tables) == (1, 1, 0)
    assert np.isnan(values(alone)).all()


@pytest.mark.parametrize("columns", [([1, 1, 1], [1, 2, 3]), ([1], [2]), ([], [])])
def test_columns_that_never_change_have_no_coefficient(
    columns: tuple[list[float], list[float]],
) -> None:
    found = correlation(columns[0], columns[1])
    assert np.isnan([v for name in COEFFICIENTS for v in _triple(found, name)]).all()
    assert found.tables == 0


def _triple(found: Coefficients, name: str) -> tuple[float, float, float]:
    one = getattr(found, name)
    return one.value, one.low, one.high


def test_resamples_of_one_value_are_left_out() -> None:
    """Of four rows one differs: without it there is nothing to correlate."""
    found = correlation([0.1, 0.1, 0.1, 0.7], [0.3, 0.3, 0.3, 0.9], Bootstrap(200))
    for name in COEFFICIENTS:
        assert _triple(found, name) == pytest.approx((1, 1, 1))


@pytest.mark.slow
@given(data=st.data())
def test_weights_count_rows_as_scipy_does(data: st.DataObject) -> None:
    """Coefficients from weights of rows equal those of scipy on the drawn rows."""
    from scipy import stats

    size = data.draw(st.integers(3, 30))
    some = st.lists(st.integers(-3, 3), min_size=size, max_size=size)
    table = np.array([data.draw(some), data.draw(some), data.draw(some)], float).T
    table[:, 2] /= 7
    counts = st.lists(st.integers(0, 3), min_size=size, max_size=size)
    draws = np.array([data.draw(counts), data.draw(counts)], np.int32)
    pairs = [(0, 1), (0, 2), (2, 1)]
    found = np.full((3, len(pairs), 1, len(draws)), np.nan)
    for group in groups(0, table, pairs):
        group.fill(draws, found)
    for place, (a, b) in enumerate(pairs):
        for draw, weights in enumerate(draws):
            left, right = np.repeat(table[:, a], weights), np.repeat(table[:, b], weights)
            got = found[:, place, 0, draw]
            if len(left) < 2 or np.ptp(left) == 0 or np.ptp(right) == 0:
                assert np.isnan(got).all()
                continue
            takes = stats.pearsonr, stats.spearmanr, stats.kendalltau
            np.testing.assert_allclose(got, [t(left, right).statistic for t in takes], atol=1e-9)


def test_the_order_of_two_columns_does_not_matter() -> None:
    """More rows than hypothesis tries, with and without ties."""
    table = np.column_stack([RNG.normal(size=700), RNG.integers(0, 9, 700)])
    one, other = correlations([table], [(0, 1), (1, 0)], Bootstrap(20))
    assert _triple(one, "kendall") == pytest.approx(_triple(other, "kendall"))


def test_intervals_are_those_of_another_bootstrap() -> None:
    from scipy import stats

    left = RNG.normal(size=300)
    right = left + RNG.normal(size=300)
    found = correlation(left, right, Bootstrap(2000))
    takes = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}
    for name, take in takes.items():
        theirs = stats.bootstrap(
            (left, right),
            lambda x, y, take=take: take(x, y).statistic,
            paired=True, vectorized=False, n_resamples=500, method="percentile", rng=1,
        ).confidence_interval  # fmt: skip
        assert _triple(found, name)[1:] == pytest.approx((theirs.low, theirs.high), abs=0.02)


def test_means_over_tables() -> None:
    first, second = RNG.normal(size=(2, 60, 2))
    alone = [correlation(table[:, 0], table[:, 1], Bootstrap(100)) for table in (first, second)]
    (both,) = correlations([first, second], [(0, 1)], Bootstrap(100))
    assert values(both) == pytest.approx(np.mean([values(one) for one in alone], axis=0))
    assert (both.tables, both.rows) == (2, 60)
    # The same rows are drawn of both tables: two equal ones vary as one does.
    (twice,) = correlations([first, first], [(0, 1)], Bootstrap(100))
    assert _triple(twice, "pearson") == pytest.approx(_triple(alone[0], "pearson"))
    # A table with a constant column is left out of the mean.
    second[:, 0] = 1
    second[3, 1] = np.nan
    (one,) = correlations([first, second], [(0, 1)], Bootstrap(100))
    assert values(one) == pytest.approx(values(alone[0]))
    assert (one.tables, one.rows, one.left_out) == (1, 60, 1)


def test_pairs_may_miss_different_rows() -> None:
    table = RNG.normal(size=(50, 3))
    table[:5, 2] = np.nan
    found = correlations([table], [(0, 1), (0, 2), (1, 2)], Bootstrap(30))
    assert [one.rows for one in found] == [50, 45, 45]
    alone = correlation(table[5:, 1], table[5:, 2], Bootstrap(0))
    np.testing.assert_allclose(values(found[2]), values(alone))
    assert found[1].spearman.low < found[1].spearman.value < found[1].spearman.high


def test_seeds_and_workers() -> None:
    table = RNG.normal(size=(2000, 2))
    runs = [
        correlations([table], [(0, 1)], Bootstrap(200, seed=seed), workers=workers)
        for seed, workers in ((0, 1), (0, 3), (1, 1))
    ]
    assert runs[0] == runs[1]
    assert runs[0] != runs[2]
    assert values(runs[0][0]) == values(runs[2][0])


def test_progress_is_reported() -> None:
    from collections.abc import Iterator
    from contextlib import contextmanager

    from misword.core.progress import Step

    told: list[tuple[str, int | None]] = []
    steps: list[int] = []

    @contextmanager
    def listen(what: str, total: int | None) -> Iterator[Step]:
        told.append((what, total))
        yield steps.append

    with reporting(listen):
        correlation(RNG.normal(size=3000), RNG.normal(size=3000), Bootstrap(100))
    assert told == [("resampling", 100)]
    assert sum(steps) == 100


def test_options_are_checked() -> None:
    with pytest.raises(OptionError, match="confidence is 95"):
        correlation([1, 2], [1, 2], Bootstrap(confidence=95))
    with pytest.raises(OptionError, match="bootstrap is -1"):
        correlation([1, 2], [1, 2], Bootstrap(-1))
