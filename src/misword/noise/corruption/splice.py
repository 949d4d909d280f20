"""Edits of words, and the edits of bytes that write them into a text block.

`WordEdits` says which word of a block is substituted, deleted or followed by an insertion.
`byte_edits` computes from it which bytes of the block `TextBlock.splice` replaces, and by which
bytes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from misword.noise.arrays import Flags, Ints
from misword.noise.corruption.sampler import Spellings, TokenShapes
from misword.noise.corruption.text_block import TextBlock
from misword.noise.corruption.word_shape import LOWER, UPPER

# Values of `WordEdits.words` that are no id, and of `WordEdits.insertions` where there is none.
UNCHANGED, DELETED = -1, -2
NO_INSERTION = -1


@dataclass(slots=True, eq=False)
class WordEdits:
    """The edits of all words of a text block.

    `words` has the id of the substitute of each word, or `UNCHANGED`, or `DELETED`. `insertions`
    has the id of the word that is inserted after each word, and then, for each row, the id of the
    word that is inserted before its first word; `NO_INSERTION` where nothing is inserted.
    """

    words: Ints
    insertions: Ints

    @classmethod
    def none(cls, block: TextBlock) -> WordEdits:
        """Return edits that change nothing."""
        size = len(block.tokens.ids)
        return cls(
            np.full(size, UNCHANGED, np.int64),
            np.full(size + len(block), NO_INSERTION, np.int64),
        )

    @property
    def after_words(self) -> Ints:
        """The insertions after each word."""
        return self.insertions[: len(self.words)]

    @property
    def before_rows(self) -> Ints:
        """The insertions before the first word of each row."""
        return self.insertions[len(self.words) :]


def write_rows(
    block: TextBlock, shapes: TokenShapes, edits: WordEdits, rows: Ints, spellings: Spellings
) -> bytes:
    """Return the given rows of a block with all their edits, joined by NUL."""
    chosen = np.zeros(len(block), bool)
    chosen[rows] = True
    places = byte_edits(block, shapes, edits, chosen, spellings)
    return block.splice(rows, *places, spellings.data)


def gaps_beside_deletions(block: TextBlock, edits: WordEdits) -> Flags:
    """Return which gaps are beside a deleted word: an insertion there aligns as a substitution.

    The gaps are in the order of `WordEdits.insertions`.
    """
    size = len(edits.words)
    deleted = edits.words == DELETED
    beside: Flags = np.zeros(len(edits.insertions), bool)
    beside[:size] = deleted
    beside[:size][:-1] |= deleted[1:]  # also across rows, where it does no harm
    first, has_words = block.offsets[:-1], block.has_words
    beside[size:][has_words] |= deleted[first[has_words]]
    return beside


def byte_edits(
    block: TextBlock, shapes: TokenShapes, edits: WordEdits, rows: Flags, spellings: Spellings
) -> tuple[Ints, Ints, Ints]:
    """Return the edits of the rows whose flag is set, as three arrays with a row for each edit.

    The arrays are `begin`, `end` and `pieces`: the bytes `begin:end` of the block are replaced by
    the bytes `pieces[0]:pieces[1]` of the spellings. Edits are sorted by their place.
    """
    table = np.concatenate(
        [
            _substitutions(block, shapes, edits, rows, spellings),
            _deletions(block, edits, rows),
            _insertions_after_words(block, shapes, edits, rows, spellings),
            _insertions_before_rows(block, shapes, edits, rows, spellings),
        ],
        axis=1,
    )
    begin, end, low, high = table[:, np.lexsort((table[1], table[0]))]
    return begin, end, np.stack([low, high], axis=1)


def _substitutions(
    block: TextBlock, shapes: TokenShapes, edits: WordEdits, rows: Flags, spellings: Spellings
) -> Ints:
    """Replace the core of each substituted word, in the case of the word."""
    words = np.flatnonzero((edits.words >= 0) & rows[block.row_of])
    token = block.tokens.ids[words]
    core = block.starts[words] + shapes.before[token]
    form = spellings.form(edits.words[words], shapes.case[token])
    offsets = spellings.offsets
    return np.stack([core, core + shapes.size[token], offsets[form] + 1, offsets[form + 1] - 1])


def _deletions(block: TextBlock, edits: WordEdits, rows: Flags) -> Ints:
    """Delete words with the white space before them, or after them at the beginning of a row."""
    deleted = edits.words == DELETED
    words = np.flatnonzero(deleted & rows[block.row_of])
    if not len(words):
        return np.zeros((4, 0), np.int64)
    first = block.offsets[block.row_of[words]]
    last = block.offsets[block.row_of[words] + 1] - 1
    so_far = np.cumsum(deleted)
    # Whether all words of the row up to this one are deleted.
    leading = so_far[words] - so_far[first] + deleted[first] == words - first + 1
    following = block.starts[np.minimum(words + 1, len(deleted) - 1)]
    begin = np.where(leading, block.starts[words], block.ends[np.maximum(words - 1, 0)])
    end = np.where(leading & (words < last), following, block.ends[words])
    return np.stack([begin, end, np.zeros_like(begin), np.zeros_like(begin)])


def _insertions_after_words(
    block: TextBlock, shapes: TokenShapes, edits: WordEdits, rows: Flags, spellings: Spellings
) -> Ints:
    """Insert a space and a word; the word is in capitals if the word before it is."""
    words = np.flatnonzero((edits.after_words >= 0) & rows[block.row_of])
    form = spellings.form(edits.after_words[words], _inserted_case(block, shapes, words))
    at = block.ends[words]
    return np.stack([at, at, spellings.offsets[form], spellings.offsets[form + 1] - 1])


def _insertions_before_rows(
    block: TextBlock, shapes: TokenShapes, edits: WordEdits, rows: Flags, spellings: Spellings
) -> Ints:
    """Insert a word and a space; the word is in capitals if the word after it is."""
    numbers = np.flatnonzero((edits.before_rows >= 0) & rows)
    first = block.offsets[numbers]
    form = spellings.form(edits.before_rows[numbers], _inserted_case(block, shapes, first))
    at = block.starts[first]
    return np.stack([at, at, spellings.offsets[form] + 1, spellings.offsets[form + 1]])


def _inserted_case(block: TextBlock, shapes: TokenShapes, neighbours: Ints) -> Ints:
    """Return the case of inserted words beside their neighbours: capitals beside capitals."""
    case: Ints = shapes.case[block.tokens.ids[neighbours]]
    return np.where(case == UPPER, UPPER, LOWER)
