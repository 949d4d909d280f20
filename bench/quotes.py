"""Write the measured rows into the tables of README and docs that quote them.

    python bench/quotes.py

A table of a page quotes the result whose table has the same columns and the most rows of the same
names. Rows keep their places; those that the result does not have stay as they are, and so do
tables in which a name occurs twice, and those that could quote several results: a test finds them
if they are no longer true. Sentences are written by hand: read those beside tables that changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import stamps

Table = tuple[str, dict[str, str]]  # the line with the columns, and the lines of rows by first cell


def name_of(row: str) -> str:
    """Return the first cell of a row."""
    return row.strip("|").partition("|")[0].strip()


def groups(lines: list[str]) -> Iterator[list[int]]:
    """Yield the numbers of the lines of each table."""
    found: list[int] = []
    for number, line in enumerate([*lines, ""]):
        if line.startswith("|"):
            found.append(number)
        elif found:
            yield found
            found = []


def measured() -> list[Table]:
    """Return all tables of the results."""
    tables = []
    for path in stamps.results():
        lines = path.read_text("utf-8").splitlines()
        for group in groups(lines):
            rows = {name_of(lines[number]): lines[number] for number in group[2:]}
            if len(rows) == len(group) - 2:  # names that occur twice say nothing
                tables.append((lines[group[0]], rows))
    return tables


def updated(page: str, tables: list[Table]) -> str:
    """Return the text of a page with the rows of the results.

    >>> page = "| | s |\\n|:--|--:|\\n| a | 1 |\\n| b | 2 |\\n"
    >>> print(updated(page, [("| | s |", {"b": "| b | 3 |", "c": "| c | 4 |"})]), end="")
    | | s |
    |:--|--:|
    | a | 1 |
    | b | 3 |
    """
    lines = page.split("\n")
    for group in groups(lines):
        names = {name_of(lines[number]) for number in group[2:]}
        same = [rows for columns, rows in tables if columns == lines[group[0]]]
        rows = max(same, key=lambda rows: len(names & rows.keys()), default={})
        shared = len(names & rows.keys())
        alike = sum(len(names & other.keys()) == shared for other in same)
        if alike > 1 or len(names) < len(group) - 2 or 2 * shared < len(names):
            continue
        for number in group[2:]:
            lines[number] = rows.get(name_of(lines[number]), lines[number])
    return "\n".join(lines)


def pages() -> list[Path]:
    """Return the pages that may quote results."""
    return [stamps.ROOT / "README.md", *sorted((stamps.ROOT / "docs").glob("*.md"))]


def main() -> None:
    """Update all pages, and print the names of those that changed."""
    tables = measured()
    for path in pages():
        page = path.read_text("utf-8")
        if (new := updated(page, tables)) != page:
            path.write_text(new, "utf-8")
            print(f"{path.relative_to(stamps.ROOT)}: rows changed, read the sentences beside them")
    stamps.SPEED.write_text(stamps.dated(stamps.SPEED.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
