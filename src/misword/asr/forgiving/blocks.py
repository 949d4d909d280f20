"""Forgiven blocks of pairs: found in alignments, and left out of later alignments.

A block is a sequence of reference words and a sequence of hypothesis words that count as the
same. Either sequence may be empty. The blocks of a pair do not overlap and are in the same order
on both sides, so they divide the pair into segments; every segment can be aligned by any rule.
In the alignment of the pair a block is one step, a hit of one token for each side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.alignment.blocks import FAMILIES, FIRST_OF_BLOCK, FORGIVEN, NOT_OPTIONAL, OF_HYPOTHESIS
from misword.asr.forgiving.choice import ForgivenFamilies
from misword.asr.forgiving.spans import Sequences
from misword.core.types import Alignment, Ids, Offsets, Op, Sides, Tokens, join_ranges

Numbers = NDArray[np.int64]


class Blocks(NamedTuple):
    """Forgiven blocks, sorted by pair and place: word positions on both sides, and the family."""

    pair: Numbers
    reference_start: Numbers
    reference_end: Numbers
    hypothesis_start: Numbers
    hypothesis_end: Numbers
    family: Numbers

    @classmethod
    def none(cls) -> Blocks:
        """Return an empty list of blocks."""
        return cls(*(np.zeros(0, np.int64) for _ in cls._fields))

    @classmethod
    def join(cls, parts: Iterable[Blocks]) -> Blocks:
        """Return the blocks of several lists, sorted by pair and place."""
        joined = cls(*(np.concatenate(column) for column in zip(cls.none(), *parts, strict=True)))
        # One key of all three numbers is sorted faster than these one after the other.
        widths = [int(part.max(initial=0)) + 1 for part in joined[1:4:2]]
        places = joined.reference_start * widths[1] + joined.hypothesis_start
        order = np.argsort(joined.pair * (widths[0] * widths[1]) + places, kind="stable")
        return cls(*(column[order] for column in joined))

    def side(self, number: int) -> tuple[Numbers, Numbers]:
        """Return the starts and the ends on the side of the references (0) or hypotheses (1)."""
        return (self[1], self[2]) if number == 0 else (self[3], self[4])


NO_BLOCKS = Blocks.none()


@dataclass(frozen=True, slots=True, eq=False)
class BlockSegments:
    """The segments of pairs between and beside their blocks.

    Pair `p` has the segments `first[p]` to `first[p + 1] - 1`; block `b` is before segment
    `after[b]`. `index` has the rows of the two texts of each pair.
    """

    blocks: Blocks
    index: Numbers
    first: Offsets
    after: Numbers

    @classmethod
    def of(cls, blocks: Blocks, index: Numbers) -> BlockSegments:
        """Number the segments."""
        counts = np.bincount(blocks.pair, minlength=len(index)) + 1
        first = np.concatenate([[0], np.cumsum(counts)])
        return cls(blocks, index, first, np.arange(len(blocks.pair)) + blocks.pair + 1)

    def ranges(self, tokens: Tokens, side: int) -> tuple[Numbers, Numbers]:
        """Return where each segment starts in `tokens.ids`, and its length."""
        starts, ends = (np.zeros(self.first[-1], np.int64) for _ in range(2))
        block_starts, block_ends = self.blocks.side(side)
        rows = self.index[:, side]
        starts[self.after] = block_ends
        ends[self.first[1:] - 1] = tokens.lengths[rows]
        ends[self.after - 1] = block_starts
        flat = np.repeat(tokens.offsets[rows], np.diff(self.first))
        return flat + starts, ends - starts

    def segments(self, tokens: Tokens, side: int) -> Tokens:
        """Return the words of each segment."""
        starts, lengths = self.ranges(tokens, side)
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        return Tokens(tokens.ids[join_ranges(starts, lengths)], offsets, tokens.vocabulary)

    def align(self, sides: Sides, aligned: Callable[..., Alignment]) -> Alignment:
        """Align the segments by `aligned`, and join them to an alignment of the pairs.

        A block is one hit in the operations; in the counts, each of its reference words is a hit,
        so that the number of reference words stays that of the text as it is written.
        """
        parts = aligned(*(self.segments(tokens, side) for side, tokens in enumerate(sides)))
        blocks, first = self.blocks, self.first[:-1]
        counts = np.add.reduceat(parts.counts, first) if len(first) else parts.counts
        costs = np.add.reduceat(parts.costs, first) if len(first) else parts.costs
        words = blocks.reference_end - blocks.reference_start
        counts[:, Op.HIT] += np.bincount(blocks.pair, words, len(first)).astype(np.int64)
        bursts = parts.bursts
        if bursts is not None and len(first):
            bursts = np.maximum.reduceat(bursts, first)
        joined = Alignment(counts, costs, bursts=bursts)
        if parts.ops is None or parts.offsets is None:
            return joined
        places = parts.offsets[self.after]
        ops = np.insert(parts.ops, places, np.uint8(Op.HIT))
        forgiven = places + np.arange(len(places))
        return replace(joined, ops=ops, offsets=self._by_pair(parts.offsets), forgiven=forgiven)

    def collapsed(self, sides: Sides) -> Sides:
        """Return the tokens of the pairs with each block as one token, on both sides.

        The words of a block are one string in the vocabulary, which is longer by these strings.
        """
        vocabulary, several, sequences = list(sides[0].vocabulary[:]), [], []
        for side, tokens in enumerate(sides):
            starts, ends = self.blocks.side(side)
            several.append(np.flatnonzero(ends - starts != 1))
            flat = tokens.offsets[self.index[self.blocks.pair, side]] + starts
            sequences.append((tokens.ids, flat, flat + ends - starts))
        found = Sequences.of(
            [
                (ids, start[chosen], end[chosen])
                for (ids, start, end), chosen in zip(sequences, several, strict=True)
            ]
        )
        phrases = [" ".join([vocabulary[word] for word in ids]) for ids in found.distinct]
        joined = []
        for side, (ids, flat, _) in enumerate(sequences):
            # A block of one word is this word; of an empty block, any word is replaced.
            of_block = ids[np.minimum(flat, len(ids) - 1)] if len(ids) else np.zeros_like(flat)
            of_block[several[side]] = len(vocabulary) + found.numbers[side]
            joined.append(self._collapsed(sides[side], side, of_block))
        reference, hypothesis = (Tokens(t.ids, t.offsets, [*vocabulary, *phrases]) for t in joined)
        return reference, hypothesis

    def _collapsed(self, tokens: Tokens, side: int, of_block: Ids) -> Tokens:
        """Return the words around the blocks of a side, with one token for each block."""
        parts = self.segments(tokens, side)
        inserted: Ids = np.insert(parts.ids, parts.offsets[self.after], of_block).astype(np.int32)
        return Tokens(inserted, self._by_pair(parts.offsets), tokens.vocabulary)

    def _by_pair(self, offsets: Offsets) -> Offsets:
        """Return the offsets of the pairs from those of the segments; each block adds one step."""
        blocks_before = self.first - np.arange(len(self.first))
        return np.asarray(offsets[self.first] + blocks_before)

    def rewritten(self, sides: Sides) -> Tokens:
        """Return the references with the words of each block as the hypothesis writes them."""
        reference, hypothesis = sides
        blocks = self.blocks
        starts, lengths = self.ranges(reference, 0)
        flat = hypothesis.offsets[self.index[blocks.pair, 1]] + blocks.hypothesis_start
        heard = blocks.hypothesis_end - blocks.hypothesis_start
        starts = np.insert(starts, self.after, len(reference.ids) + flat)
        lengths = np.insert(lengths, self.after, heard)
        ids = np.concatenate([reference.ids, hypothesis.ids])[join_ranges(starts, lengths)]
        ends = np.concatenate([[0], np.cumsum(lengths)])
        pieces = self.first + (self.first - np.arange(len(self.first)))
        return Tokens(ids, ends[pieces].astype(np.int64), reference.vocabulary)


# Single words: words that families treat as the same, and words that may be left out.


@dataclass(frozen=True, slots=True, eq=False)
class WordClasses:
    """Classes of the words of a vocabulary under the chosen families, and optional words.

    `levels` has a row for each family that changes a word: the class of each word after this family
    and those before it. Words with the same class in the last row count as the same. `optional` has
    the number of the family by which a word may be left out, or NOT_OPTIONAL.
    """

    levels: NDArray[np.int32]
    level_families: NDArray[np.int64]
    optional: NDArray[np.uint8]

    @classmethod
    def of(cls, words: Sequence[str], choice: ForgivenFamilies) -> WordClasses:
        """Apply all families to the words."""
        forms: Sequence[str] = words
        optional = np.full(len(words), NOT_OPTIONAL, np.uint8)
        levels, families = [], []
        for number, family in enumerate(choice.families):
            changed = family.same_words(forms, choice.lang)
            if changed != forms:
                forms = changed
                levels.append(_numbered(forms))
                families.append(number)
            if (flags := family.optional(words, choice.lang)) is not None:
                optional[np.asarray(flags, np.bool_) & (optional == NOT_OPTIONAL)] = number
        rows = np.stack(levels) if levels else np.arange(len(words), dtype=np.int32)[None]
        return cls(rows, np.array(families, np.int64), optional)

    @property
    def trivial(self) -> bool:
        """Whether each word has a class of its own, so that no two words count as the same."""
        return int(self.class_of.max(initial=-1)) + 1 == len(self.class_of)

    @property
    def class_of(self) -> NDArray[np.int32]:
        """The class of each word under all families."""
        last: NDArray[np.int32] = np.ascontiguousarray(self.levels[-1])
        return last

    def family_of(
        self, reference: NDArray[np.int32], hypothesis: NDArray[np.int32]
    ) -> NDArray[np.int64]:
        """Return the family that makes each pair of words of equal class the same."""
        equal = self.levels[:, reference] == self.levels[:, hypothesis]
        return np.asarray(self.level_families[equal.argmax(axis=0)])


def _numbered(forms: Sequence[str]) -> NDArray[np.int32]:
    numbers: dict[str, int] = {}
    return np.fromiter((numbers.setdefault(form, len(numbers)) for form in forms), np.int32)


# Blocks from the operations of alignments: forgiven words, and words of the same class.


@dataclass(frozen=True, slots=True, eq=False)
class Paths:
    """The operations of some pairs, and the words of all pairs.

    Pair `pairs[k]` has the operations `ops[offsets[k]:offsets[k + 1]]`; the words of pair `p` are
    row `index[p, 0]` of the references and row `index[p, 1]` of the hypotheses.
    """

    pairs: NDArray[np.int64]
    ops: NDArray[np.uint8]
    offsets: Offsets
    sides: Sides
    index: NDArray[np.int64]

    def blocks(self, classes: WordClasses) -> tuple[Blocks, Blocks]:
        """Return the forgiven blocks of the pairs: single words of one class, and all others."""
        taken = self._taken()
        places = [self._places(words) for words in taken]
        pair = np.repeat(self.pairs, np.diff(self.offsets))
        single = self._single(pair, places, classes)
        return single, self._several(pair, places, taken)

    def _taken(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return whether each operation takes a word of the reference, and of the hypothesis."""
        forgiven, heard = self.ops >= FORGIVEN, (self.ops & OF_HYPOTHESIS) > 0
        return (
            np.where(forgiven, ~heard, self.ops != Op.INSERTION),
            np.where(forgiven, heard, self.ops != Op.DELETION),
        )

    def _places(self, taken: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the position of the next word in its text at each operation."""
        before = np.concatenate([[0], np.cumsum(taken)])
        at_start = np.repeat(before[self.offsets[:-1]], np.diff(self.offsets))
        return np.asarray(before[:-1] - at_start)

    def _single(
        self, pair: NDArray[np.int64], places: list[NDArray[np.int64]], classes: WordClasses
    ) -> Blocks:
        """Return the hits of two different words of one class."""
        hits = np.flatnonzero(self.ops == Op.HIT)
        counts = np.diff(self.offsets)
        reference, hypothesis = (
            tokens.ids[(np.repeat(tokens.offsets[rows], counts) + place)[hits]]
            for tokens, place, rows in zip(
                self.sides, places, self.index[self.pairs].T, strict=True
            )
        )
        differ = reference != hypothesis
        loose = hits[differ]
        family = classes.family_of(reference[differ], hypothesis[differ])
        ref, hyp = places[0][loose], places[1][loose]
        return Blocks(pair[loose], ref, ref + 1, hyp, hyp + 1, family)

    def _several(
        self,
        pair: NDArray[np.int64],
        places: list[NDArray[np.int64]],
        taken: tuple[NDArray[np.bool_], NDArray[np.bool_]],
    ) -> Blocks:
        """Return the blocks that the operations mark."""
        marked = np.flatnonzero(self.ops >= FORGIVEN)
        first = np.flatnonzero(self.ops[marked] & FIRST_OF_BLOCK)
        if not len(first):
            return Blocks.none()
        starts = marked[first]
        sizes = [np.add.reduceat(words[marked].astype(np.int64), first) for words in taken]
        ref, hyp = (place[starts] for place in places)
        family = (self.ops[starts] % FAMILIES).astype(np.int64)
        return Blocks(pair[starts], ref, ref + sizes[0], hyp, hyp + sizes[1], family)
