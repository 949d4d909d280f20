"""Base class of metrics that compare what stands at aligned words: punctuation and capitals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.asr.formatting.words import SIZES, Sets, has
from misword.asr.metrics import Metric
from misword.asr.metrics.edit_rate import COUNTS
from misword.core.types import Statistics
from misword.stat.mark_tables import HYPOTHESIS, REFERENCE, mark_statistics
from misword.stat.measure import ratio_of_terms


@dataclass(frozen=True, slots=True)
class MarkRate(Metric):
    """Wrong, missing and added marks per mark of the reference, at words that are aligned.

    `kinds` are the names of the marks, `compared` says in notes what is compared where. The
    statistics are the counts of all marks, then three numbers of each kind: how many marks are
    right, how many the reference and the hypothesis have.
    """

    operations: ClassVar[bool] = True
    kinds: ClassVar[tuple[str, ...]] = ()
    compared: ClassVar[str] = ""

    def terms(self, statistics: Statistics) -> Statistics:
        """Errors and marks of the reference."""
        errors = statistics[..., 1:4].sum(axis=-1)
        return np.stack([errors, self.reference(statistics)], axis=-1)

    def rate(self, terms: Statistics) -> Statistics:
        """Errors divided by marks; nan where the reference has no marks."""
        return ratio_of_terms(terms)

    def reference(self, statistics: Statistics) -> Statistics:
        """Marks of the reference at aligned words."""
        hits, substitutions, _, deletions = np.moveaxis(statistics, -1, 0)[:4]
        return np.asarray(hits + substitutions + deletions)

    def remarks(self, totals: dict[str, int], pairs: int) -> tuple[str, ...]:
        """Say so if a side has no marks at all."""
        ends = {"references": REFERENCE, "hypotheses": HYPOTHESIS}
        return tuple(
            f"the {side} have no {self.compared}"
            for side, end in ends.items()
            if not sum(totals[kind + end] for kind in self.kinds)
        )


def statistics_names(kinds: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of the statistics of some kinds of marks."""
    return (*COUNTS, *(name for kind in kinds for name in mark_statistics(kind)))


def count_marks(
    pair: NDArray[np.int64], sides: tuple[Sets, Sets], right: Sets, kinds: int, pairs: int
) -> Statistics:
    """Return the statistics of each pair of texts.

    Row `i` of the arrays is a pair of words of the pair of texts `pair[i]`: its marks in the
    reference and in the hypothesis, and those that are right. A missing and an added mark at one
    word are one substitution.
    """
    reference, hypothesis = sides
    missing, added = (SIZES[side & ~right] for side in sides)
    replaced = np.minimum(missing, added)
    columns = [SIZES[right], replaced, added - replaced, missing - replaced]
    for kind in range(kinds):
        columns += [has(side, kind) for side in (right, reference, hypothesis)]
    sums = [np.bincount(pair, column, pairs) for column in columns]
    return np.stack(sums, axis=1).astype(np.int64)
