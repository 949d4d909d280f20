"""Base classes of error rates: counts of an alignment under a view, and costs of substitutions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.alignment.engine import Ties
from misword.asr.costs import Cost
from misword.asr.metrics import Metric
from misword.asr.pairs import Pairs
from misword.asr.views import View
from misword.asr.views.surface import Segmented, Word
from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.parts import Settings
from misword.core.types import Alignment, Sides, Statistics
from misword.embed.vectors import Case
from misword.stat.measure import ratio_of_terms
from misword.text.segmenters import WHITESPACE

if TYPE_CHECKING:
    from misword.asr.forgiving.readings import Readings
    from misword.text.writing.compounds import Compounds

COUNTS = ("hits", "substitutions", "insertions", "deletions")


@dataclass(frozen=True, slots=True)
class EditRate(Metric):
    """A rate over the edit counts of an alignment under a view.

    A subclass defines its `view`, the `terms` that it needs of the counts and the `rate` that they
    give; the default is errors divided by reference tokens.
    """

    statistics: ClassVar[tuple[str, ...]] = COUNTS

    ties: Ties = "misword"

    def view(self, context: Context) -> View:
        """Return the view: what counts as a token."""
        return Word()

    def substitution_cost(self, context: Context) -> Cost | None:
        """Return the cost of substitutions; None: every substitution costs 1."""
        return None

    def aligned_by(self, context: Context) -> Cost | None:
        """Return the cost that decides the alignment; None: unit costs and the tie rule."""
        return None

    def check(self, context: Context) -> None:
        """Raise if the view cannot be used in this context."""
        self.view(context).check(context)

    def settings(self, context: Context) -> Settings:
        """The tie rule and the settings of the view."""
        return ("ties", self.ties), *self.view(context).settings(context)

    @property
    def merged(self) -> Compounds | None:
        """The family of compounds that this metric forgives by itself; usually none."""
        return None

    def alignment(self, pairs: Pairs, *, operations: bool = False) -> Alignment:
        """Align all pairs as this metric does."""
        view, cost = self.view(pairs.context), self.aligned_by(pairs.context)
        return pairs.alignment(
            view, self.ties, cost=cost, compounds=self.merged, operations=operations
        )

    def tokens(self, pairs: Pairs) -> Sides:
        """Return the tokens that this metric aligns; `rows` has the rows of each pair."""
        return pairs.tokens(self.view(pairs.context), self.merged, self._readings_by(pairs))

    def rows(self, pairs: Pairs) -> NDArray[np.int64]:
        """Return the rows of both sides of each pair in `tokens`."""
        return pairs.rows(self.view(pairs.context), self.merged, self._readings_by(pairs))

    def readings(self, pairs: Pairs) -> Readings:
        """Return the readings that this metric aligns."""
        return pairs.readings(self.merged, self._readings_by(pairs))

    def _readings_by(self, pairs: Pairs) -> Ties:
        """Return the tie rule by which readings are chosen."""
        return self.ties if self.aligned_by(pairs.context) is None else "misword"

    def prices(self, pairs: Pairs) -> NDArray[np.float64]:
        """Return the cost of each substitution, in the order of the alignments."""
        return np.ones(int(self.alignment(pairs).counts[:, 1].sum()))

    def measure(self, pairs: Pairs) -> Statistics:
        """Count the hits, substitutions, insertions and deletions of each pair."""
        return self.alignment(pairs).counts

    def terms(self, statistics: Statistics) -> Statistics:
        """Errors and reference tokens."""
        return np.stack([statistics[..., 1:].sum(axis=-1), self.reference(statistics)], axis=-1)

    def reference(self, statistics: Statistics) -> Statistics:
        """Reference tokens: hits, substitutions and deletions."""
        hits, substitutions, _, deletions = np.moveaxis(statistics, -1, 0)[:4]
        return np.asarray(hits + substitutions + deletions)

    def rate(self, terms: Statistics) -> Statistics:
        """Errors divided by reference tokens; nan where there are no reference tokens."""
        return ratio_of_terms(terms)


@dataclass(frozen=True, slots=True)
class WordRate(EditRate):
    """An edit rate over words: those between white space, or those of the segmenter `words`."""

    words: str = WHITESPACE

    def view(self, context: Context) -> View:
        """Return the words."""
        return Word() if self.words == WHITESPACE else Segmented(self.words)


@dataclass(frozen=True, slots=True)
class PricedRate(EditRate):
    """An edit rate whose substitutions have a cost: the total cost divided by reference tokens.

    Insertions and deletions cost 1. A subclass defines `substitution_cost`; with `aligns` this cost
    also decides the alignment, otherwise unit costs do.
    """

    statistics: ClassVar[tuple[str, ...]] = (*COUNTS, "cost")
    fractional: ClassVar[frozenset[str]] = frozenset({"cost"})
    operations: ClassVar[bool] = True
    aligns: ClassVar[bool] = False

    def aligned_by(self, context: Context) -> Cost | None:
        """Return the cost of substitutions if it also decides the alignment."""
        return self.substitution_cost(context) if self.aligns else None

    def check(self, context: Context) -> None:
        """Raise if the view or the cost cannot be used in this context."""
        EditRate.check(self, context)
        cost = self.substitution_cost(context)
        if cost is None:
            return
        if self.aligns and self.ties != "misword":
            raise OptionError(
                f"ties={self.ties} has no effect: the costs decide the alignment",
                fix="leave out ties",
            )
        cost.check(context)

    def settings(self, context: Context) -> Settings:
        """The settings of alignment, view and cost; no tie rule if the cost aligns the words."""
        cost = self.substitution_cost(context)
        if cost is None:
            return EditRate.settings(self, context)
        rule = ("aligned", "cost") if self.aligns else ("ties", self.ties)
        return rule, *self.view(context).settings(context), *cost.settings(context)

    def prices(self, pairs: Pairs) -> NDArray[np.float64]:
        """Return the cost of each substitution, in the order of the alignments."""
        context = pairs.context
        cost = self.substitution_cost(context)
        if cost is None:
            return EditRate.prices(self, pairs)
        aligned_by = self.aligned_by(context)
        return cost.prices(pairs.substituted(self.view(context), self.ties, cost=aligned_by))

    def measure(self, pairs: Pairs) -> Statistics:
        """Count the edits of each pair and add up their costs."""
        return np.column_stack([self.alignment(pairs).counts, self.total_costs(pairs)])

    def total_costs(self, pairs: Pairs) -> NDArray[np.float64]:
        """Return the sum of the costs of each pair's errors."""
        if self.aligns:
            return self.alignment(pairs).costs
        counts = self.alignment(pairs, operations=True).counts
        pair = pairs.substituted(self.view(pairs.context), self.ties).pair
        substitutions = np.bincount(pair, self.prices(pairs), minlength=len(pairs))
        return np.asarray(substitutions + counts[:, 2] + counts[:, 3], np.float64)

    def terms(self, statistics: Statistics) -> Statistics:
        """Total cost and reference tokens."""
        return np.stack([statistics[..., 4], self.reference(statistics)], axis=-1)


@dataclass(frozen=True, slots=True)
class EmbeddingRate(PricedRate):
    """A priced rate over words and their vectors, which also counts words without a vector.

    `oov` counts the reference words without a vector, `unpriced` the substitutions that cost 1
    because one of their words has no vector.
    """

    statistics: ClassVar[tuple[str, ...]] = (*COUNTS, "cost", "oov", "unpriced")
    needs: ClassVar[tuple[str, ...]] = ("vectors",)

    case: Case = "auto"

    def substitution_cost(self, context: Context) -> Cost:
        """Return one minus the cosine."""

        from misword.asr.costs.vectors import Cosine

        return Cosine(self.case)

    def measure(self, pairs: Pairs) -> Statistics:
        """Count the edits of each pair, add up their costs, count words without a vector."""
        context = pairs.context
        view, cost = self.view(context), self.aligned_by(context)
        substituted = pairs.substituted(view, self.ties, cost=cost)
        unpriced = substituted.pair[~substituted.have_vectors(self.case)]
        return np.column_stack(
            [
                self.alignment(pairs).counts,
                self.total_costs(pairs),
                self._words_without_vector(pairs, view)[self.rows(pairs)[:, 0]],
                np.bincount(unpriced, minlength=len(pairs)),
            ]
        )

    def _words_without_vector(self, pairs: Pairs, view: View) -> NDArray[np.int64]:
        """Count the words without a vector in each reference; blocks of several words have none."""
        tokens = self.tokens(pairs)[0]
        vocabulary = pairs.vocabulary(view)
        several = np.fromiter((not w or " " in w for w in vocabulary.tokens), np.bool_)
        known = vocabulary.vectors(self.case).known | several
        unknown = np.flatnonzero(~known[tokens.ids])
        rows = np.searchsorted(tokens.offsets, unknown, side="right") - 1
        return np.bincount(rows, minlength=len(tokens))

    def remarks(self, totals: dict[str, int], pairs: int) -> tuple[str, ...]:
        """Report how many substitutions have a word without a vector."""
        unpriced, substitutions = totals["unpriced"], totals["substitutions"]
        if not unpriced:
            return ()
        return (
            f"{unpriced:,} of {substitutions:,} substitutions "
            f"({100 * unpriced / substitutions:.1f} %) have a word without a vector and cost 1",
        )
