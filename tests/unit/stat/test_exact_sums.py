"""Sums of limbs are exact: they have the value of `math.fsum`, however they are divided."""

from __future__ import annotations

from math import fsum

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from misword.stat.bootstrap import distinct
from misword.stat.tallies.sums import add_sums, exact_sums, limbs, sum_rows, sums_of, value_of

FLOATS = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e290, max_value=1e290)


@given(st.lists(FLOATS, max_size=40))
def test_sums_are_those_of_fsum(values: list[float]) -> None:
    found = limbs(np.array(values, np.float64))
    assert value_of({at: int(limb.sum()) for at, limb in found.items()}) == fsum(values)


@given(st.lists(st.tuples(FLOATS, st.integers(1, 5)), min_size=1, max_size=20))
def test_rows_that_occur_several_times(rows: list[tuple[float, int]]) -> None:
    repeated = np.repeat([value for value, _ in rows], [count for _, count in rows])
    assert exact_sums(distinct(repeated[:, None])).tolist() == [fsum(repeated)]


@given(st.lists(FLOATS, min_size=2, max_size=30), st.integers(1, 29))
def test_tables_add_up_in_any_order(values: list[float], cut: int) -> None:
    def table(part: list[float]) -> pl.DataFrame:
        return sum_rows([pl.Series(["a"] * len(part))], {"x.cost": np.array(part, np.float64)})

    parts = [part for part in (values[:cut], values[cut:]) if part]
    for order in (parts, parts[::-1]):
        assert sums_of(add_sums(map(table, order)), "x.cost").tolist() == [fsum(values)]


@pytest.mark.parametrize("value", [0.0, -0.0, 5e-324, -1.5, 1e308, 2.0**-40, 1 / 3])
def test_single_values(value: float) -> None:
    found = limbs(np.array([value]))
    assert value_of({at: int(limb[0]) for at, limb in found.items()}) == value
    assert all(abs(int(limb[0])) < 1 << 24 for limb in found.values())
