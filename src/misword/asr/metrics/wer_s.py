"""Word error rate with embeddings that also align."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from misword.asr.metrics.edit_rate import EmbeddingRate


@dataclass(frozen=True, slots=True)
class WERS(EmbeddingRate):
    """WER-E whose prices decide the alignment too (WER-S), so it is never above WER-E.

    Why: near words find each other even where unit costs would pair them otherwise.

    Known problems: those of WER-E; its alignment is its own, so its counts differ from WER's.

    Example: `misword score ref.txt hyp.txt --vectors cc.fr.300.vec --metrics wer-s`

    Reference: N.-T. Le et al., Better evaluation of ASR in speech translation context using word
    embeddings, Interspeech 2016.
    """

    aligns: ClassVar[bool] = True
