"""Described tables on the page: cells that filter or open the explorer, and that sort."""

from __future__ import annotations

from collections.abc import Sequence

from misword.core.formatting import cut, is_number
from misword.core.tables import Column, Row, Table
from misword.report.article import Article
from misword.report.explorer.section import filter_cell, opening_cell
from misword.report.markup import (
    Cell,
    Markup,
    data_table,
    element,
    number_cell,
    text_cell,
    without_direction_marks,
)

# Characters of a text in a table, which shows three lines of it; the explorer has the whole text.
LONGEST_TEXT = 400


def page_table(article: Article, table: Table, label: str = "", *, tall: bool = True) -> Markup:
    """Return a described table; nothing if it has no rows."""
    if not table.rows:
        return Markup()
    header, body = page_cells(article, table)
    faint = [table.is_faint(row) for row in table.rows] if table.is_faint else ()
    return data_table(
        header, body, label=label or table.title or table.name, faint=faint, tall=tall
    )


def page_cells(
    article: Article | None, table: Table
) -> tuple[Sequence[str], Sequence[Sequence[Cell]]]:
    """Return the headings and the cells of a described table."""
    columns = table.shown(page=True)
    body = [[_cell(article, column, row) for column in columns] for row in table.rows]
    return [column.heading(page=True) for column in columns], body


def _cell(article: Article | None, column: Column, row: Row) -> Cell:
    shown = column.cell(row, page=True)
    if column.opens and article is not None:
        return opening_cell(article, shown, row.get("system"))
    if column.is_texts:
        return Cell(_texts(column.value(row)), is_text=True, wide=True)
    if column.prose:
        return Cell(without_direction_marks(shown), is_text=True, wide=True)
    conditions = column.filters(row) if column.filters else ()
    if column.is_text:
        return filter_cell(shown, *conditions) if conditions else text_cell(shown)
    return number_cell(_sorting_value(column, row), shown)


def _sorting_value(column: Column, row: Row) -> float | None:
    """Return the number that a column is sorted by: of an interval, its lower end."""
    value = column.value(row)
    candidates = (value[0] if isinstance(value, tuple) else value, row.get(column.key))
    return next((found for found in candidates if is_number(found)), None)


def _texts(named: Sequence[tuple[str, str]]) -> Markup:
    """Return named texts, one below the other."""
    parts = []
    for name, text in named:
        shown = cut(text, LONGEST_TEXT)
        parts += [element("span", name), element("span", shown, dir="auto")]
    return element("div", *parts, class_="texts")
