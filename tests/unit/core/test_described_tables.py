"""Described tables: which columns and rows are shown, and by what a page sorts them."""

from __future__ import annotations

import polars as pl
import pytest

import misword
from misword.core.options import chosen
from misword.core.tables import Table, count, signed_span, text
from misword.core.types import Result
from misword.report.tables import page_cells
from misword.stat.descriptions.comparison import contrast_table
from misword.stat.descriptions.scores import SCORES
from misword.stat.options import Resampling


def test_options_that_are_not_given_have_their_defaults() -> None:
    assert chosen({"seed": 7}, Resampling) == {"bootstrap": 1000, "confidence": 0.95, "seed": 7}


@pytest.mark.parametrize(
    ("values", "shown"), [([None, None], False), ([None, 3], True), ([3, 4], True)]
)
def test_an_optional_column_is_shown_if_a_row_has_a_value(
    values: list[int | None], shown: bool
) -> None:
    rows = [{"name": "a", "size": value} for value in values]
    table = Table("sizes", (text("name"), count("size", optional=True)), rows)
    assert (len(table.header()) == 2) == shown


def test_a_page_sorts_intervals_by_their_lower_end() -> None:
    column = signed_span("low", "high", "interval")
    table = Table("spans", (column,), [{"low": -0.2, "high": 0.3}])
    ((cell,),) = page_cells(None, table)[1]
    assert cell.value == pytest.approx(-0.2)


def test_the_headline_of_several_systems_names_the_range_of_the_others() -> None:
    texts = {"a": "w w w w w w w w w x", "b": "w w w w w w w w x x", "c": "w w w w w w w x x x"}
    scores = misword.score(["w " * 10] * 9, {name: [text] * 9 for name, text in texts.items()})
    headline = SCORES.headline(scores.result())
    assert "a has the lowest WER: 10.0 %" in headline
    assert "against 20.0 % to 30.0 % of 2 others, on 9 utterances" in headline


def test_a_terminal_shows_contrasts_whose_interval_does_not_contain_1() -> None:
    spans = {"below": (0.2, 0.8), "around": (0.5, 1.5), "above": (1.2, 1.9), "open": (None, 0.9)}
    same = {"metric": "wer", "system": "b", "column": "words", "worsened": 1.0, "others": 2.0}
    rows = [
        {**same, "value": name, "ratio": 1.0, "low": low, "high": high}
        for name, (low, high) in spans.items()
    ]
    result = Result("comparison", {"contrast": pl.DataFrame(rows)}, {"metrics": ["wer"]})
    shown = contrast_table(result).first()
    assert [row["value"] for row in shown.rows] == ["below", "above", "open"]
