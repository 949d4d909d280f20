"""What the error rates share: an alignment under a view, its counts, and prices where not all 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.alignment.engine import Ties
from misword.asr.costs import Cost
from misword.asr.costs.cosine import Cosine
from misword.asr.views import View
from misword.asr.views.word import Word
from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.types import Alignment
from misword.embed.vectors.words import Case
from misword.stat.resampling import Statistics
from misword.stat.resampling import ratio as ratio

if TYPE_CHECKING:
    from misword.asr.pairs import Pairs

COUNTS = ("hits", "substitutions", "insertions", "deletions")


@dataclass(frozen=True, slots=True)
class EditRate:
    """A rate over the edit counts of an alignment under a view.

    A subclass says which `view`, which `terms` it needs of the counts and how they make a rate;
    the default is errors over reference tokens. `operations` says that it needs to know what
    stands where, not only how often: such metrics are measured first, and others share theirs.
    """

    ties: Ties = "misword"
    statistics: ClassVar[tuple[str, ...]] = COUNTS
    fractional: ClassVar[frozenset[str]] = frozenset()
    wants: ClassVar[str] = ""
    operations: ClassVar[bool] = False

    def view(self, context: Context) -> View:
        """What a token is."""
        return Word()

    def check(self, context: Context) -> None:
        """Refuse, before any work, what cannot be measured."""
        self.view(context).check(context)

    def settings(self, context: Context) -> tuple[tuple[str, str], ...]:
        """What decides the number, as its signature has it."""
        return ("ties", self.ties), *self.view(context).settings(context)

    def alignment(self, pairs: Pairs, *, operations: bool = False) -> Alignment:
        """How hypotheses follow from references."""
        return pairs.alignment(self.view(pairs.context), self.ties, operations=operations)

    def prices(self, pairs: Pairs) -> NDArray[np.float64]:
        """What each substitution costs, in order: 1."""
        return np.ones(int(self.alignment(pairs).counts[:, 1].sum()))

    def measure(self, pairs: Pairs) -> Statistics:
        """Hits, substitutions, insertions and deletions of each pair."""
        return self.alignment(pairs).counts

    def terms(self, statistics: Statistics) -> Statistics:
        """Errors and reference tokens."""
        return np.stack([statistics[..., 1:].sum(axis=-1), self.reference(statistics)], axis=-1)

    def reference(self, statistics: Statistics) -> Statistics:
        """Reference tokens: all but the insertions."""
        hits, substitutions, _, deletions = np.moveaxis(statistics, -1, 0)[:4]
        return np.asarray(hits + substitutions + deletions)

    def rate(self, terms: Statistics) -> Statistics:
        """Errors over reference tokens; undefined (nan) where there are none."""
        return ratio(terms[..., 0], terms[..., 1])


@dataclass(frozen=True, slots=True)
class PricedRate(EditRate):
    """An edit rate whose substitutions have a price: the summed cost over reference tokens.

    Insertions and deletions cost 1. A subclass says which `pricing`, and whether it decides the
    alignment too or unit costs do.
    """

    statistics: ClassVar[tuple[str, ...]] = (*COUNTS, "cost")
    fractional: ClassVar[frozenset[str]] = frozenset({"cost"})
    operations: ClassVar[bool] = True
    aligns: ClassVar[bool] = False

    @property
    def pricing(self) -> Cost | None:
        """What a substitution costs; None: 1."""
        return None

    @property
    def aligned_by(self) -> Cost | None:
        """The cost that aligns; None: unit costs."""
        return self.pricing if self.aligns else None

    def check(self, context: Context) -> None:
        """Refuse, before any work, what cannot be seen or priced."""
        view = self.view(context)
        view.check(context)
        if self.aligned_by is not None and self.ties != "misword":
            raise OptionError(f"ties={self.ties}, but the prices align", fix="leave out ties")
        if self.pricing is not None:
            self.pricing.check(context, view)

    def settings(self, context: Context) -> tuple[tuple[str, str], ...]:
        """How it is aligned, seen and priced; prices that align leave no choice but one."""
        view = self.view(context)
        ties = ("ties", self.ties) if self.aligned_by is None else ("aligned", "cost")
        priced = self.pricing.settings(context, view) if self.pricing is not None else ()
        return ties, *view.settings(context), *priced

    def alignment(self, pairs: Pairs, *, operations: bool = False) -> Alignment:
        """By unit costs or by the prices."""
        view = self.view(pairs.context)
        return pairs.alignment(view, self.ties, cost=self.aligned_by, operations=operations)

    def prices(self, pairs: Pairs) -> NDArray[np.float64]:
        """What each substitution costs, in order."""
        if self.pricing is None:
            return EditRate.prices(self, pairs)
        view = self.view(pairs.context)
        return pairs.prices(view, self.ties, self.pricing, aligned=self.aligned_by)

    def measure(self, pairs: Pairs) -> Statistics:
        """The counts of each pair, and what its errors cost in all."""
        return np.column_stack([self.alignment(pairs).counts, self.paid(pairs)])

    def paid(self, pairs: Pairs) -> NDArray[np.float64]:
        """What each pair's errors cost in all."""
        if self.aligns:
            return self.alignment(pairs).costs
        counts = self.alignment(pairs, operations=True).counts
        owner = pairs.substitutions(self.view(pairs.context), self.ties).pair
        swapped = np.bincount(owner, self.prices(pairs), minlength=len(pairs))
        return np.asarray(swapped + counts[:, 2] + counts[:, 3], np.float64)

    def terms(self, statistics: Statistics) -> Statistics:
        """Cost and reference tokens."""
        return np.stack([statistics[..., 4], self.reference(statistics)], axis=-1)


@dataclass(frozen=True, slots=True)
class EmbeddingRate(PricedRate):
    """A priced rate over words and their vectors, which also counts words without a vector.

    `oov` are reference words without a vector, `unpriced` the substitutions that cost 1 because one
    of their words has none.
    """

    statistics: ClassVar[tuple[str, ...]] = (*COUNTS, "cost", "oov", "unpriced")
    wants: ClassVar[str] = "vectors"
    case: Case = "auto"

    @property
    def pricing(self) -> Cost:
        """One minus the cosine."""
        return Cosine(self.case)

    def measure(self, pairs: Pairs) -> Statistics:
        """Counts and cost of each pair, and its words without a vector."""
        view = self.view(pairs.context)
        costs = pairs.costs(view, self.pricing)
        owner, left, right = pairs.substitutions(view, self.ties, self.aligned_by)
        lost = np.bincount(owner[~costs.priceable(left, right)], minlength=len(pairs))
        oov = pairs.unknown(view, self.pricing)[pairs.index[:, 0]]
        return np.column_stack([self.alignment(pairs).counts, self.paid(pairs), oov, lost])
