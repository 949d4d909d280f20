"""ChrF."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from misword.asr.downstreams.sacrebleu import SacreScore


@dataclass(frozen=True, slots=True)
class ChrF(SacreScore):
    """F-score over character n-grams of translations, through sacrebleu; more is better.

    `word_order=2` is chrF++.

    Example: `misword correlate ref.fr hyp.fr --translations hyp.en --translation-references ref.en
    --scores chrf:word_order=2`

    Reference: M. Popović, chrF: character n-gram F-score for automatic MT evaluation, WMT 2015.
    """

    char_order: int = 6
    word_order: int = 0
    beta: int = 2
    lowercase: bool = False

    def metric(self) -> Any:
        """Sacrebleu's object."""
        from sacrebleu.metrics.chrf import CHRF

        return CHRF(self.char_order, self.word_order, self.beta, self.lowercase)
