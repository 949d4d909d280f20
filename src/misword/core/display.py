"""How objects look in a notebook: a short text, a small HTML table, and frames of pandas.

A class derives from `Displayed` and defines `overview()`: a title and the first rows of its main
table, with the columns of `core.tables`. Results of commands have an overview by their description
(`core.types.DisplayedResult`). What is shown is limited in size, since a result may have millions
of rows. Control characters are shown as escapes, since a text may be shown on a terminal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import islice
from typing import Any

from misword.core import formatting
from misword.core.errors import MissingExtraError, visible
from misword.core.lazy import pl
from misword.core.tables import Column, Table

TEXT_ROWS = 10
HTML_ROWS = 50
LONGEST = 60  # characters of a cell
NO_TABLE = Table("overview", (), ())


@dataclass(frozen=True, slots=True)
class Overview:
    """A title, and the first rows of a table; `size` is the number of all rows.

    >>> from misword.core.tables import count, text
    >>> rows = [{"word": "cat", "rank": 1}, {"word": "mouse", "rank": 20}]
    >>> print(Overview("2 pairs", Table("pairs", (text("word"), count("rank")), rows), 2).text())
    2 pairs
      word   rank
      cat       1
      mouse    20
    """

    title: str
    table: Table = NO_TABLE
    size: int = 0

    @classmethod
    def of(cls, title: str, frame: pl.DataFrame, columns: Sequence[Column]) -> Overview:
        """Make an overview of the first rows of a frame."""
        rows = frame.head(HTML_ROWS).to_dicts()
        return cls(title, Table("overview", columns, rows), len(frame))

    @classmethod
    def of_rows(
        cls, title: str, rows: Iterable[Sequence[Any]], columns: Sequence[Column], size: int
    ) -> Overview:
        """Make an overview of rows that have a value for each column, in the order of these."""
        keys = [column.key for column in columns]
        named = [dict(zip(keys, row, strict=True)) for row in islice(rows, HTML_ROWS)]
        return cls(title, Table("overview", columns, named), size)

    def text(self) -> str:
        """Return the title and at most ten rows, in columns of equal width."""
        shown = [self.table.header(), *self.table.cells()[:TEXT_ROWS]] if self.table.rows else []
        cells = [[_cut(cell) for cell in row] for row in shown]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        sides = [column.is_text for column in self.table.shown()]
        lines = [
            "  ".join(
                cell.ljust(width) if is_text else cell.rjust(width)
                for cell, width, is_text in zip(row, widths, sides, strict=True)
            )
            for row in cells
        ]
        lines += self._more(TEXT_ROWS)
        return "\n".join([visible(self.title), *(f"  {line}".rstrip() for line in lines)])

    def html(self) -> str:
        """Return a table with at most fifty rows; texts of the user cannot become markup."""
        head = self._html_row("th", self.table.header())
        body = "".join(self._html_row("td", row) for row in self.table.cells()[:HTML_ROWS])
        table = f"<table><thead>{head}</thead><tbody>{body}</tbody></table>"
        more = "".join(f"<p>{line}</p>" for line in self._more(HTML_ROWS))
        shown = table if self.table.rows else ""
        return f"<div><p>{escape(visible(self.title))}</p>{shown}{more}</div>"

    def _html_row(self, tag: str, cells: Sequence[str]) -> str:
        sides = ["left" if column.is_text else "right" for column in self.table.shown()]
        return (
            "<tr>"
            + "".join(
                f'<{tag} style="text-align:{side}">{escape(_cut(cell))}</{tag}>'
                for cell, side in zip(cells, sides, strict=True)
            )
            + "</tr>"
        )

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
    return formatting.cut(cell, LONGEST)
