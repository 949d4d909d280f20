"""Blocks from the operations of alignments: forgiven words, and words of the same class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from misword.alignment.blocks import FAMILIES, FIRST_OF_BLOCK, FORGIVEN, OF_HYPOTHESIS
from misword.asr.forgiving.blocks import Blocks
from misword.asr.forgiving.words import WordClasses
from misword.core.types import Offsets, Op, Sides


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

    def blocks(self, classes: WordClasses) -> Blocks:
        """Return the forgiven blocks of the pairs."""
        taken = self._taken()
        places = [self._places(words) for words in taken]
        pair = np.repeat(self.pairs, np.diff(self.offsets))
        single = self._single(pair, places, classes)
        return Blocks.join([single, self._several(pair, places, taken)])

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
