"""Cells of CSV that a spreadsheet program would calculate."""

from __future__ import annotations

import csv
import io

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from misword.io.formulas import without_formula, without_formulas

FORMULAS = [
    "=1+1", "+1+cmd", "-2+3+cmd|' /C calc'!A0", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "=", "-",
    "-ing", "+1 2", "\uff1d1", "-1.5a", "+e5", "-1\n",
]  # fmt: skip
OTHERS = ["", "cat", "a=b", "-1.5", "+3", "-1e-9", "-1,234.5", "-.5", "+3 %", "-3%", "'tis", "0"]


@pytest.mark.parametrize("text", FORMULAS)
def test_formulas_become_text(text: str) -> None:
    assert without_formula(text) == f"'{text}"


@pytest.mark.parametrize("text", OTHERS)
def test_other_cells_stay(text: str) -> None:
    assert without_formula(text) == text


@given(st.text("'=+-@\t\r\n１1.e, a", max_size=6), st.text("'=+-@\t\r\n１1.e, a", max_size=6))
def test_no_two_cells_become_equal(one: str, other: str) -> None:
    assert (without_formula(one) == without_formula(other)) == (one == other)


@given(st.lists(st.none() | st.text("'=+-@\t\r\n１1.e, a\x1b", max_size=6), min_size=1))
def test_tables_are_as_single_cells(cells: list[str | None]) -> None:
    table = pl.DataFrame({"=a": pl.Series(cells, dtype=pl.String), "b": range(len(cells))})
    made = without_formulas(table)
    assert made.columns == ["'=a", "b"]
    assert made["'=a"].to_list() == [None if c is None else without_formula(c) for c in cells]
    assert made["b"].to_list() == table["b"].to_list()


def test_other_types_stay() -> None:
    table = pl.DataFrame(
        {
            "number": [-1.5, float("-inf")],
            "kind": pl.Series(["=a", "b"], dtype=pl.Categorical),
            "name": pl.Series(["-a", "b"], dtype=pl.Enum(["-a", "b"])),
        }
    )
    text = without_formulas(table).write_csv()
    assert list(csv.reader(io.StringIO(text)))[1:] == [["-1.5", "'=a", "'-a"], ["-inf", "b", "b"]]
