"""TER."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from misword.asr.downstreams.sacrebleu import SacreScore


@dataclass(frozen=True, slots=True)
class TER(SacreScore):
    """Edits, with shifts of phrases, over the words of reference translations; less is better.

    Through sacrebleu, which does as tercom does. Lower-cased unless `case_sensitive`.

    Known problems: slow, some two hundred segments a second; shifts are found greedily.

    Example: `misword correlate ref.fr hyp.fr --translations hyp.en --translation-references ref.en
    --scores ter:no_punct=true`

    Reference: M. Snover et al., A study of translation edit rate with targeted human annotation,
    AMTA 2006.
    """

    better: ClassVar[Literal["higher", "lower"]] = "lower"

    normalized: bool = False
    no_punct: bool = False
    asian_support: bool = False
    case_sensitive: bool = False

    def metric(self) -> Any:
        """Sacrebleu's object."""
        from sacrebleu.metrics.ter import TER

        return TER(self.normalized, self.no_punct, self.asian_support, self.case_sensitive)
