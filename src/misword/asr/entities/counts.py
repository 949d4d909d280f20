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
    """The words of one side of all pairs, each with the step of the alignment that it is in.

    Pair `p` has the words `offsets[p]` to `offsets[p + 1] - 1`; word `k` is in step `step[k]` of
    `ops`. `added` has the number of steps before each word that have words of the other side alone
    (None: all steps that are in no word). `own` is the operation of a word that the other side
    lacks.
    """

    offsets: Numbers
    ops: NDArray[np.uint8]
    step: Numbers
    added: Numbers | None
    own: Op

    @classmethod
    def of(cls, alignment: Alignment, blocks: Blocks, side: int) -> AlignedWords:
        """Read the words of the references (`side` 0) or hypotheses (1) from alignments.

        The words of a forgiven block are correct.
        """
        ops, at = alignment.all_operations, alignment.all_offsets
        own, other = (Op.DELETION, Op.INSERTION)[:: 1 - 2 * side]
        if len(alignment.forgiven):
            is_other = ops == other
            starts, ends = blocks.side(side)
            sizes = (~is_other).astype(np.int64)
            sizes[alignment.forgiven] = ends - starts
            offsets = np.concatenate([[0], np.cumsum(sizes)])[at]
            step = np.repeat(np.arange(len(ops)), sizes)
            return cls(offsets, ops, step, np.cumsum(is_other)[step], own)
        step = np.flatnonzero(ops != other)
        absent = alignment.counts[:, other]
        offsets = at - np.concatenate([[0], np.cumsum(absent)])
        return cls(offsets, ops, step, None, own)

    def count(self, spans: Spans, rows: Numbers, number_of_rows: int) -> SpanCounts:
        """Count the errors in the spans of each pair; `rows` has the row of each pair."""
        first = spans.first_of_rows(number_of_rows)
        sizes = np.diff(first)[rows]
        pair, span = np.repeat(np.arange(len(rows)), sizes), join_ranges(first[rows], sizes)
        if not len(span):
            return SpanCounts(*(np.zeros(0, np.int64) for _ in SpanCounts._fields))
        begin, own_starts = self.offsets[pair], spans.own_starts()
        start, end = begin + spans.start[span], begin + spans.end[span]
        errors = self._errors(start, end)
        inside = self._added_before(end - 1) - self._added_before(start)
        found = (errors.sum(axis=0) + inside == 0).astype(np.int64)
        own = start
        if (own_starts != spans.start).any():
            own = begin + own_starts[span]
            errors, inside = self._errors(own, end), np.where(own == start, inside, 0)
        kind, new = spans.class_of[span], np.ones(len(span), np.bool_)
        new[1:] = (pair[1:] != pair[:-1]) | (kind[1:] != kind[:-1])
        at = np.flatnonzero(new)
        columns = (end - own, *errors, inside, np.ones(len(span), np.int64), found)
        return SpanCounts(pair[at], kind[at], *(np.add.reduceat(part, at) for part in columns))

    def _added_before(self, words: Numbers) -> Numbers:
        """Return the number of steps before words that have words of the other side alone."""
        return self.step[words] - words if self.added is None else self.added[words]

    def _errors(self, start: Numbers, end: Numbers) -> Numbers:
        """Return the substituted and the missed words from each start to its end."""
        sizes = end - start
        ops = self.ops[self.step[join_ranges(start, sizes)]]
        sums = np.zeros((2, len(start)), np.int64)
        filled = np.flatnonzero(sizes)
        firsts = (np.cumsum(sizes) - sizes)[filled]
        for row, kind in zip(sums, (Op.SUBSTITUTION, self.own), strict=True):
            if len(filled):
                row[filled] = np.add.reduceat(ops == kind, firsts, dtype=np.int64)
        return sums
