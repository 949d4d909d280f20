"""Word error rate with embeddings."""

from __future__ import annotations

from dataclasses import dataclass

from misword.asr.metrics.edit_rate import EmbeddingRate


@dataclass(frozen=True, slots=True)
class WERE(EmbeddingRate):
    """Word error rate where a substitution costs one minus the cosine of the two words (WER-E).

    Why: "souveraine" for "souveraines" is less wrong than "banane" for "souveraines". Unit costs
    align, as for WER; insertions, deletions and words without a vector cost 1.

    Known problems: a distance may pass 1 (up to 2), so WER-E may pass WER; values depend on the
    vectors, and only results with the same vectors can be compared.

    Example: `misword score ref.txt hyp.txt --vectors cc.fr.300.vec --metrics wer-e`

    Reference: N.-T. Le et al., Better evaluation of ASR in speech translation context using word
    embeddings, Interspeech 2016.
    """
