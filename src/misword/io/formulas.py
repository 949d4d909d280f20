"""Cells of CSV files that a spreadsheet program would calculate.

A spreadsheet program takes a cell that begins with `=`, `+`, `-` or `@` for a formula, even if
the cell is a word of a transcript. Such a formula can send cells to another machine. An apostrophe
before it makes it text. Numbers stay as they are.

To get the text back, remove the first apostrophe of a cell that begins with apostrophes and one of
these characters; cells that have such a beginning of their own get one more apostrophe.

References: CWE-1236; OWASP, CSV Injection.
"""

from __future__ import annotations

import re

from misword.core.lazy import pl

# Also the wide forms of East Asian keyboards, which some programs read as the narrow ones. A tab or
# a line end before the sign is skipped by the programs.
FORMULA = "^'*[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]"
NUMBER = r"[+-]?([0-9]+([.,][0-9]+)*|\.[0-9]+)([eE][+-]?[0-9]+)? ?%?"
_FORMULA = re.compile(FORMULA)
_NUMBER = re.compile(NUMBER)


def without_formula(text: str) -> str:
    """Return the text of a cell, with an apostrophe before it if it could be a formula.

    >>> [without_formula(text) for text in ("cat", "=1+1", "-ing", "-1.5", "'@home")]
    ['cat', "'=1+1", "'-ing", '-1.5', "''@home"]
    """
    return f"'{text}" if _FORMULA.search(text) and not _NUMBER.fullmatch(text) else text


def with_formula(text: str) -> str:
    """Return the text that `without_formula` was given.

    >>> [with_formula(text) for text in ("cat", "'=1+1", "''@home", "-1.5", "'tis")]
    ['cat', '=1+1', "'@home", '-1.5', "'tis"]
    """
    return text[1:] if text.startswith("'") and _FORMULA.search(text) else text


def without_formulas(table: pl.DataFrame) -> pl.DataFrame:
    """Return a table whose names of columns and cells of text are no formulas."""
    texts = (pl.String, pl.Categorical, pl.Enum)
    changed = [
        _guarded(column.cast(pl.String)) if column.dtype in texts else column
        for column in table.get_columns()
    ]
    return pl.DataFrame([column.alias(without_formula(column.name)) for column in changed])


def _guarded(column: pl.Series) -> pl.Series:
    is_number = column.str.contains(f"^({NUMBER})$")
    is_formula = column.str.contains(FORMULA) & ~is_number
    if not is_formula.any():
        return column
    texts = pl.when(is_formula).then(pl.lit("'") + column).otherwise(column)
    return pl.select(texts).to_series().alias(column.name)
