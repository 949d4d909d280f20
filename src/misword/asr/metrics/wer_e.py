"""Word error rate with embeddings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from misword.asr.metrics.edit_rate import EmbeddingRate


@dataclass(frozen=True, slots=True)
class WERE(EmbeddingRate):
    """Word error rate where a substitution costs one minus the cosine of the two words (WER-E).

    Why: "souveraine" for "souveraines" is less wrong than "banane" for "souveraines". Unit costs
    decide the alignment, as for WER; insertions, deletions and words without a vector cost 1.

    Known problems: a cost can be above 1 (up to 2), so WER-E can be above WER. The values depend on
    the vectors; compare only results with the same vectors.

    Example: `misword score ref.txt hyp.txt --vectors cc.fr.300.vec --metrics wer-e`

    Reference: N.-T. Le et al., Better evaluation of ASR in speech translation context using word
    embeddings, Interspeech 2016.
    """

    name: ClassVar[str] = "wer-e"
    title: ClassVar[str] = "WER-E"
    family: ClassVar[str] = "semantics"
    cites: ClassVar[tuple[str, ...]] = ("le2016",)
