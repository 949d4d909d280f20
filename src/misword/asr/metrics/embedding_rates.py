"""Word error rates whose substitutions cost what word vectors say: wer-e, wer-s, EmbER."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from misword.asr.costs import Cost
from misword.asr.costs.vectors import Near
from misword.asr.metrics.edit_rate import EmbeddingRate
from misword.asr.views import View
from misword.asr.views.surface import Word
from misword.core.context import Context
from misword.core.parts import Settings
from misword.core.types import Statistics
from misword.stat.measure import ratio


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


@dataclass(frozen=True, slots=True)
class EmbER(EmbeddingRate):
    """Word error rate where a substitution by a near word costs 0.1 instead of 1.

    Two words are near if their cosine is above `threshold`. Words are lower-cased before they are
    aligned and looked up, as in the paper, unless `lower=false`. `norm` is the divisor: the number
    of reference words, as the paper says, or the number of steps of the alignment, as in the
    program of the authors.

    Known problems: the cost is a step function: a cosine of 0.39 and one of 0.41 differ by 0.9 in
    cost. The threshold was chosen for one set of French vectors.

    Example: `misword score ref.txt hyp.txt --vectors cc.fr.300.vec --metrics ember:norm=alignment`

    Reference: T. Bañeras-Roux et al., Qualitative evaluation of language model rescoring in
    automatic speech recognition, Interspeech 2022.
    """

    name: ClassVar[str] = "ember"
    title: ClassVar[str] = "EmbER"
    family: ClassVar[str] = "semantics"
    cites: ClassVar[tuple[str, ...]] = ("roux2022",)

    threshold: float = 0.4
    weight: float = 0.1
    norm: Literal["reference", "alignment"] = "reference"
    lower: bool = True

    def view(self, context: Context) -> View:
        """Return words, in lower case by default."""
        return Word(self.lower)

    def substitution_cost(self, context: Context) -> Cost:
        """Return a step function of the cosine."""
        return Near(self.case, self.threshold, self.weight)

    def settings(self, context: Context) -> Settings:
        """The settings of an embedding rate, and the divisor."""
        inherited = EmbeddingRate.settings(self, context)
        return *inherited[:1], ("divisor", self.norm), *inherited[1:]

    def terms(self, statistics: Statistics) -> Statistics:
        """Total cost, the divisor, and reference words."""
        reference = self.reference(statistics)
        size = reference if self.norm == "reference" else statistics[..., :4].sum(axis=-1)
        return np.stack([statistics[..., 4], size, reference], axis=-1)

    def rate(self, terms: Statistics) -> Statistics:
        """Total cost over the divisor; nan without reference words, whatever the divisor."""
        return np.where(terms[..., 2] > 0, ratio(terms[..., 0], terms[..., 1]), np.nan)
