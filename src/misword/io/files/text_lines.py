"""The lines of a large text, decoded when they are read.

A Python string for each line of a file takes twice the memory of the file. Here the text stays in
UTF-8; the start of each line takes eight bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, overload

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import polars as pl

NEWLINE = ord("\n")
# Bytes that are searched for line ends at once, and lines that are decoded at once.
SEARCHED = 1 << 22
DECODED = 1 << 13


class TextLines(Sequence[str]):
    r"""The lines of valid UTF-8 text, which `\n` ends; the last line may have no end.

    >>> lines = TextLines(b"a b\n\nc")
    >>> len(lines), lines[0], lines[1:], lines.column().to_list()
    (3, 'a b', ['', 'c'], ['a b', '', 'c'])
    """

    def __init__(self, data: bytes) -> None:
        self._data = data

    @cached_property
    def _starts(self) -> NDArray[np.int64]:
        """The first byte of each line, and at the end that of a line after the last one."""
        whole = np.frombuffer(self._data, np.uint8)
        found = [
            np.flatnonzero(whole[lo : lo + SEARCHED] == NEWLINE) + (lo + 1)
            for lo in range(0, len(whole), SEARCHED)
        ]
        without_end = self._data and not self._data.endswith(b"\n")
        last = np.array([len(whole) + 1] if without_end else [], np.int64)
        return np.concatenate([np.zeros(1, np.int64), *found, last])

    def __len__(self) -> int:
        return len(self._starts) - 1

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, int):
            at = range(len(self))[index]
            return self._text(at, at + 1)
        rows = range(len(self))[index]
        if rows.step == 1:
            return self._block(rows.start, rows.stop)
        return [self[row] for row in rows]

    def __iter__(self) -> Iterator[str]:
        for lo in range(0, len(self), DECODED):
            yield from self._block(lo, min(lo + DECODED, len(self)))

    def column(self, name: str = "text") -> pl.Series:
        """Return the lines as a column, made without a Python string for each line."""
        import polars as pl

        parts = [
            pl.Series(name, [self._text(lo, min(lo + DECODED, len(self)))]).str.split("\n")
            for lo in range(0, len(self), DECODED)
        ]
        if not parts:
            return pl.Series(name, [], pl.String)
        return pl.concat([part.explode() for part in parts])

    def blocks(self, size: int) -> Iterator[bytes]:
        r"""Yield the text in blocks of whole lines, each of at most `size` bytes if lines allow it.

        >>> list(TextLines(b"a b\n\nc\n").blocks(5))
        [b'a b\n\n', b'c\n']
        """
        starts, lo = self._starts, 0
        while lo < len(self):
            hi = int(np.searchsorted(starts, starts[lo] + size, side="right")) - 1
            hi = min(max(hi, lo + 1), len(self))
            yield self._data[starts[lo] : starts[hi]]
            lo = hi

    def _block(self, lo: int, hi: int) -> list[str]:
        return self._text(lo, hi).split("\n") if lo < hi else []

    def _text(self, lo: int, hi: int) -> str:
        """Return lines `lo` to `hi` - 1 as one text, without the end of the last one."""
        return self._data[self._starts[lo] : self._starts[hi] - 1].decode()
