"""A vocabulary of millions of words without a Python object for each.

The words are one UTF-8 text with offsets. A word is found by binary search in a sorted array of
hashes, and its bytes are then compared. All arrays can be memory-mapped, so opening takes no time
and a search reads only a few pages.
"""

from __future__ import annotations

import mmap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self, overload

import numpy as np
from numpy.typing import NDArray

from misword.core.types import offsets_of
from misword.native.byte_ranges import hash_words


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary(Sequence[str]):
    """Distinct words in order.

    Word `i` is `text[offsets[i] : offsets[i + 1]]`. `hashes` is sorted; `hashes[j]` is the hash of
    word `order[j]`.
    """

    text: bytes | mmap.mmap
    offsets: NDArray[np.int64]
    hashes: NDArray[np.uint64]
    order: NDArray[np.int32]

    @classmethod
    def of(cls, text: bytes, offsets: NDArray[np.int64]) -> tuple[Self, NDArray[np.int64]]:
        """Return the vocabulary of distinct words and the places of repeated words, left out."""
        hashes = hash_words(text, offsets)
        order = np.argsort(hashes, kind="stable")
        repeated = _repeated_words(text, offsets, hashes, order)
        if len(repeated):
            distinct = np.ones(len(hashes), np.bool_)
            distinct[repeated] = False
            lengths = np.diff(offsets)
            letters = np.frombuffer(text, np.uint8)[np.repeat(distinct, lengths)]
            offsets = offsets_of(lengths[distinct])
            text, hashes = letters.tobytes(), hashes[distinct]
            order = np.argsort(hashes, kind="stable")
        return cls(text, offsets, hashes[order], order.astype(np.int32)), repeated

    def first(self, count: int) -> Self:
        """Return the vocabulary of the first `count` words."""
        if count >= len(self):
            return self
        included = self.order < count
        offsets = self.offsets[: count + 1]
        return type(self)(self.text, offsets, self.hashes[included], self.order[included])

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
        """Return the index of each word in the vocabulary; -1 for words that are not in it."""
        indices = np.full(len(words), -1, np.int64)
        # Half of a surrogate pair is in no file; "surrogatepass" encodes it without an error.
        encoded = [word.encode("utf-8", "surrogatepass") for word in words]
        lengths = np.fromiter(map(len, encoded), np.int64, len(encoded))
        offsets = offsets_of(lengths)
        hashes = hash_words(b"".join(encoded), offsets)
        at = np.searchsorted(self.hashes, hashes)
        pending = np.arange(len(words))
        while len(pending := pending[at[pending] < len(self)]):
            pending = pending[self.hashes[at[pending]] == hashes[pending]]
            rows = self.order[at[pending]].astype(np.int64)
            spans = zip(self.offsets[rows].tolist(), self.offsets[rows + 1].tolist(), strict=True)
            pairs = zip(spans, (encoded[i] for i in pending.tolist()), strict=True)
            equal = np.array([self.text[lo:hi] == word for (lo, hi), word in pairs], np.bool_)
            indices[pending[equal]] = rows[equal]
            pending = pending[~equal]  # another word has the same hash: try the next one
            at[pending] += 1
        return indices


def _repeated_words(
    text: bytes,
    offsets: NDArray[np.int64],
    hashes: NDArray[np.uint64],
    order: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return the places of words that also occur earlier; only equal hashes are compared."""
    ordered = hashes[order]
    equal = np.flatnonzero(ordered[1:] == ordered[:-1])
    candidates = np.unique(np.concatenate([order[equal], order[equal + 1]]))
    seen: set[bytes] = set()
    repeated = []
    for row in candidates.tolist():
        word = text[offsets[row] : offsets[row + 1]]
        if word in seen:
            repeated.append(row)
        seen.add(word)
    return np.array(repeated, np.int64)
