"""A column of text as one string, so that every step over it is one call into native code."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeGuard

from misword.core.errors import InputError

if TYPE_CHECKING:
    import polars as pl

SEPARATOR = "\0"


@dataclass(frozen=True, slots=True)
class Texts:
    """Rows of text joined by NUL, a character that no transcript has (one that does is refused).

    >>> Texts.of(["a b", "", "c"]).joined
    'a b\\x00\\x00c'
    """

    joined: str
    rows: int

    @classmethod
    def of(cls, column: pl.Series | Iterable[str]) -> Texts:
        """Join a polars column or any iterable of strings."""
        if _is_polars(column):
            if column.null_count():
                raise _missing(column.is_null().arg_max() or 0)
            wrong = column.str.contains(SEPARATOR, literal=True)
            if wrong.any():
                raise _nul(wrong.arg_max() or 0)
            return cls(column.str.join(SEPARATOR).item() if len(column) else "", len(column))
        texts = list(column)
        for row, text in enumerate(texts):
            if not isinstance(text, str):
                raise _missing(row)
            if SEPARATOR in text:
                raise _nul(row)
        return cls(SEPARATOR.join(texts), len(texts))

    def split(self) -> list[str]:
        """The rows again."""
        return self.joined.split(SEPARATOR) if self.rows else []

    def encode(self) -> bytes:
        """UTF-8 bytes of the joined rows."""
        try:
            return self.joined.encode()
        except UnicodeEncodeError as error:
            row = self.joined.count(SEPARATOR, 0, error.start) + 1
            raise InputError("a lone surrogate is not a character", where=f"row {row}") from None


def _is_polars(column: object) -> TypeGuard[pl.Series]:
    """Whether a column is polars', told without importing it."""
    return type(column).__module__.startswith("polars.")


def _missing(row: int) -> InputError:
    return InputError(
        "there is no text (null, or not a string)",
        where=f"row {row + 1}",
        fix="write an empty string for silence: empty is data, missing is not",
    )


def _nul(row: int) -> InputError:
    return InputError("the text holds a NUL character", where=f"row {row + 1}")
