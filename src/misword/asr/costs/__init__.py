"""Costs: the cost of substituting one token by another."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from misword.alignment.costs import Costs
from misword.asr.views import View
from misword.asr.vocabulary import Substituted, ViewVocabulary
from misword.core.parts.contract import Part
from misword.core.parts.registry import Entry, Registry

HERE = "misword.asr.costs"


class Cost(Part):
    """Gives the costs of substitutions among the tokens of a view.

    A cost makes the table by which pairs are aligned (`table`) and the costs of the substitutions
    of an alignment that exists already (`prices`). Two costs with equal options must be equal
    objects: `Pairs` stores alignments by cost.
    """

    __slots__ = ()

    def over(self, view: View) -> Cost:
        """Return the cost for the tokens of a view; raise if these tokens have no such cost.

        A metric calls it before anything else. A cost whose settings depend on the view returns a
        cost that knows what it needs of the view.
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
        "cosine": Entry(f"{HERE}.cosine:Cosine"),
        "features": Entry(f"{HERE}.features:Features"),
        "near": Entry(f"{HERE}.near:Near"),
    },
)
