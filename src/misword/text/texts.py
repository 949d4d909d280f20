"""A column of texts as one UTF-8 string, so that each step over it is one call of native code."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeGuard

import numpy as np

from misword.core.errors import InputError
from misword.core.lazy import pl

SEPARATOR = "\0"


@dataclass(frozen=True)
class Texts:
    """Rows of text in UTF-8 with a NUL byte between two rows; text that contains NUL is refused.

    >>> Texts.of(["a b", "", "c"]).data
    b'a b\\x00\\x00c'
    """

    data: bytes
    rows: int

    @classmethod
    def of(cls, column: pl.Series | Iterable[str]) -> Texts:
        """Make texts from a polars column or from any iterable of strings."""
        if _is_polars(column):
            texts = cls._of_polars(column)
        else:
            column = list(column)
            try:
                texts = cls.of_joined(SEPARATOR.join(column), len(column))
            except TypeError:
                places = (i for i, text in enumerate(column) if not isinstance(text, str))
                raise _missing(next(places)) from None
        separators = len(texts.data) - int(np.count_nonzero(np.frombuffer(texts.data, np.uint8)))
        if separators != max(texts.rows - 1, 0):
            row = next(i for i, text in enumerate(column) if SEPARATOR in text)
            raise InputError("the text holds a NUL character", where=f"row {row + 1}")
        return texts

    @classmethod
    def _of_polars(cls, column: pl.Series) -> Texts:
        """Join a polars column without making a Python string of each row."""
        if column.null_count():
            raise _missing(column.is_null().arg_max() or 0)
        joined = column.str.join(SEPARATOR).cast(pl.Binary)
        return cls(joined.item() if len(column) else b"", len(column))

    @classmethod
    def of_joined(cls, joined: str, rows: int) -> Texts:
        """Make texts from a string in which the rows are already joined."""
        try:
            return cls(joined.encode(), rows)
        except UnicodeEncodeError as error:
            row = joined.count(SEPARATOR, 0, error.start) + 1
            raise InputError(
                "half of a surrogate pair, which is no character", where=f"row {row}"
            ) from None

    @cached_property
    def joined(self) -> str:
        """The joined rows as a Python string."""
        return self.data.decode()

    def split(self) -> list[str]:
        """Return the rows as a list."""
        return self.joined.split(SEPARATOR) if self.rows else []


def _is_polars(column: object) -> TypeGuard[pl.Series]:
    """Whether a column is a polars series, found without importing polars."""
    return type(column).__module__.startswith("polars.")


def _missing(row: int) -> InputError:
    return InputError(
        "there is no text (null, or not a string)",
        where=f"row {row + 1}",
        fix="write an empty string where nothing was said",
    )
