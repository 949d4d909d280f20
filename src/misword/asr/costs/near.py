"""A small price for near words, the full one for others."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from misword.alignment.costs import Costs, stepped
from misword.asr.costs.cosine import Cosine
from misword.asr.views import View
from misword.embed.words import Case

if TYPE_CHECKING:
    from misword.asr.pairs import Pairs


@dataclass(frozen=True, slots=True)
class Near(Cosine):
    """`weight` (0.1) where the cosine of the words is above `threshold` (0.4), else 1.

    Known problems: a step: words just above and just below it differ by 0.9.
    """

    case: Case = "lower"
    threshold: float = 0.4
    weight: float = 0.1

    def costs(self, pairs: Pairs, view: View) -> Costs:
        """Prices by the vectors of the vocabulary."""
        cosine = pairs.costs(view, Cosine(self.case))
        return replace(cosine, threshold=self.threshold, near=stepped(self.weight))
