"""The formatted words of both sides, aligned without regard to punctuation and capitals."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.alignment.engine import align
from misword.asr.formatting.marks import CAPITALS, MARKS, divide
from misword.asr.pairs import Pairs
from misword.asr.views.word import Word
from misword.core.types import Op, Tokens

Numbers = NDArray[np.int64]
Sets = NDArray[np.uint8]  # a bit for each name of a list
SIZES = np.array([number.bit_count() for number in range(256)])  # of each set


class WordForms(NamedTuple):
    """What the words of a vocabulary are: arrays by word id.

    `bare` and `core` are numbers of the bare word and of the word in its case, -1 for a token that
    is punctuation alone. `bare_words` has the bare word of each number. `marks` and `capitals` are
    sets of names as bits.
    """

    bare_words: list[str]
    bare: Numbers
    core: Numbers
    marks: Sets
    capitals: Sets

    @classmethod
    def of(cls, words: Sequence[str]) -> WordForms:
        """Divide each word of a vocabulary once."""
        divided = [divide(word) for word in words]
        bare_words, bare = numbered([word.bare for word in divided])
        return cls(
            bare_words,
            bare,
            numbered([word.core for word in divided])[1],
            np.array([_bits(word.marks, MARKS) for word in divided], np.uint8),
            np.array([_bits({word.capitals}, CAPITALS) for word in divided], np.uint8),
        )


class FormattedSide(NamedTuple):
    """The bare words of all texts of one side, with what belongs to each word."""

    tokens: Tokens
    core: Numbers
    marks: Sets
    capitals: Sets


class FormattedSteps(NamedTuple):
    """Pairs of words that are aligned with each other, and the marks of the words without a mate.

    Row `i` of each array is one pair of words: the number of the pair of texts, whether the bare
    words are equal, whether they are in the same case, and the sets of marks and of capitals of
    both sides. `alone` counts the marks at deleted and inserted words of each pair of texts.
    """

    pair: Numbers
    equal: NDArray[np.bool_]
    same_case: NDArray[np.bool_]
    marks: tuple[Sets, Sets]
    capitals: tuple[Sets, Sets]
    alone: Numbers


def numbered(texts: Sequence[str]) -> tuple[list[str], Numbers]:
    """Return the distinct texts, and the number of each text; an empty text has the number -1."""
    numbers: dict[str, int] = {}
    listed = [numbers.setdefault(t, len(numbers)) if t else -1 for t in texts]
    return list(numbers), np.array(listed, np.int64)


def _bits(names: Container[str], known: Sequence[str]) -> int:
    return sum(1 << i for i, name in enumerate(known) if name in names)


def has(sets: Sets, number: int) -> NDArray[np.bool_]:
    """Return which sets have a name, by its number.

    >>> has(np.array([1, 2, 3], np.uint8), 1).tolist()
    [False, True, True]
    """
    return np.asarray((sets >> number) & 1, np.bool_)


def formatted_steps(pairs: Pairs) -> FormattedSteps:
    """Align the bare words of all pairs of texts; computed once for all metrics."""
    return pairs.once("formatted steps", lambda: _steps(pairs))


def _steps(pairs: Pairs) -> FormattedSteps:
    sides = Word().tokens(pairs.utterances)
    forms = WordForms.of(sides[0].vocabulary[:])
    left, right = (_side(tokens, forms) for tokens in sides)
    alignment = align(left.tokens, right.tokens, pairs=pairs.index, workers=pairs.context.workers)
    operations, offsets = alignment.all_operations, alignment.all_offsets
    owner = np.repeat(np.arange(len(pairs)), np.diff(offsets))
    places = [
        _taken(side.tokens, rows) for side, rows in zip((left, right), pairs.index.T, strict=True)
    ]
    matched = (operations == Op.HIT) | (operations == Op.SUBSTITUTION)
    alone = np.zeros(len(pairs), np.int64)
    taken = []
    for side, place, absent in zip((left, right), places, (Op.INSERTION, Op.DELETION), strict=True):
        present = operations != absent
        mates = matched[present]
        counts = SIZES[side.marks[place[~mates]]]
        alone += np.bincount(owner[present][~mates], counts, len(pairs)).astype(np.int64)
        taken.append(place[mates])
    ours, theirs = taken
    return FormattedSteps(
        owner[matched],
        operations[matched] == Op.HIT,
        left.core[ours] == right.core[theirs],
        (left.marks[ours], right.marks[theirs]),
        (left.capitals[ours], right.capitals[theirs]),
        alone,
    )


def _taken(tokens: Tokens, rows: Numbers) -> Numbers:
    """Return the places of the tokens of some rows, one row after the other."""
    places = Tokens(np.arange(len(tokens.ids), dtype=np.int32), tokens.offsets, ())
    return places.take(rows).ids.astype(np.int64)


def _side(tokens: Tokens, forms: WordForms) -> FormattedSide:
    """Return the bare words; marks that stand alone belong to the word before them.

    Marks before the first word of a text belong to that word.
    """
    ids = tokens.ids.astype(np.int64)
    kept = forms.bare[ids] >= 0
    counts = np.concatenate([[0], np.cumsum(kept)])
    offsets = counts[tokens.offsets].astype(np.int64)
    rows = np.repeat(np.arange(len(tokens)), tokens.lengths)
    owner = np.maximum(counts[1:] - 1, offsets[rows])
    has_words = offsets[rows] < offsets[rows + 1]
    marks = np.zeros(int(counts[-1]), np.uint8)
    np.bitwise_or.at(marks, owner[has_words], forms.marks[ids[has_words]])
    words = ids[kept]
    bare = Tokens(forms.bare[words].astype(np.int32), offsets, forms.bare_words)
    return FormattedSide(bare, forms.core[words], marks, forms.capitals[words])
