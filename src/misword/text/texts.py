"""A column of text as one string, so that every step over it is one call into native code."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

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
        texts: Any = column if hasattr(column, "null_count") else _listed(column)
        rows = len(texts)
        if isinstance(texts, list):
            joined = SEPARATOR.join(texts)
        elif texts.null_count():
            raise _missing(texts.is_null().arg_max())
        else:
            joined = texts.str.join(SEPARATOR).item() if rows else ""
        if joined.count(SEPARATOR) != max(rows - 1, 0):
            row = next(i for i, text in enumerate(texts) if SEPARATOR in text)
            raise InputError("the text holds a NUL character", where=f"row {row + 1}")
        return cls(joined, rows)

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


def _listed(column: Iterable[str]) -> list[str]:
    texts = list(column)
    wrong = [i for i, text in enumerate(texts) if not isinstance(text, str)]
    if wrong:
        raise _missing(wrong[0])
    return texts


def _missing(row: int) -> InputError:
    return InputError(
        "there is no text (null, or not a string)",
        where=f"row {row + 1}",
        fix="write an empty string for silence: empty is data, missing is not",
    )
