"""Tables for readers, described once: all outputs render the same columns with the same digits.

A result of a kind (`scores`, `comparison`, ...) has one `Description`, in `stat.descriptions`: its
headline and its tables, as functions of a `Result`. `cli.rendering` renders it on the terminal and
in Markdown, CSV and JSON, `core.display` in notebooks, `report.tables` on the page. A table is a
list of columns over rows:

>>> columns = (text("system"), percent("rate", "%", title="rate, %"), span("low", "high"))
>>> rows = [{"system": "a", "rate": 0.0704, "low": 0.06, "high": 0.081}]
>>> Table("summary", columns, rows).cells()
[['a', '7.04', '6.00 to 8.10']]

A new column is one line. `text`, `part`, `percent`, `count`, ... name a column of the rows, or
compute a value from a row by `of`; such a value is also a column of the CSV and JSON output.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypedDict, Unpack

from misword.core import formatting

Row = dict[str, Any]
# A condition on the utterances of the page's explorer, as `chips.js` reads it.
Condition = tuple[str | None, ...]
# Groups of the explorer's fields, as in `filter.js`.
METADATA, WORDS = "Metadata", "Words"
# Characters of one of several texts in a cell, except on the page.
LONGEST_TEXT = 500


class Look(TypedDict, total=False):
    """Options of every column.

    `title` is the heading on the page, where there is room for more words than in `header`; `help`
    explains it. An `optional` column is left out of a table in which it has no value. `empty` is
    shown for a missing value. `of` computes the value from a row. A click on a cell of the page
    shows the utterances that satisfy the conditions that `filters` returns.
    """

    title: str
    help: str
    optional: bool
    page_only: bool
    empty: str
    of: Callable[[Row], Any]
    filters: Callable[[Row], Sequence[Condition]]


@dataclass(frozen=True, slots=True)
class Column:
    """A column: where its values come from, and how they are written.

    Attributes:
        key: the name of the column in the rows, and in CSV and JSON if it is computed.
        header: the heading in a narrow output (terminal, Markdown, notebook).
        form: returns a value as text; it is not called with None.
        is_text: whether the column is aligned left.
        form_on_page: as `form`, for the page; such as titles of metrics instead of their labels.
        opens: whether the values are ids of utterances, which the page's explorer can open.
        prose: whether cells are long texts, which may be folded on a terminal.
        is_texts: whether a value is a sequence of names and texts.
        is_span: whether a value is the pair of the ends of an interval.
    """

    key: str
    header: str
    form: Callable[[Any], str]
    is_text: bool = False
    title: str = ""
    help: str = ""
    optional: bool = False
    page_only: bool = False
    empty: str = ""
    of: Callable[[Row], Any] | None = None
    filters: Callable[[Row], Sequence[Condition]] | None = None
    form_on_page: Callable[[Any], str] | None = None
    opens: bool = False
    prose: bool = False
    is_texts: bool = False
    is_span: bool = False

    def value(self, row: Row) -> Any:
        """Return the value of a row; None where it is missing. An interval is a pair."""
        return row.get(self.key) if self.of is None else self.of(row)

    def cell(self, row: Row, *, page: bool = False) -> str:
        """Return the text of a row."""
        value = self.value(row)
        if value is None:
            return self.empty
        form = self.form_on_page if page and self.form_on_page else self.form
        return form(value) or self.empty

    @property
    def is_data(self) -> bool:
        """Whether the column is computed, and has a value of its own for CSV and JSON."""
        return self.of is not None and not self.page_only and not self.is_texts and not self.is_span

    def heading(self, *, page: bool = False) -> str:
        """Return the heading."""
        return (page and self.title) or self.header


def text(key: str, header: str | None = None, **look: Unpack[Look]) -> Column:
    """Return a column of text."""
    return Column(key, key if header is None else header, str, is_text=True, **look)


def prose(key: str, header: str | None = None, **look: Unpack[Look]) -> Column:
    """Return a column of long texts."""
    return replace(text(key, header, **look), prose=True)


def utterance(key: str = "utt", header: str = "utterance", **look: Unpack[Look]) -> Column:
    """Return a column of ids of utterances; a click on the page opens the utterance."""
    return replace(text(key, header, **look), opens=True)


def texts(
    key: str, header: str, named: Callable[[Row], Sequence[tuple[str, str]]], **look: Unpack[Look]
) -> Column:
    """Return a column of texts with names; they stand one below the other in a cell."""

    def lines(shown: Sequence[tuple[str, str]]) -> str:
        return "\n".join(f"{name}: {_shortened(words)}" for name, words in shown)

    column = Column(key, header, lines, is_text=True, prose=True, is_texts=True, **look)
    return replace(column, of=named)


def part(
    key: str, title_of: Callable[[str], str], header: str | None = None, **look: Unpack[Look]
) -> Column:
    """Return a column of labels of metrics or other parts; the page shows their titles."""
    return replace(text(key, header, **look), form_on_page=title_of)


def percent(key: str, header: str | None = None, digits: int = 2, **look: Unpack[Look]) -> Column:
    """Return a column of rates in percent."""
    return Column(key, _in_percent(key, header), lambda v: formatting.percent(v, digits), **look)


def signed(key: str, header: str | None = None, digits: int = 2, **look: Unpack[Look]) -> Column:
    """Return a column of changes in percent."""
    return Column(key, _in_percent(key, header), lambda v: formatting.signed(v, digits), **look)


def span(
    low: str = "low",
    high: str = "high",
    header: str = "interval %",
    digits: int = 2,
    **look: Unpack[Look],
) -> Column:
    """Return a column of intervals of rates in percent."""

    def form(ends: Any) -> str:
        return formatting.span(ends[0], ends[1], digits)

    return _interval(low, high, header, form, look)


def signed_span(
    low: str = "low", high: str = "high", header: str = "interval %", **look: Unpack[Look]
) -> Column:
    """Return a column of intervals of changes in percent."""

    def form(ends: Any) -> str:
        return formatting.signed_span(ends[0], ends[1])

    return _interval(low, high, header, form, look)


def number_span(
    low: str, high: str, header: str = "interval", digits: int = 2, **look: Unpack[Look]
) -> Column:
    """Return a column of intervals of numbers that are not rates."""
    return _interval(
        low, high, header, lambda ends: formatting.number_span(ends[0], ends[1], digits), look
    )


def number(key: str, header: str | None = None, digits: int = 2, **look: Unpack[Look]) -> Column:
    """Return a column of numbers."""
    return Column(
        key, key if header is None else header, lambda v: formatting.number(v, digits), **look
    )


def count(key: str, header: str | None = None, **look: Unpack[Look]) -> Column:
    """Return a column of whole numbers."""
    return Column(key, key if header is None else header, formatting.count, **look)


def probability(key: str, header: str = "p", **look: Unpack[Look]) -> Column:
    """Return a column of p-values."""
    return Column(key, header, formatting.probability, **look)


def written(key: str, header: str, form: Callable[[Any], str], **look: Unpack[Look]) -> Column:
    """Return a column of numbers that are written by `form`."""
    return Column(key, header, form, **look)


def composed(key: str, header: str, shown: Callable[[Row], str], **look: Unpack[Look]) -> Column:
    """Return a column of numbers whose text depends on other columns of the row too."""
    column = Column(key, header, lambda both: str(both[1]), **look)
    return replace(column, of=lambda row: (row.get(key), shown(row)))


def groups(by: Sequence[str]) -> tuple[Column, ...]:
    """Return the columns of groups of utterances; `all` in the row of all groups together."""

    def conditions(row: Row) -> Sequence[Condition]:
        return () if row.get("total") else [field_is(METADATA, name, row[name]) for name in by]

    def column(name: str) -> Column:
        def value(row: Row) -> Any:
            return "all" if row.get("total") else row[name]

        return replace(text(name, filters=conditions), of=value)

    return tuple(map(column, by))


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under columns, with a title and notes.

    Attributes:
        name: what the table shows, as one word; unique within a description.
        columns: the columns, from left to right. Text columns at the left are the keys of a row.
        rows: the rows, by name of column.
        title: a line above the table; empty for the first table.
        notes: sentences below the table.
        most: a terminal shows this many rows for each distinct value of the columns `each`.
        on_terminal: returns whether a terminal shows a row; None for all rows.
        is_detail: whether the option `--brief` leaves the table out.
        is_faint: returns whether a row of the page is grey.
        long: the table whose rows stand side by side in this one.
    """

    name: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    title: str = ""
    notes: Sequence[str] = ()
    most: int | None = None
    each: Sequence[str] = ()
    on_terminal: Callable[[Row], bool] | None = None
    is_detail: bool = False
    is_faint: Callable[[Row], bool] | None = None
    long: Table | None = None

    def shown(self, *, page: bool = False) -> list[Column]:
        """Return the columns that this table shows."""
        return [
            column
            for column in self.columns
            if (page or not column.page_only)
            and not (column.optional and not any(map(column.cell, self.rows)))
        ]

    def header(self, *, page: bool = False) -> list[str]:
        """Return the headings."""
        return [column.heading(page=page) for column in self.shown(page=page)]

    def cells(self, *, page: bool = False) -> list[list[str]]:
        """Return the texts of all rows."""
        columns = self.shown(page=page)
        return [[column.cell(row, page=page) for column in columns] for row in self.rows]

    @property
    def keys(self) -> int:
        """The number of text columns at the left."""
        sides = [column.is_text for column in self.shown()]
        return sides.index(False) if False in sides else len(sides)

    @property
    def numbers(self) -> list[str]:
        """The keys of the columns of numbers that are not for the page alone."""
        return [c.key for c in self.columns if not c.is_text and not c.page_only]

    def where(self, **values: Any) -> Table:
        """Return the table of the rows that have these values."""
        kept = [row for row in self.rows if all(row[key] == v for key, v in values.items())]
        return replace(self, rows=kept)

    def only(self, *keys: str) -> Table:
        """Return the table of some of the columns, in this order."""
        by_key = {column.key: column for column in self.columns}
        return replace(self, columns=[by_key[key] for key in keys])

    def without(self, *keys: str) -> Table:
        """Return the table without some columns."""
        return replace(self, columns=[c for c in self.columns if c.key not in keys])

    def first(self) -> Table:
        """Return the rows that a terminal shows; the title says how many are left out.

        Rows over all groups together are always shown.
        """
        rows = [row for row in self.rows if self.on_terminal is None or self.on_terminal(row)]
        if self.most is None:
            return replace(self, rows=rows)
        seen: Counter[tuple[Any, ...]] = Counter()
        kept = []
        for row in rows:
            key = tuple(row[name] for name in self.each)
            seen[key] += 1
            if row.get("total") or seen[key] <= self.most:
                kept.append(row)
        more = len(rows) - len(kept)
        if not more:
            return replace(self, rows=rows)
        left_out = "1 more row is" if more == 1 else f"{more:,} more rows are"
        left_out += " in the result (--out, --format json)"
        title = f"{self.title}; {left_out}" if self.title else left_out
        return replace(self, rows=kept, title=title)


def side_by_side(
    table: Table,
    key: str | Sequence[str],
    name_of: Callable[[Row], str],
    *columns: str,
    title: str = "",
) -> Table:
    """Return a table with one row for each value of the column `key`, or of several columns.

    Rows of the same value stand side by side: `columns` are repeated for each name that `name_of`
    returns. The name is the heading of the first of these columns, with the own heading after it.
    A row has the rows that it is made of under their names.

    >>> shown = (text("metric"), text("level"), percent("agreed", ""))
    >>> rows = [{"metric": "wer", "level": x, "agreed": y} for x, y in (("all", 0.5), ("most", 1))]
    >>> long = Table("levels", shown, rows)
    >>> wide = side_by_side(long, "metric", lambda row: row["level"], "agreed")
    >>> wide.header(), wide.cells()
    (['metric', 'all', 'most'], [['wer', '50.00', '100.00']])
    """
    by_key = {column.key: column for column in table.columns}
    keys = [key] if isinstance(key, str) else list(key)
    names = list(dict.fromkeys(map(name_of, table.rows)))
    lines: dict[tuple[Any, ...], Row] = {}
    for row in table.rows:
        values = {name: row[name] for name in keys}
        lines.setdefault(tuple(values.values()), values)[f"row {name_of(row)}"] = row
    shown = [by_key[name] for name in keys]
    for name in names:
        for place, column in enumerate(map(by_key.__getitem__, columns)):
            header = column.header if place else ": ".join(filter(None, [name, column.header]))
            shown.append(beside(column, f"row {name}", header))
    return replace(table, name=f"{table.name} side by side", columns=shown, title=title,
                   rows=list(lines.values()), long=table)  # fmt: skip


def beside(column: Column, place: str, header: str) -> Column:
    """Return a column of the row that a wider row has under the name `place`."""

    def value(row: Row) -> Any:
        return column.value(row[place]) if place in row else None

    return replace(column, key=f"{place} {column.key}", header=header, title="", of=value)


def facts_table(facts: Mapping[str, Any]) -> Table:
    """Return a row for each fact, with its name; facts that are None or empty are left out.

    >>> facts_table({"words": 1200, "hit@1": 0.25, "subwords": False, "notes": []}).cells()
    [['words', '1,200'], ['hit@1', '25.00 %'], ['subwords', 'no']]
    """
    known = [(name, value) for name, value in facts.items() if value not in (None, [])]
    rows = [{"what": name, "value": fact_text(name, value)} for name, value in known]
    return Table("facts", (text("what"), prose("value")), rows)


def fact_text(name: str, value: Any) -> str:
    """Return the value of a fact as text; hit rates in percent."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{formatting.percent(value)} %" if name.startswith("hit@") else f"{value:.4f}"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return formatting.count(value) if isinstance(value, int) else str(value)


def field_is(group: str, name: str, value: Any) -> Condition:
    """Return the condition that a field of the explorer has this value."""
    shown = str(value).lower() if isinstance(value, bool) else str(value)
    return ("is", group, name, "" if value is None else shown)


def difference_is(
    kind: str, reference: str | None, hypothesis: str | None, system: str | None = None
) -> Condition:
    """Return the condition that a system has this error or forgiven difference; None: any one."""
    return ("difference", kind, reference, hypothesis, system)


def _shortened(shown: str) -> str:
    """Return the start of a text that is too long for a table; the result has all of it."""
    return shown if len(shown) <= LONGEST_TEXT else f"{shown[: LONGEST_TEXT - 1]}…"


def _in_percent(key: str, header: str | None) -> str:
    return f"{key} %" if header is None else header


def _interval(low: str, high: str, header: str, form: Callable[[Any], str], look: Look) -> Column:
    """Return a column of intervals, which is sorted by their lower ends."""
    return replace(
        Column(f"{low} to {high}", header, form, is_span=True, **look),
        of=lambda row: (row.get(low), row.get(high)),
    )
