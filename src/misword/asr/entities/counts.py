"""Counts of errors in spans of words, from alignments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.asr.entities.spans import Numbers, Spans
from misword.asr.forgiving.blocks import Blocks
from misword.core.types import Alignment, Op, join_ranges


class SpanCounts(NamedTuple):
    """Counts of each pair and class that has spans, ordered by pair and class.

    `words` are the words of the spans; words of nested spans of one class count once.
    `substitutions` and `missed` are those of them that are substituted, or that the other side
    lacks. `added` are words of the other side between two words of one span. `terms` is the number
    of spans, `found` the number of those without any such error.
    """

    pair: Numbers
    class_of: Numbers
    words: Numbers
    substitutions: Numbers
    missed: Numbers
    added: Numbers
    terms: Numbers
    found: Numbers


@dataclass(frozen=True, slots=True, eq=False)
class AlignedWords:
    """The words of one side of all pairs, each with what happened to it.

    Pair `p` has the words `offsets[p]` to `offsets[p + 1] - 1`. `substituted` and `missed` have the
    number of such words before each word, and one number more for the end; `added` the number of
    words of the other side alone before each word.
    """

    offsets: Numbers
    substituted: Numbers
    missed: Numbers
    added: Numbers

    @classmethod
    def of(cls, alignment: Alignment, blocks: Blocks, side: int) -> AlignedWords:
        """Read the words of the references (`side` 0) or hypotheses (1) from alignments.

        The words of a forgiven block are correct.
        """
        ops = alignment.all_operations
        own, other = (Op.DELETION, Op.INSERTION)[:: 1 - 2 * side]
        is_other = ops == other
        added = np.cumsum(is_other)
        if len(alignment.forgiven):
            starts, ends = blocks.side(side)
            sizes = (~is_other).astype(np.int64)
            sizes[alignment.forgiven] = ends - starts
            first = np.concatenate([[0], np.cumsum(sizes)])
            words, offsets = np.repeat(ops, sizes), first[alignment.all_offsets]
            added = np.repeat(added, sizes)
        else:
            is_word = ~is_other
            words, added_before = ops[is_word], np.concatenate([[0], added])
            at = alignment.all_offsets
            offsets, added = at - added_before[at], added[is_word]
        return cls(offsets, _counted(words == Op.SUBSTITUTION), _counted(words == own), added)

    def count(self, spans: Spans, rows: Numbers, number_of_rows: int) -> SpanCounts:
        """Count the errors in the spans of each pair; `rows` has the row of each pair."""
        first = spans.first_of_rows(number_of_rows)
        sizes = np.diff(first)[rows]
        pair, span = np.repeat(np.arange(len(rows)), sizes), join_ranges(first[rows], sizes)
        begin = self.offsets[pair]
        start, own, end = (begin + at[span] for at in (spans.start, spans.own_starts(), spans.end))
        wrong = self.substituted[end] - self.substituted[start]
        wrong += self.missed[end] - self.missed[start]
        inside = self.added[end - 1] - self.added[start]
        columns = (
            end - own,
            self.substituted[end] - self.substituted[own],
            self.missed[end] - self.missed[own],
            np.where(own == start, inside, 0),
            np.ones(len(span), np.int64),
            (wrong + inside == 0).astype(np.int64),
        )
        kind = spans.class_of[span]
        new = np.ones(len(span), np.bool_)
        new[1:] = (np.diff(pair) != 0) | (np.diff(kind) != 0)
        at = np.flatnonzero(new)
        if not len(at):
            return SpanCounts(*(np.zeros(0, np.int64) for _ in SpanCounts._fields))
        return SpanCounts(pair[at], kind[at], *(np.add.reduceat(part, at) for part in columns))


def _counted(flags: NDArray[np.bool_]) -> Numbers:
    """Return the number of true flags before each place, and their number at the end."""
    counts = np.zeros(len(flags) + 1, np.int64)
    np.cumsum(flags, out=counts[1:])
    return counts
