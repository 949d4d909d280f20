"""Millions of words that are looked up without a Python object for each.

The words are one UTF-8 text with offsets. A sorted array of their hashes finds a word by binary
search, and its letters are then compared: all three can be mapped from a file, so opening costs
nothing and a search touches a few pages.
"""

from __future__ import annotations

import mmap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self, overload

import numpy as np
from numpy.typing import NDArray

SPREAD, MIX = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)
HALF = np.uint64(29)
EIGHT = 8
# What counts of eight bytes (little-endian) when so many are left.
MASKS = np.array([(1 << 8 * left) - 1 for left in range(EIGHT + 1)], np.uint64)


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary(Sequence[str]):
    """Distinct words in order; `hashes` are sorted, `order` says whose they are."""

    text: bytes | mmap.mmap
    offsets: NDArray[np.int64]
    hashes: NDArray[np.uint64]
    order: NDArray[np.int32]

    @classmethod
    def of(cls, text: bytes, offsets: NDArray[np.int64]) -> tuple[Self, NDArray[np.int64]]:
        """The distinct words, and which ones came before and are left out."""
        hashes = hash_words(text, offsets)
        order = np.argsort(hashes, kind="stable")
        doubled = _doubled(text, offsets, hashes, order)
        if len(doubled):
            keep = np.ones(len(hashes), np.bool_)
            keep[doubled] = False
            lengths = np.diff(offsets)
            letters = np.frombuffer(text, np.uint8)[np.repeat(keep, lengths)]
            offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths[keep])])
            text, hashes = letters.tobytes(), hashes[keep]
            order = np.argsort(hashes, kind="stable")
        return cls(text, offsets, hashes[order], order.astype(np.int32)), doubled

    def first(self, count: int) -> Self:
        """The first so many words alone."""
        if count >= len(self):
            return self
        ours = self.order < count
        offsets = self.offsets[: count + 1]
        return type(self)(self.text, offsets, self.hashes[ours], self.order[ours])

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        index %= len(self)
        return self.text[self.offsets[index] : self.offsets[index + 1]].decode()

    def find(self, words: Sequence[str]) -> NDArray[np.int64]:
        """The place of each word, -1 where there is none."""
        found = np.full(len(words), -1, np.int64)
        # A lone surrogate is in no file; encoded somehow, it is simply not found.
        encoded = [word.encode("utf-8", "surrogatepass") for word in words]
        lengths = np.fromiter(map(len, encoded), np.int64, len(encoded))
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
        hashes = hash_words(b"".join(encoded), offsets)
        at = np.searchsorted(self.hashes, hashes)
        open_ = np.arange(len(words))
        while len(open_ := open_[at[open_] < len(self)]):
            open_ = open_[self.hashes[at[open_]] == hashes[open_]]
            rows = self.order[at[open_]].astype(np.int64)
            spans = zip(self.offsets[rows].tolist(), self.offsets[rows + 1].tolist(), strict=True)
            asked = [encoded[i] for i in open_.tolist()]
            pairs = zip(spans, asked, strict=True)
            same = np.array([self.text[lo:hi] == word for (lo, hi), word in pairs], np.bool_)
            found[open_[same]] = rows[same]
            open_ = open_[~same]  # another word with the same hash: look at the next
            at[open_] += 1
        return found


def hash_words(text: bytes, offsets: NDArray[np.int64]) -> NDArray[np.uint64]:
    """A hash of each word, the same on every machine: eight bytes of all words at a time."""
    padded = text + bytes(EIGHT)
    eights = np.ndarray((len(text) + 1,), "<u8", padded, strides=(1,))
    at, left = offsets[:-1].copy(), np.diff(offsets)
    hashes = left.astype(np.uint64) * SPREAD
    open_ = np.flatnonzero(left > 0)
    while len(open_):
        piece = eights[at[open_]] & MASKS[np.minimum(left[open_], EIGHT)]
        mixed = (hashes[open_] ^ piece) * MIX
        hashes[open_] = (mixed ^ (mixed >> HALF)) * SPREAD
        at[open_] += EIGHT
        left[open_] -= EIGHT
        open_ = open_[left[open_] > 0]
    return hashes


def _doubled(
    text: bytes,
    offsets: NDArray[np.int64],
    hashes: NDArray[np.uint64],
    order: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Words that stand there before; only words with equal hashes are compared."""
    ordered = hashes[order]
    alike = np.flatnonzero(ordered[1:] == ordered[:-1])
    rows = np.unique(np.concatenate([order[alike], order[alike + 1]]))
    seen: set[bytes] = set()
    doubled = []
    for row in rows.tolist():
        word = text[offsets[row] : offsets[row + 1]]
        if word in seen:
            doubled.append(row)
        seen.add(word)
    return np.array(doubled, np.int64)
