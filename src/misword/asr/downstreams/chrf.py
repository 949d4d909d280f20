"""ChrF."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from misword.asr.downstreams.sacrebleu import SacreScore


@dataclass(frozen=True, slots=True)
class ChrF(SacreScore):
    """F-score over character n-grams of translations, by sacrebleu; higher is better.

    `word_order=2` is chrF++.

    Example: `misword correlate ref.fr hyp.fr --translations hyp.en --translation-references ref.en
    --scores chrf:word_order=2`

    Reference: M. Popović, chrF: character n-gram F-score for automatic MT evaluation, WMT 2015.
    """

    name: ClassVar[str] = "chrf"
    title: ClassVar[str] = "chrF"

    char_order: int = 6
    word_order: int = 0
    beta: int = 2
    lowercase: bool = False

    def metric(self) -> Any:
        """Create sacrebleu's object."""
        from sacrebleu.metrics.chrf import CHRF

        return CHRF(self.char_order, self.word_order, self.beta, self.lowercase)
