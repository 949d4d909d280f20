"""Means over trials, lines, and resampled correlations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from misword.stat.bootstrap import Bootstrap
from misword.stat.correlation import pearson_resamples
from misword.stat.student_t import MeanInterval, line_through, mean_of

numbers = st.floats(-100, 100).map(lambda x: round(x, 3))


@given(st.lists(numbers, min_size=2, max_size=9), st.sampled_from([0.5, 0.9, 0.95]))
def test_interval_is_students(values: list[float], confidence: float) -> None:
    from scipy import stats

    found = mean_of(values, confidence)
    assert found.value == pytest.approx(np.mean(values))
    half = stats.t.ppf((1 + confidence) / 2, len(values) - 1) * stats.sem(values)
    assert found.high - found.value == pytest.approx(half, abs=1e-9)
    assert found.value - found.low == pytest.approx(half, abs=1e-9)


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    rng = np.random.default_rng(1)
    spans = [mean_of(rng.normal(3, 2, size=5), 0.9) for _ in range(2000)]
    assert np.mean([span.low < 3 < span.high for span in spans]) == pytest.approx(0.9, abs=0.02)


def test_few_trials() -> None:
    assert np.isnan(mean_of([]).value)
    one = mean_of([2.0])
    assert one.value == 2
    assert np.isnan([one.low, one.high]).all()


def test_parts_of_a_whole() -> None:
    assert MeanInterval(2, 1, 4).divided_by(4) == MeanInterval(0.5, 0.25, 1)
    assert MeanInterval(2, 1, 4).divided_by(-4) == MeanInterval(-0.5, -1, -0.25)
    assert np.isnan(MeanInterval(2, 1, 4).divided_by(0).value)


@given(st.lists(st.tuples(st.integers(-9, 9), numbers), min_size=3, max_size=8))
def test_lines_are_scipys(points: list[tuple[int, float]]) -> None:
    from scipy import stats

    x, y = (np.array(side, np.float64) for side in zip(*points, strict=True))
    found = line_through(x, y)
    if len(set(x.tolist())) < 2:
        assert np.isnan([found.slope, found.r2]).all()
        return
    line = stats.linregress(x, y)
    assert found.slope == pytest.approx(line.slope, abs=1e-9)
    assert found.intercept == pytest.approx(line.intercept, abs=1e-9)
    if len(set(x.tolist())) > 2 and np.ptp(y):
        assert found.r2 == pytest.approx(line.rvalue**2, abs=1e-9)
    else:
        assert np.isnan(found.r2)


def test_two_levels_have_no_r2() -> None:
    """A line through two points is always perfect."""
    assert np.isnan(line_through([0, 1], [1, 0.5]).r2)


def test_resamples_are_those_of_rows_written_out() -> None:
    rng = np.random.default_rng(0)
    target, columns = rng.normal(size=40), rng.normal(size=(40, 3))
    found = pearson_resamples(target, columns, Bootstrap(7, seed=5))
    again = np.random.default_rng(5)
    ascending = np.argsort(target)
    for row in found:
        drawn = ascending[again.integers(40, size=40)]
        expected = [np.corrcoef(target[drawn], columns[drawn, at])[0, 1] for at in range(3)]
        np.testing.assert_allclose(row, expected, atol=1e-9)
    assert pearson_resamples(target, columns, Bootstrap(0)).shape == (0, 3)


def test_resamples_of_one_value_are_undefined() -> None:
    found = pearson_resamples(np.ones(5), np.arange(10.0).reshape(5, 2), Bootstrap(4))
    assert np.isnan(found).all()
