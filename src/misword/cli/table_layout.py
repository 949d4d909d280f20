"""The layout of a table on a terminal: the table is made as narrow as the terminal.

In this order, until the table fits: less space between columns, headers on several lines, columns
of prose folded, and at last columns moved to further tables below, each with the first columns
again. Nothing is cut off.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from textwrap import wrap
from typing import Any

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

# A column of prose is not folded to fewer characters.
NARROWEST = 16
UNLIMITED = 9999


def fitted(
    out: Console,
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    left: int,
    prose: Collection[int],
) -> Iterator[Table]:
    """Yield the tables, from the top to the bottom, that show all columns on the console `out`.

    The first `left` columns are aligned left. The columns `prose`, by their places, may be folded.
    """
    columns = list(range(len(header)))

    def build(chosen: Sequence[int], **layout: Any) -> Table:
        cells = [[row[i] for i in chosen] for row in rows]
        folded = {place for place, i in enumerate(chosen) if i in prose}
        aligned = sum(i < left for i in chosen)
        return _table([header[i] for i in chosen], cells, aligned, folded, **layout)

    for layout in ({}, {"tight": True}):
        table = build(columns, **layout)
        if _width(out, table) <= out.width:
            yield table
            return
    keys = columns[: left if left < len(columns) else 1]
    for block in _blocks(out, build, keys, columns[len(keys) :]):
        yield build(block, tight=True, broken=True)


def _blocks(out: Console, build: Any, keys: list[int], others: list[int]) -> Iterator[list[int]]:
    """Yield the columns of each table: the keys and as many of the others as fit."""
    block = list(keys)
    for column in others:
        table = build([*block, column], tight=True, broken=True)
        if len(block) > len(keys) and _width(out, table, folded=True) > out.width:
            yield block
            block = list(keys)
        block.append(column)
    yield block


def _width(out: Console, table: Table, *, folded: bool = False) -> int:
    """Return the width of a table without folding, or with as much folding as is allowed."""
    sizes = out.measure(table, options=out.options.update(max_width=UNLIMITED))
    return sizes.minimum if folded else sizes.maximum


def _table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    left: int,
    prose: Collection[int],
    *,
    tight: bool = False,
    broken: bool = False,
) -> Table:
    """Return a table of rich; `broken` headers are as wide as their column needs."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    if tight:
        table.padding = (0, 1, 0, 0)
    for i, name in enumerate(header):
        side: Any = "left" if i < left else "right"
        cells = max((cell_len(row[i]) for row in rows), default=0)
        widest = max(cells, *map(cell_len, name.split(" ") if broken else [name]))
        table.add_column(
            Text("\n".join(wrap(name, widest)) if name else ""),
            justify=side,
            no_wrap=i not in prose,
            overflow="fold",
            min_width=min(widest, NARROWEST) if i in prose else widest,
        )
    for row in rows:
        table.add_row(*map(Text, row))
    return table
