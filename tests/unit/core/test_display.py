"""What results show of themselves in a notebook, and their conversion to pandas."""

from __future__ import annotations

import polars as pl
import pytest

from extras import needs
from misword.core import display, tables
from misword.core.errors import MissingExtraError, OptionError
from misword.core.types import DisplayedResult, Result

LONG = "x" * 1000


class Words(DisplayedResult):
    """A result with as many rows as a test wants."""

    def __init__(self, rows: int) -> None:
        self.table = pl.DataFrame({"word": [LONG] * rows, "rate": [0.25] * rows})

    def main_table(self) -> pl.DataFrame:
        return self.table

    def result(self) -> Result:
        return Result("words", {"words": self.table, "none": self.table.head(0)})

    def overview(self) -> display.Overview:
        columns = (tables.text("word"), tables.percent("rate"))
        return display.Overview.of("Words", self.table, columns)


@pytest.mark.parametrize("rows", [0, 1, 10, 11, 100_000])
def test_text_and_html_are_small(rows: int) -> None:
    shown = Words(rows)
    assert len(repr(shown).splitlines()) <= 13
    assert len(repr(shown)) < 1000
    assert len(shown._repr_html_()) < 20_000


def test_rows_that_are_left_out_are_counted() -> None:
    assert repr(Words(12)).splitlines()[-1] == "  ... 2 more rows"
    assert repr(Words(11)).splitlines()[-1] == "  ... 1 more row"
    assert "more" not in repr(Words(10))
    assert "<p>... 10 more rows</p>" in Words(60)._repr_html_()


def test_texts_cannot_become_markup() -> None:
    table = pl.DataFrame({"word": ["<script>alert(1)</script>"]})
    html = display.Overview.of("<b>", table, [tables.text("word", "<i>")]).html()
    assert "<script>" not in html
    assert "<b>" not in html
    assert "<i>" not in html


def test_missing_values_are_empty() -> None:
    row = {"name": None, "low": None, "high": 0.5, "p": None, "n": None}
    columns = (
        tables.text("name"),
        tables.percent("low"),
        tables.signed("low"),
        tables.span(),
        tables.number("low"),
        tables.count("n"),
        tables.probability("p"),
    )
    assert [column.cell(row) for column in columns] == [""] * 7


@needs("pandas")
def test_tables_become_frames_of_pandas() -> None:
    frame = Words(2).to_pandas()
    assert list(frame.columns) == ["word", "rate"]
    assert frame["rate"].tolist() == [0.25, 0.25]
    assert list(Words(1).to_pandas("none").columns) == ["word", "rate"]
    with pytest.raises(OptionError, match="there are: words, none"):
        Words(1).to_pandas("other")


def test_pandas_is_named_if_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(MissingExtraError, match="pip install pandas"):
        Words(1).to_pandas()


def test_control_characters_are_escaped() -> None:
    shown = display.Overview.of_rows("a\x1b[2J", [("\x1b]0;t\x07\nx",)], [tables.text("word")], 1)
    assert shown.text() == "a\\x1b[2J\n  word\n  \\x1b]0;t\\x07\\nx"
    assert "\x1b" not in shown.html()
