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

    Why: it tells what the recogniser misheard from what it misspelt, and people agree with it more
    than with WER. With `cost=features` a substitution costs the phonemes' distance over
    articulatory features, at most 1, and these prices also align.

    Known problems: both texts are read by rule or dictionary; how they were said is not known.

    Example: `misword score ref.txt hyp.txt --lang fr --metrics per,per:cost=features`

    Reference: T. Bañeras-Roux et al., HATS: an open data set integrating human perception applied
    to the evaluation of automatic speech recognition metrics, TSD 2023.
    """

    lang: str = ""
    phonemizer: str = "auto"
    cost: str = "unit"
    aligns: ClassVar[bool] = True
    wants: ClassVar[str] = "lang"

    def view(self, context: Context) -> View:
        """Phonemes."""
        return Phoneme(context.language(self.lang), self.phonemizer)

    @property
    def pricing(self) -> Cost | None:
        """Unit costs, or those of a part such as `features`."""
        return None if self.cost == "unit" else COSTS.create(self.cost)
