"""A stretch of text, cut into words whose places in the bytes are known, and put together again.

Whatever is not changed is copied byte by byte, white space included.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from misword.alignment import align
from misword.core import kernel_thresholds
from misword.core.types import Ids, Offsets, Tokens
from misword.text.normalizers import normalize, normalizers
from misword.text.texts import Texts
from misword.text.tokens import encode_words

Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]

ASCII_SPACE = np.zeros(256, bool)
ASCII_SPACE[[0, *range(0x09, 0x0E), *range(0x1C, 0x21)]] = True
# White space beyond ASCII, by its UTF-8 bytes.
WIDE_SPACES = tuple(
    chr(point).encode()
    for point in (
        *(0x85, 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000),
        *range(0x2000, 0x200B),
    )
)
WIDE_FIRST = np.zeros(256, bool)
WIDE_FIRST[[wide[0] for wide in WIDE_SPACES]] = True
BYTES_A_WORD = 3  # at least, on both sides of an alignment together


@dataclass(frozen=True, eq=False)
class Passage:
    """Rows of text (joined by NUL) and their words.

    Word `w` is `data[starts[w]:ends[w]]`; the words of row `r` are `offsets[r]:offsets[r + 1]`, and
    its bytes `edges[r]:edges[r + 1]`, the NUL at their end included. `labelled`: the first word of
    each row is an id, which stays and does not count.
    """

    data: Bytes
    edges: Offsets
    tokens: Tokens
    starts: Ints
    ends: Ints
    labelled: bool

    @classmethod
    def of(cls, data: bytes, rows: int, labelled: bool = False) -> Self:
        """Find the words."""
        tokens = words_of(data, rows)
        singles = np.frombuffer(data + b"\0", np.uint8)
        blank = spaces(data)
        edge = np.diff(blank.astype(np.int8), prepend=1, append=1)
        starts, ends = np.flatnonzero(edge == -1), np.flatnonzero(edge == 1)
        nul = np.flatnonzero(singles == 0) + 1
        edges = np.concatenate([[0], nul])[: rows + 1].astype(np.int64)
        return cls(singles, edges, tokens, starts, ends, labelled)

    def __len__(self) -> int:
        return len(self.edges) - 1

    @property
    def offsets(self) -> Offsets:
        """Where each row's words begin."""
        return self.tokens.offsets

    @property
    def large(self) -> bool:
        """Whether compiled code is loaded to align it; then it is used for every part of it."""
        return 2 * len(self.tokens.ids) >= kernel_thresholds.UNIT_ALIGNMENT

    @cached_property
    def vocabulary(self) -> list[str]:
        """The distinct words."""
        return list(self.tokens.vocabulary[:])

    @cached_property
    def row_of(self) -> Ints:
        """The row of each word."""
        return np.repeat(np.arange(len(self)), self.tokens.lengths)

    @property
    def word_ids(self) -> Ids:
        """The words, ids of rows left out."""
        return without_first(self.tokens).ids if self.labelled else self.tokens.ids

    @property
    def counts(self) -> Ints:
        """Words in each row, ids left out."""
        return np.maximum(self.tokens.lengths - self.labelled, 0)

    def splice(self, rows: Ints, begin: Ints, end: Ints, pieces: Ints, more: bytes) -> bytes:
        """The given rows, with the bytes `begin:end` of each edit replaced by one of `pieces`.

        Edits are in order and lie within `rows`, which are in order too; `pieces` has the two ends
        of each in `more`.
        """
        first, last = self.edges[rows], self.edges[rows + 1]
        owner = np.searchsorted(last, begin, side="right")
        before = np.searchsorted(owner, np.arange(len(rows)))  # edits in earlier rows
        count = len(rows) + len(begin)
        cut = np.zeros((count, 4), np.int64)  # a copied stretch, then a new piece, if any
        edit = np.arange(len(begin)) + owner
        cut[np.arange(len(rows)) + before, 0] = first
        cut[edit + 1, 0] = end
        cut[np.append(before[1:], len(begin)) + np.arange(len(rows)), 1] = last
        cut[edit, 1] = begin
        cut[edit, 2:] = pieces + len(self.data)
        pool = np.concatenate([self.data, np.frombuffer(more, np.uint8)])
        return gather(pool, cut[:, ::2].ravel(), cut[:, 1::2].ravel(), self.large)[:-1].tobytes()

    def part(self, rows: Ints) -> bytes:
        """The given rows as they are."""
        first, last = self.edges[rows], self.edges[rows + 1]
        return gather(self.data, first, last, self.large)[:-1].tobytes()

    def errors(self, rows: Ints, heard: bytes) -> Ints:
        """Hits, substitutions, insertions and deletions of rows, as `misword score` counts them."""
        if not len(rows):
            return np.zeros((0, 4), np.int64)
        chain = normalizers("nfc")
        sides = (Texts(self.part(rows), len(rows)), Texts(heard, len(rows)))
        large = self.large
        said, got = encode_words([normalize(side, chain) for side in sides], compiled=large)
        if self.labelled:
            said, got = without_first(said), without_first(got)
        return align(said, got, operations=False, workers=1, compiled=large).counts


def words_of(data: bytes, rows: int) -> Tokens:
    """The words of rows, by compiled code where that is loaded to align them anyway."""
    compiled = len(data) >= BYTES_A_WORD * kernel_thresholds.UNIT_ALIGNMENT
    return encode_words([Texts(data, rows)], compiled=compiled)[0]


def spaces(data: bytes) -> NDArray[np.bool_]:
    """Which bytes are white space, as `str.split` has it, or end a row."""
    blank: NDArray[np.bool_] = ASCII_SPACE[np.frombuffer(data, np.uint8)]
    if not data.isascii():
        padded = np.frombuffer(data + b"\0\0", np.uint8)
        first = np.flatnonzero(WIDE_FIRST[padded[:-2]])
        for wide in WIDE_SPACES:
            found = first
            for place, byte in enumerate(wide):
                found = found[padded[found + place] == byte]
            for place in range(len(wide)):
                blank[found + place] = True
    return blank


def gather(pool: Bytes, starts: Ints, ends: Ints, compiled: bool) -> Bytes:
    """The stretches `starts:ends` of a pool, one after the other."""
    lengths = ends - starts
    if compiled:
        from misword.noise.corruption.kernels import copy_stretches

        target = np.empty(int(lengths.sum()), np.uint8)
        copy_stretches(pool, starts, ends, target)
        return target
    offsets = np.cumsum(lengths) - lengths
    index = np.arange(int(lengths.sum())) + np.repeat(starts - offsets, lengths)
    found: Bytes = np.take(pool, index)
    return found


def without_first(tokens: Tokens) -> Tokens:
    """Each row without its first token."""
    keep = np.ones(len(tokens.ids), bool)
    filled = tokens.lengths > 0
    keep[tokens.offsets[:-1][filled]] = False
    ids: Ids = tokens.ids[keep]
    lengths = tokens.lengths - filled
    return Tokens(
        ids, np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64), tokens.vocabulary
    )
