"""Word error rate with embeddings that also decide the alignment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from misword.asr.metrics.edit_rate import EmbeddingRate


@dataclass(frozen=True, slots=True)
class WERS(EmbeddingRate):
    """WER-E whose costs also decide the alignment (WER-S), so it is never above WER-E.

    Why: words of similar meaning are aligned with each other, also where unit costs would align
    them otherwise.

    Known problems: those of WER-E; its alignment differs from WER's, and so do its counts.

    Example: `misword score ref.txt hyp.txt --vectors cc.fr.300.vec --metrics wer-s`

    Reference: N.-T. Le et al., Better evaluation of ASR in speech translation context using word
    embeddings, Interspeech 2016.
    """

    name: ClassVar[str] = "wer-s"
    title: ClassVar[str] = "WER-S"
    family: ClassVar[str] = "semantics"
    cites: ClassVar[tuple[str, ...]] = ("le2016",)
    aligns: ClassVar[bool] = True
