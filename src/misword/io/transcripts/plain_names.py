"""Names of columns that polars would read as patterns.

polars reads the name `*` as all columns, and a name from `^` to `$` as a regular expression, in
almost every function, also in those of a single column. A column of such a name gets an underscore
when it is read, so that the name is a plain one from then on; options may name it as the file does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from misword.core.errors import InputError

if TYPE_CHECKING:
    import polars as pl


def plain_name(name: str) -> str:
    """Return the name of a column, with an underscore if polars would read it as a pattern.

    >>> plain_name("speaker"), plain_name("*"), plain_name("^t.*$")
    ('speaker', '*_', '^t.*$_')
    """
    is_pattern = name == "*" or (name.startswith("^") and name.endswith("$"))
    return f"{name}_" if is_pattern else name


def with_plain_names(frame: pl.DataFrame, where: str) -> pl.DataFrame:
    """Return a table whose columns have plain names; `where` is its name in errors."""
    names = frame.columns
    changed = {name: plain for name in names if (plain := plain_name(name)) != name}
    for name in changed.values():
        if name in names:
            raise InputError(
                f"two columns are called {name[:-1]!r} and {name!r}",
                where=where,
                fix="rename one of them",
            )
    return frame.rename(changed) if changed else frame
