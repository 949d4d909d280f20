"""Phoneme error rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from misword.asr.costs import COSTS, Cost
from misword.asr.metrics.edit_rate import PricedRate
from misword.asr.views import View
from misword.asr.views.phoneme import Phoneme
from misword.core.context import Context


@dataclass(frozen=True, slots=True)
class PER(PricedRate):
    """Phoneme errors per reference phoneme: homophones are no error.

    Why: it separates words that were misheard from words that were misspelt, and people agree with
    it more than with WER. With `cost=features` a substitution costs the phonemes' distance over
    articulatory features, at most 1, and these costs also decide the alignment.

    Known problems: the phonemes of both texts come from rules or a dictionary; the pronunciation
    of the speaker is not known.

    Example: `misword score ref.txt hyp.txt --lang fr --metrics per,per:cost=features`

    Reference: T. Bañeras-Roux et al., HATS: an open data set integrating human perception applied
    to the evaluation of automatic speech recognition metrics, TSD 2023.
    """

    name: ClassVar[str] = "per"
    title: ClassVar[str] = "PER"
    family: ClassVar[str] = "sounds"
    cites: ClassVar[tuple[str, ...]] = ("hats2023",)
    aligns: ClassVar[bool] = True

    lang: str = ""
    phonemizer: str = "auto"
    cost: str = "unit"

    @property
    def needs(self) -> tuple[str, ...]:
        """The language, and what the cost needs."""
        return ("lang",) if self.cost == "unit" else ("lang", *COSTS.create(self.cost).needs)

    def view(self, context: Context) -> View:
        """Return the phonemes."""
        return Phoneme(context.language(self.lang), self.phonemizer)

    def substitution_cost(self, context: Context) -> Cost | None:
        """Return the cost that is named, such as `features`; None for unit costs."""
        return None if self.cost == "unit" else COSTS.create(self.cost).for_view(self.view(context))
