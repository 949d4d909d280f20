"""Counts of errors in spans of words, from alignments."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.asr.entities.kernels import RowSpans, count_spans
from misword.asr.entities.spans import Numbers
from misword.asr.forgiving.blocks import Blocks
from misword.core.types import Alignment, Offsets, Op

FIELDS = ("class", "words", "substitutions", "missed", "added", "terms", "found")


class SpanCounts(NamedTuple):
    """Counts of each pair and class that has spans, ordered by pair and class.

    Pair `p` has the rows `at[p]` to `at[p + 1] - 1` of `table`, whose columns are `FIELDS`. `words`
    are the words of the spans; words of nested spans of one class count once. `substitutions` and
    `missed` are those of them that are substituted, or that the other side lacks. `added` are words
    of the other side between two words of one span. `terms` is the number of spans, `found` the
    number of those without any such error.
    """

    table: NDArray[np.int32]
    at: Offsets

    def column(self, name: str) -> Numbers:
        """Return one of the columns."""
        return self.table[:, FIELDS.index(name)].astype(np.int64)

    @property
    def pair(self) -> Numbers:
        """The number of the pair of each row."""
        return np.repeat(np.arange(len(self.at) - 1), np.diff(self.at))


def count_errors(
    alignment: Alignment, blocks: Blocks, side: int, spans: RowSpans, rows: Numbers
) -> SpanCounts:
    """Count the errors in spans of the references (`side` 0) or hypotheses (1) of all pairs.

    `rows` has the row of each pair in the spans. The words of forgiven blocks are correct.
    """
    starts, ends = blocks.side(side)
    other = Op.DELETION if side else Op.INSERTION
    # Some metrics align the words without the blocks: then no step is forgiven.
    forgiven = alignment.forgiven, (ends - starts)[: len(alignment.forgiven)]
    steps = alignment.all_operations, alignment.all_offsets
    return SpanCounts(*count_spans(steps, forgiven, other, rows, spans))
