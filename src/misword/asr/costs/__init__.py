"""Costs of substituting one token by another, and the vocabulary of tokens that have costs."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from misword.alignment.costs import Costs
from misword.asr.views import View, is_lower_case
from misword.core.context import Context
from misword.core.parts import Part
from misword.core.parts.registry import Entry, Registry
from misword.embed.vectors import Case

HERE = "misword.asr.costs"


@dataclass(frozen=True, eq=False)
class ViewVocabulary:
    """The distinct tokens of a view, by token id."""

    tokens: list[str]
    context: Context
    _vectors: dict[Case, Costs] = field(default_factory=dict, repr=False)

    def vectors(self, case: Case) -> Costs:
        """Return the unit vectors of the tokens, as a table of costs.

        Tables are shared: where all tokens are lower-case, every `case` means `exact`.
        """

        from misword.embed.vectors.words import word_vectors

        case = self.effective_case(case)
        if case not in self._vectors:
            units, known = word_vectors(self.context).units(self.tokens, case)
            self._vectors[case] = Costs.vectors(units, known, overwrite=True)
        return self._vectors[case]

    def effective_case(self, case: Case) -> Case:
        """Return `exact` where lower-casing a token changes nothing, else `case`."""
        return "exact" if self._is_lower_case else case

    @cached_property
    def _is_lower_case(self) -> bool:
        return is_lower_case(self.tokens)


@dataclass(frozen=True, slots=True, eq=False)
class Substituted:
    """The substitutions of an alignment: the pair and both token ids of each."""

    vocabulary: ViewVocabulary
    pair: NDArray[np.int64]
    reference: NDArray[np.int64]
    hypothesis: NDArray[np.int64]
    _cosines: dict[Case, NDArray[np.float64]] = field(default_factory=dict, repr=False)

    def cosines(self, case: Case) -> NDArray[np.float64]:
        """Return the cosines of the substituted tokens; nan where a token has no vector."""
        case = self.vocabulary.effective_case(case)
        if case not in self._cosines:
            vectors = self.vocabulary.vectors(case)
            cosines = vectors.cosines(self.reference, self.hypothesis)
            self._cosines[case] = np.where(self.have_vectors(case), cosines, np.nan)
        return self._cosines[case]

    def have_vectors(self, case: Case) -> NDArray[np.bool_]:
        """Whether both tokens of each substitution have a vector."""
        return self.vocabulary.vectors(case).priceable(self.reference, self.hypothesis)


class Cost(Part):
    """The costs of substitutions between the tokens of a view.

    `table` makes the table of costs by which pairs are aligned. `prices` returns the costs of the
    substitutions of an alignment that exists already. Two costs with equal options must be equal
    objects: `Pairs` stores alignments by cost.
    """

    __slots__ = ()

    def for_view(self, view: View) -> Cost:
        """Return the cost for the tokens of a view; raise if it is not defined for them.

        A metric calls this method first. A cost whose settings depend on the view returns a new
        cost that stores what it needs of the view.
        """
        return self

    def table(self, vocabulary: ViewVocabulary) -> Costs:
        """Return the costs of all edits over a vocabulary, for the aligner."""
        raise NotImplementedError

    def prices(self, substituted: Substituted) -> NDArray[np.float64]:
        """Return the cost of each substitution of an alignment."""
        table = self.table(substituted.vocabulary)
        return table.of(substituted.reference, substituted.hypothesis)

    def cosines(self, substituted: Substituted) -> NDArray[np.float64] | None:
        """Return the cosine of each substitution (nan: no vector); None if no vectors are used."""
        return None


COSTS: Registry[Cost] = Registry(
    "costs",
    {
        "cosine": Entry(f"{HERE}.vectors:Cosine"),
        "features": Entry(f"{HERE}.features:Features"),
        "near": Entry(f"{HERE}.vectors:Near"),
    },
)
