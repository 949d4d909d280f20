"""How results look in a notebook: a short text, a small HTML table, and frames of pandas.

A result derives from `Displayed` and defines `overview()`: a title and the first rows of its main
table. Everything that is shown is limited in size, since a result may have millions of rows.
Control characters in it are shown as escapes, since a text may be shown on a terminal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, NamedTuple

from misword.core import formatting
from misword.core.errors import MissingExtraError, visible
from misword.core.lazy import pl

TEXT_ROWS = 10
HTML_ROWS = 50
LONGEST = 60  # characters of a cell

Row = dict[str, Any]


class Column(NamedTuple):
    """A column of an overview: its header, the text of a row, and whether it is aligned left."""

    header: str
    show: Callable[[Row], str]
    is_text: bool = False


def text(name: str, header: str = "") -> Column:
    """Return a column of text; empty for null."""
    return Column(header or name, lambda row: "" if row[name] is None else str(row[name]), True)


def percent(name: str, header: str = "") -> Column:
    """Return a column of rates in percent."""
    return Column(header or f"{name} %", lambda row: formatting.percent(row[name]))


def signed(name: str, header: str = "") -> Column:
    """Return a column of changes in percent."""
    return Column(header or f"{name} %", lambda row: formatting.signed(row[name]))


def span(low: str = "low", high: str = "high", header: str = "interval %") -> Column:
    """Return a column of intervals in percent."""
    return Column(header, lambda row: formatting.span(row[low], row[high]))


def number(name: str, header: str = "", digits: int = 3) -> Column:
    """Return a column of numbers."""
    return Column(header or name, lambda row: formatting.number(row[name], digits))


def count(name: str, header: str = "") -> Column:
    """Return a column of whole numbers."""
    return Column(header or name, lambda row: formatting.count(row[name]))


def probability(name: str, header: str = "") -> Column:
    """Return a column of p-values."""
    return Column(header or name, lambda row: formatting.probability(row[name]))


@dataclass(frozen=True, slots=True)
class Overview:
    """A title, and the first rows of a table as texts; `size` is the number of all rows.

    >>> print(Overview("2 pairs", ("word", "rank"), [("cat", "1"), ("mouse", "20")], 2).text())
    2 pairs
      word   rank
      cat       1
      mouse    20
    """

    title: str
    header: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    size: int = 0
    left: int = 1

    @classmethod
    def of(cls, title: str, table: pl.DataFrame, columns: Sequence[Column]) -> Overview:
        """Make an overview of a table; the columns of text come first."""
        rows = [
            [column.show(row) for column in columns] for row in table.head(HTML_ROWS).to_dicts()
        ]
        left = sum(column.is_text for column in columns)
        return cls(title, [column.header for column in columns], rows, len(table), left)

    def text(self) -> str:
        """Return the title and at most ten rows, in columns of equal width."""
        shown = [self.header, *self.rows[:TEXT_ROWS]] if self.rows else []
        cells = [[_cut(cell) for cell in row] for row in shown]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = [
            "  " + "  ".join(self._padded(i, cell, widths[i]) for i, cell in enumerate(row))
            for row in cells
        ]
        lines += [f"  {line}" for line in self._more(TEXT_ROWS)]
        return "\n".join([visible(self.title), *(line.rstrip() for line in lines)])

    def html(self) -> str:
        """Return a table with at most fifty rows; texts of the user cannot become markup."""
        head = "".join(self._html_cell("th", i, cell) for i, cell in enumerate(self.header))
        body = "".join(
            "<tr>" + "".join(self._html_cell("td", i, cell) for i, cell in enumerate(row)) + "</tr>"
            for row in self.rows[:HTML_ROWS]
        )
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        more = "".join(f"<p>{line}</p>" for line in self._more(HTML_ROWS))
        return f"<div><p>{escape(visible(self.title))}</p>{table if self.rows else ''}{more}</div>"

    def _padded(self, place: int, cell: str, width: int) -> str:
        return cell.ljust(width) if place < self.left else cell.rjust(width)

    def _html_cell(self, tag: str, place: int, cell: str) -> str:
        side = "left" if place < self.left else "right"
        return f'<{tag} style="text-align:{side}">{escape(_cut(cell))}</{tag}>'

    def _more(self, shown: int) -> list[str]:
        """Return a line about the rows that are not shown."""
        left_out = self.size - shown
        return [f"... {formatting.counted(left_out, 'more row')}"] if left_out > 0 else []


class Displayed:
    """Base class of everything that shows an overview of itself in a notebook."""

    __slots__ = ()

    def overview(self) -> Overview:
        """Return the title and the rows that are shown."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return self.overview().text()

    def _repr_html_(self) -> str:
        return self.overview().html()


def to_pandas(table: pl.DataFrame) -> Any:
    """Return a table as a pandas frame; unlike the method of polars, this needs no pyarrow."""
    try:
        import pandas as pd
    except ModuleNotFoundError:
        raise MissingExtraError("to_pandas() needs pandas", fix="pip install pandas") from None
    return pd.DataFrame(table.to_dict(as_series=False), columns=table.columns)


def names_shown(names: Iterable[str]) -> str:
    """Return names as a list within a sentence, at most five of them.

    >>> names_shown(["a", "b"]), names_shown("abcdefg")
    ('a and b', 'a, b, c, d, e and 2 others')
    """
    first = list(names)
    others = len(first) - 5
    if others < 2:
        return formatting.listed(first)
    return f"{', '.join(first[:5])} and {others} others"


def _cut(text: str) -> str:
    """Return the text of a cell in one line of limited length, with control characters escaped."""
    cell = visible(text)
    return cell if len(cell) <= LONGEST else cell[: LONGEST - 1] + "…"
