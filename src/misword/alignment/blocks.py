"""Alignment in which blocks of words, and single words, match at no cost.

The reference is a graph of words: after `{`, between two `/` and before `}` are alternatives, of
which one is chosen. The hypothesis is a sequence of words. Words of one class are equal. The steps
of an alignment, each with its price, are

- a hit of two equal words (0), a substitution, a deletion and an insertion (`Prices`);
- the deletion or insertion of an optional word (0);
- a block (0): a reference span and a hypothesis span with the same key match as a whole. A span of
  the reference is within one segment, that is, between two signs, or within the written reading,
  which has of each group one alternative. A block whose two sides are equal word by word is not
  used, since its words are hits;
- a block with one side (0): an optional span of the reference or of the hypothesis is left out as a
  whole.

The words of blocks, and optional words that are deleted or inserted, are *forgiven*.

The alignment has the lowest price; among those, the fewest forgiven words on both sides; among
those, the one that this rule finds from the end backwards (`Prices.count_empty`: empty alternatives
count as forgiven words do). After a reference word, the last step
is the first of the following that leads to such an alignment:

1. a hit or a substitution,
2. an insertion,
3. a deletion,
4. a block, of several that with the fewest words on both sides, then with the lowest number of its
   family, then with the reference span listed first, then with the hypothesis span listed first;
   spans are listed by segment and start, else as they are given, those of the written reading
   last. A block without a reference span is after those with one.

At the end of a group, the first alternative that leads to such an alignment is taken. Before the
first reference word, the steps are insertions and blocks without reference words.

Where the lowest price, or the price of inserting the words of consecutive optional spans, times the
number of words that could be forgiven exceeds 2^28, the number of forgiven words does not count.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.alignment import engine
from misword.alignment.engine import check_pairs
from misword.alignment.kernels import Sides
from misword.core.errors import InputError
from misword.core.types import Offsets, Tokens, join_ranges, offsets_of
from misword.core.workers import run
from misword.native.byte_ranges import gather
from misword.native.library import INTEGER, OK, array, kernel

Integers = NDArray[np.int64]

FAMILIES = 32  # numbers of families are below
NOT_OPTIONAL = 255
# The operation of a forgiven word is FORGIVEN plus the number of its family, plus OF_HYPOTHESIS if
# it is a hypothesis word, plus FIRST_OF_BLOCK if it is the first word of its block.
FORGIVEN, FIRST_OF_BLOCK, OF_HYPOTHESIS = 128, 64, 32
# The key of an optional span is OPTIONAL less the number of the family that allows to leave it out.
OPTIONAL = -1
# Cells of the edit matrix that are kept in memory: 4 bytes each.
CELLS = 1 << 18

WORDS, NUMBERS, BYTES = array(np.int32), array(np.int64), array(np.uint8)
_align_blocks = kernel(
    "misword_align_blocks", WORDS, NUMBERS, NUMBERS, BYTES, NUMBERS, NUMBERS, NUMBERS, NUMBERS,
    WORDS, NUMBERS, WORDS, BYTES, NUMBERS, NUMBERS, NUMBERS, NUMBERS, BYTES, INTEGER, NUMBERS,
    NUMBERS, INTEGER, NUMBERS, INTEGER, INTEGER, array(np.int32, out=True),
    array(np.int64, out=True), array(np.uint8, out=True), array(np.int64, out=True),
)  # fmt: skip


class ChosenSegments(NamedTuple):
    """One reading of each reference: the segments that have its words.

    Reference `r` has the segments `chosen[at[r]:at[r + 1]]`, counted from its first one. `row[r]`
    is the row of `WrittenReferences.segments` that has the words of all of them, or -1.
    """

    row: Integers
    chosen: Integers
    at: Offsets

    @classmethod
    def none(cls, references: int) -> ChosenSegments:
        """Return an empty set of readings."""
        nothing = np.zeros(0, np.int64), np.zeros(references + 1, np.int64)
        return cls(np.full(references, -1, np.int64), *nothing)


@dataclass(frozen=True, slots=True, eq=False)
class WrittenReferences:
    """The words of references, and the signs of alternatives between their segments.

    Reference `r` has the signs `signs[sign_at[r]:sign_at[r + 1]]`: `{`, `/` and `}`, with every
    group complete. Its segments are one more than its signs; the first is row `first_segment[r]`
    of `segments`. The written reading is that of `reading`; its spans may be in several segments.
    """

    segments: Tokens
    first_segment: Offsets
    signs: NDArray[np.uint8]
    sign_at: Offsets
    reading: ChosenSegments

    @property
    def lengths(self) -> Offsets:
        """The number of words in all segments of each reference."""
        end = self.first_segment + np.diff(self.sign_at) + 1
        return np.asarray(self.segments.offsets[end] - self.segments.offsets[self.first_segment])

    def arguments(self, hypotheses: Tokens) -> tuple[Any, ...]:
        """Return the parameters of the kernel for the words of both sides, after checks."""
        first, sign_at = self.first_segment, self.sign_at
        if len(sign_at) != len(first) + 1 or sign_at[0] or sign_at[-1] != len(self.signs):
            raise ValueError("`sign_at` needs one number more than there are references")
        if len(first) and (
            first.min() < 0 or (first + np.diff(sign_at)).max() >= len(self.segments)
        ):
            raise ValueError("references must consist of segments, counted from 0")
        self._check_reading()
        sides = Sides.of(self.segments, hypotheses)
        words, heard = (np.asarray(ids, np.int32) for ids in (sides.reference, sides.hypothesis))
        written = words, sides.reference_at, first, self.signs, sign_at, *self.reading
        return *written, heard, sides.hypothesis_at

    def _check_reading(self) -> None:
        """Raise ValueError if a written reading does not consist of segments of its reference."""
        row, chosen, at = self.reading
        owner = np.repeat(np.arange(len(row)), np.diff(at))
        if len(row) != len(self.first_segment) or len(owner) != len(chosen):
            raise ValueError("`reading` needs a row and segments for each reference")
        if len(chosen) and (chosen.min() < 0 or (chosen > np.diff(self.sign_at)[owner]).any()):
            raise ValueError("a written reading must consist of segments of its reference")
        sizes = self.segments.lengths[self.first_segment[owner] + chosen]
        words = np.bincount(owner, sizes, len(row)).astype(np.int64)
        known = row >= 0
        if (row >= len(self.segments)).any() or (
            self.segments.lengths[row[known]] != words[known]
        ).any():
            raise ValueError("the row of a written reading must have the words of its segments")


@dataclass(frozen=True, slots=True, eq=False)
class BlockSpans:
    """Spans of words in the rows of a text, each with a key.

    Row `r` has the spans `at[r]` to `at[r + 1] - 1`, ordered by start. Span `k` has the words
    `start[k]` to `end[k] - 1` of its row, at least one, and `key[k]` is a number of what they can
    be read as. An optional span has a key of OPTIONAL or below, and matches no other span.
    """

    at: Offsets
    start: Integers
    end: Integers
    key: Integers

    @classmethod
    def of(
        cls, rows: int, row: Integers, start: Integers, end: Integers, key: Integers
    ) -> BlockSpans:
        """Return the spans of `rows` rows, given in any order; `row` is the row of each."""
        order = np.argsort((row << 32) + start, kind="stable")
        at = offsets_of(np.bincount(row, minlength=rows))
        return cls(at, start[order], end[order], key[order])

    def table(self, tokens: Tokens, keys: int) -> Integers:
        """Return the spans as the kernel takes them; raise ValueError if one is not in its row."""
        table = np.stack([self.start, self.end, self.key], axis=1).astype(np.int64, order="C")
        if len(self.at) != len(tokens) + 1 or self.at[0] or self.at[-1] != len(table):
            raise ValueError("`at` must have one number more than there are rows of words")
        row = np.repeat(np.arange(len(tokens)), np.diff(self.at))
        start, end, key = table.T
        if (start < 0).any() or (end <= start).any() or (end > tokens.lengths[row]).any():
            raise ValueError("a span must have at least one word, and be within its row")
        if (key <= OPTIONAL - FAMILIES).any() or (key >= keys).any():
            raise ValueError(f"the keys of spans must be from {-FAMILIES} to {keys - 1}")
        if ((row[1:] == row[:-1]) & (start[1:] < start[:-1])).any():
            raise ValueError("the spans of a row must be ordered by start")
        return table


@dataclass(frozen=True, slots=True, eq=False)
class Forgiveness:
    """What an alignment forgives.

    Attributes:
        class_of: the class of each word of the vocabulary; words of one class are equal.
        optional: for each word of the vocabulary the number of the family that allows to leave it
            out, or NOT_OPTIONAL.
        reference_spans: the spans of each segment of the references.
        hypothesis_spans: the spans of each hypothesis.
        family_of_key: the number of the family of each key of spans.
    """

    class_of: NDArray[np.int32]
    optional: NDArray[np.uint8]
    reference_spans: BlockSpans
    hypothesis_spans: BlockSpans
    family_of_key: NDArray[np.uint8]

    def arguments(self, segments: Tokens, hypotheses: Tokens) -> tuple[Any, ...]:
        """Return the parameters of the kernel, after checks."""
        size, keys = len(hypotheses.vocabulary), len(self.family_of_key)
        if not size == len(self.class_of) == len(self.optional):
            raise ValueError("`class_of` and `optional` need a number for each word")
        families = self.optional[self.optional != NOT_OPTIONAL]
        if (self.family_of_key >= FAMILIES).any() or (families >= FAMILIES).any():
            raise ValueError(f"numbers of families must be below {FAMILIES}")
        reference, hypothesis = self.reference_spans, self.hypothesis_spans
        return (
            self.class_of, self.optional, reference.table(segments, keys), reference.at,
            hypothesis.table(hypotheses, keys), hypothesis.at, self.family_of_key, keys,
        )  # fmt: skip


class Prices(NamedTuple):
    """The prices of the edit operations: integers, at least 1.

    With `count_empty`, among alignments of one price, each empty alternative that is chosen counts
    as a forgiven word does.
    """

    substitution: int = 1
    deletion: int = 1
    insertion: int = 1
    count_empty: bool = False


UNIT_PRICES = Prices()
# In sclite the empty alternative `@` is a word, whose deletion costs a thousandth.
SCLITE_PRICES = Prices(substitution=4, deletion=3, insertion=3, count_empty=True)


@dataclass(frozen=True, slots=True, eq=False)
class BlockAlignment:
    """The alignments of the pairs with alternatives or forgiven words.

    Attributes:
        pairs: the numbers of these pairs.
        ops: their operations: `Op`, and numbers from FORGIVEN on for forgiven words. A block is its
            reference words followed by its hypothesis words; one side may be empty.
        offsets: pair `pairs[k]` has the operations `ops[offsets[k]:offsets[k + 1]]`.
        read: the numbers of the pairs of which the reference has alternatives.
        readings: the words of their references with the alternatives that were chosen.
    """

    pairs: Integers
    ops: NDArray[np.uint8]
    offsets: Offsets
    read: Integers
    readings: Tokens


def align_blocks(
    references: WrittenReferences,
    hypotheses: Tokens,
    pairs: Integers,
    forgiveness: Forgiveness,
    prices: Prices = UNIT_PRICES,
    bounds: Integers | None = None,
    workers: int | None = None,
    cells: int = CELLS,
) -> BlockAlignment:
    """Align reference `pairs[p, 0]` with hypothesis `pairs[p, 1]`, and forgive differences.

    References and hypotheses share a vocabulary. A pair is left out if its reference has no
    alternatives and nothing of it can be forgiven: it is aligned as it is written.

    `bounds[p]` is a price that the alignment of pair `p` does not exceed, such as that of another
    alignment of equal classes, or -1. The result does not depend on it, but the time does; a pair
    without alternatives and with the bound 0 is left out. `cells` limits the memory.
    """
    pairs = np.ascontiguousarray(pairs, np.int64)
    bounds = np.full(len(pairs), -1, np.int64) if bounds is None else bounds
    texts = references.arguments(hypotheses)
    _check(references, hypotheses, pairs, prices, bounds)
    rules = *forgiveness.arguments(references.segments, hypotheses), np.array(prices, np.int64)
    written, heard = references.lengths[pairs[:, 0]], hypotheses.lengths[pairs[:, 1]]
    known = np.where(bounds < 0, np.inf, 2.0 * bounds + 1)
    engine.check_cells(written, heard, known, engine.FORGIVING)
    has_signs = np.diff(references.sign_at)[pairs[:, 0]] > 0
    # The kernel writes from the end of the room of each pair backwards.
    ends, word_ends = np.cumsum(written + heard), np.cumsum(np.where(has_signs, written, 0))
    ops = np.empty(int((written + heard).sum()), np.uint8)
    words = np.empty(int(written[has_signs].sum()), np.int32)
    slots, word_slots = ends.copy(), word_ends.copy()

    def chunk(lo: int, hi: int) -> None:
        output = words, word_slots, ops, slots
        if _align_blocks(*texts, *rules, bounds, cells, pairs, lo, hi, *output) != OK:
            raise InputError("a pair of texts has too many words: a quarter of a billion or more")

    run(chunk, written * (heard + 1) + 8, workers)
    aligned, read = np.flatnonzero(slots >= 0), np.flatnonzero(word_slots >= 0)
    lengths = ends[aligned] - slots[aligned]
    word_lengths = word_ends[read] - word_slots[read]
    ids = words[join_ranges(word_slots[read], word_lengths)]
    return BlockAlignment(
        aligned,
        gather(ops, slots[aligned], lengths),
        offsets_of(lengths),
        read,
        Tokens(ids, offsets_of(word_lengths), hypotheses.vocabulary),
    )


def _check(
    references: WrittenReferences,
    hypotheses: Tokens,
    pairs: Integers,
    prices: Prices,
    bounds: Integers,
) -> None:
    """Raise ValueError if the arguments do not fit each other."""
    if len(references.segments.vocabulary) != len(hypotheses.vocabulary):
        raise ValueError("references and hypotheses must share a vocabulary")
    check_pairs(pairs, references.first_segment, hypotheses)
    if min(prices[:3]) < 1:
        raise ValueError("prices must be at least 1")
    if len(bounds) != len(pairs):
        raise ValueError("`bounds` needs a number for each pair")
