"""Blocks of rows of text as bytes, with the place of each word, so that words can be replaced.

All bytes that are not replaced are copied, white space included. A block also counts the errors
of its noisy text, by the alignment that `misword score` uses.

A token is a run of characters between white space. Its core is the word that channels take: without
the punctuation around it, in lower case, in Unicode's composed form (NFC). When the core of a token
is replaced, the token keeps its punctuation and its case.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from misword.alignment import align
from misword.core.types import Ids, Offsets, Tokens
from misword.native.byte_ranges import gather
from misword.noise.arrays import Flags, Ints
from misword.text.normalizers import normalize, normalizers
from misword.text.texts import Texts
from misword.text.tokens import encode_words

APOSTROPHES = "'’"
QUOTES = frozenset("'’‘\"“”«»‹›`")
CASES = LOWER, TITLE, UPPER = tuple(range(3))


class WordShape(NamedTuple):
    """The number of bytes before the core of a token and in the core, its case, and the core."""

    before: int
    size: int
    case: int
    core: str


def word_shape(token: str) -> WordShape:
    """Cut a token into punctuation and core.

    An apostrophe at the end belongs to the core, unless the token begins with a quotation mark.

    >>> word_shape("Syria,").core, word_shape("(NASA").case == UPPER
    ('syria', True)
    >>> word_shape("qu'").core, word_shape("'no'").core
    ("qu'", 'no')
    >>> word_shape("--")
    WordShape(before=0, size=0, case=0, core='')
    """
    start, end = 0, len(token)
    while start < end and not _in_core(token[start]):
        start += 1
    while start < end and not _in_core(token[end - 1]):
        end -= 1
    if start == end:
        return WordShape(0, 0, LOWER, "")
    if token[end : end + 1] in tuple(APOSTROPHES) and QUOTES.isdisjoint(token[:start]):
        end += 1
    inner = token[start:end]
    core = unicodedata.normalize("NFC", inner).lower()
    return WordShape(len(token[:start].encode()), len(inner.encode()), letter_case(inner), core)


def letter_case(word: str) -> int:
    """Return `UPPER` for a word in capitals, `TITLE` for one that begins with one, else `LOWER`.

    >>> [letter_case(word) for word in ("cat", "Cat", "CAT", "I", "iPod")]
    [0, 1, 2, 1, 0]
    """
    letters = [c for c in word if c.isalpha()]
    if len(letters) > 1 and all(c.isupper() for c in letters):
        return UPPER
    return TITLE if word[:1].isupper() and word[1:] == word[1:].lower() else LOWER


def case_forms(word: str) -> Iterator[str]:
    """Yield a word in the cases `LOWER`, `TITLE` and `UPPER`.

    >>> list(case_forms("d'or"))
    ["d'or", "D'or", "D'OR"]
    """
    yield word
    yield word[:1].upper() + word[1:]
    yield word.upper()


def distinct_cores(tokens: Iterable[str]) -> list[str]:
    """Return the distinct cores of tokens, sorted; a token without letter or digit has none."""
    return sorted({word_shape(token).core for token in tokens} - {""})


def _in_core(character: str) -> bool:
    return character.isalnum() or unicodedata.category(character)[0] == "M"


# Blocks.

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
BLOCK_ROWS = 1 << 16  # rows of text in a block


@dataclass(frozen=True, eq=False)
class TextBlock:
    """Rows of text (joined by NUL) and their words.

    Word `w` is `data[starts[w]:ends[w]]`. The words of row `r` are `offsets[r]:offsets[r + 1]`, and
    its bytes are `edges[r]:edges[r + 1]`, with the NUL at their end. If `labelled` is set, the
    first word of each row is an utterance id, which is never changed and does not count.
    """

    data: Bytes
    edges: Offsets
    tokens: Tokens
    starts: Ints
    ends: Ints
    labelled: bool

    @classmethod
    def of(cls, data: bytes, rows: int, labelled: bool = False) -> Self:
        """Find the words of rows that are joined by NUL."""
        tokens = encode_rows(data, rows)
        array = np.frombuffer(data + b"\0", np.uint8)
        change = np.diff(is_space(data).astype(np.int8), prepend=1, append=1)
        starts, ends = np.flatnonzero(change == -1), np.flatnonzero(change == 1)
        after_nul = np.flatnonzero(array == 0) + 1
        edges = np.concatenate([[0], after_nul])[: rows + 1].astype(np.int64)
        return cls(array, edges, tokens, starts, ends, labelled)

    def __len__(self) -> int:
        return len(self.edges) - 1

    @property
    def offsets(self) -> Offsets:
        """The first word of each row, and the number of all words."""
        return self.tokens.offsets

    @cached_property
    def vocabulary(self) -> list[str]:
        """The distinct tokens."""
        return list(self.tokens.vocabulary[:])

    @cached_property
    def row_of(self) -> Ints:
        """The row of each word."""
        return np.repeat(np.arange(len(self)), self.tokens.lengths)

    @property
    def word_ids(self) -> Ids:
        """The token ids of all words, without the utterance ids."""
        return without_first(self.tokens).ids if self.labelled else self.tokens.ids

    @property
    def counts(self) -> Ints:
        """The number of words in each row, without the utterance ids."""
        return np.maximum(self.tokens.lengths - self.labelled, 0)

    @property
    def has_words(self) -> Flags:
        """Which rows have words; an utterance id counts as one."""
        flags: Flags = self.tokens.lengths > 0
        return flags

    def splice(self, rows: Ints, begin: Ints, end: Ints, pieces: Ints, source: bytes) -> bytes:
        """Return the given rows with the bytes `begin:end` of each edit replaced by a piece.

        `pieces` has the two ends of each edit's piece in `source`. The rows and the edits are in
        rising order, and the edits are within the rows.
        """
        first, last = self.edges[rows], self.edges[rows + 1]
        edit_row = np.searchsorted(last, begin, side="right")
        edits_before = np.searchsorted(edit_row, np.arange(len(rows)))  # in earlier rows
        # One line for each copied range, with the piece after it (empty at the end of a row).
        ranges = np.zeros((len(rows) + len(begin), 4), np.int64)
        edit = np.arange(len(begin)) + edit_row
        ranges[np.arange(len(rows)) + edits_before, 0] = first
        ranges[edit + 1, 0] = end
        ranges[np.append(edits_before[1:], len(begin)) + np.arange(len(rows)), 1] = last
        ranges[edit, 1] = begin
        ranges[edit, 2:] = pieces + len(self.data)
        pool = np.concatenate([self.data, np.frombuffer(source, np.uint8)])
        starts, ends = ranges[:, ::2].ravel(), ranges[:, 1::2].ravel()
        return gather(pool, starts, ends - starts)[:-1].tobytes()

    def text(self, rows: Ints) -> bytes:
        """Return the given rows unchanged."""
        first, last = self.edges[rows], self.edges[rows + 1]
        return gather(self.data, first, last - first)[:-1].tobytes()

    def count_errors(self, rows: Ints, noisy: bytes) -> Ints:
        """Return hits, substitutions, insertions and deletions of each row against its noisy text.

        They are counted as `misword score` does.
        """
        if not len(rows):
            return np.zeros((0, 4), np.int64)
        chain = normalizers("nfc")
        sides = (Texts(self.text(rows), len(rows)), Texts(noisy, len(rows)))
        tokens = encode_words([normalize(side, chain) for side in sides])
        reference, hypothesis = map(without_first, tokens) if self.labelled else tokens
        return align(reference, hypothesis, operations=False, workers=1).counts


def blocks_of(pieces: Iterable[tuple[bytes, int]], labelled: bool = False) -> Iterator[TextBlock]:
    """Yield a block for each piece: rows that are joined by NUL, and their number."""
    for data, rows in pieces:
        yield TextBlock.of(data, rows, labelled)


def encode_rows(data: bytes, rows: int) -> Tokens:
    """Return the tokens of rows."""
    return encode_words([Texts(data, rows)])[0]


def is_space(data: bytes) -> Flags:
    """Return which bytes are white space, as `str.split` defines it, or the NUL between rows."""
    flags: Flags = ASCII_SPACE[np.frombuffer(data, np.uint8)]
    if not data.isascii():
        padded = np.frombuffer(data + b"\0\0", np.uint8)
        first = np.flatnonzero(WIDE_FIRST[padded[:-2]])
        for wide in WIDE_SPACES:
            places = first
            for offset, byte in enumerate(wide):
                places = places[padded[places + offset] == byte]
            for offset in range(len(wide)):
                flags[places + offset] = True
    return flags


def without_first(tokens: Tokens) -> Tokens:
    """Return the tokens of each row without the first one."""
    keep = np.ones(len(tokens.ids), bool)
    filled = tokens.lengths > 0
    keep[tokens.offsets[:-1][filled]] = False
    ids: Ids = tokens.ids[keep]
    lengths = tokens.lengths - filled
    return Tokens(
        ids, np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64), tokens.vocabulary
    )


def cut_label(row: str) -> tuple[str, str]:
    """Return the utterance id that a row begins with, and the rest.

    >>> cut_label("utt1  a b "), cut_label("utt2")
    (('utt1', 'a b '), ('utt2', ''))
    """
    label, *rest = row.split(None, 1)
    return label, "".join(rest)


def texts_of_rows(rows: list[str], labelled: bool) -> list[str]:
    """Return the texts of rows, which begin with an utterance id if they are `labelled`."""
    return [cut_label(row)[1] for row in rows] if labelled else rows
