"""TER."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from misword.asr.downstreams.sacrebleu import SacreScore


@dataclass(frozen=True, slots=True)
class TER(SacreScore):
    """Edits, with shifts of phrases, over the words of reference translations; lower is better.

    Computed by sacrebleu, which follows tercom. Texts are lower-cased unless `case_sensitive`.

    Known problems: slow, about two hundred segments a second; shifts are searched greedily.

    Example: `misword correlate ref.fr hyp.fr --translations hyp.en --translation-references ref.en
    --scores ter:no_punct=true`

    Reference: M. Snover et al., A study of translation edit rate with targeted human annotation,
    AMTA 2006.
    """

    name: ClassVar[str] = "ter"
    title: ClassVar[str] = "TER"
    better: ClassVar[Literal["higher", "lower"]] = "lower"

    normalized: bool = False
    no_punct: bool = False
    asian_support: bool = False
    case_sensitive: bool = False

    def metric(self) -> Any:
        """Create sacrebleu's object."""
        from sacrebleu.metrics.ter import TER

        return TER(self.normalized, self.no_punct, self.asian_support, self.case_sensitive)
