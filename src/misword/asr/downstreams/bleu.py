"""BLEU."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from misword.asr.downstreams.sacrebleu import SacreScore
from misword.core.types import Statistics

Tokenizer = Literal["13a", "none", "intl", "char", "zh", "ja-mecab", "ko-mecab"]


@dataclass(frozen=True, slots=True)
class BLEU(SacreScore):
    """N-gram precision of translations with a brevity penalty, by sacrebleu; higher is better.

    Known problems: it is made for corpora; on blocks of a few sentences its variance is high. The
    smoothing and the tokenizer decide its second decimal: compare only equal signatures.

    Example: `misword correlate ref.fr hyp.fr --translations hyp.en --translation-references ref.en
    --scores bleu:tokenize=none`

    Reference: K. Papineni et al., BLEU: a method for automatic evaluation of machine translation,
    ACL 2002; M. Post, A call for clarity in reporting BLEU scores, WMT 2018.
    """

    name: ClassVar[str] = "bleu"
    title: ClassVar[str] = "BLEU"

    tokenize: Tokenizer = "13a"
    lowercase: bool = False
    smooth: Literal["exp", "floor", "add-k", "none"] = "exp"

    def metric(self) -> Any:
        """Create sacrebleu's object; `force` suppresses its warning about tokenized text."""
        from sacrebleu.metrics.bleu import BLEU

        return BLEU(
            lowercase=self.lowercase, tokenize=self.tokenize, smooth_method=self.smooth, force=True
        )

    def scores(self, sums: Statistics) -> NDArray[np.float64]:
        """Compute the score of each row of sums."""
        return self._scores(sums, effective_order=False)

    def segment_scores(self, statistics: Statistics) -> NDArray[np.float64]:
        """Compute sentence BLEU: n-grams longer than the translation do not count."""
        return self._scores(statistics, effective_order=True)

    def _scores(self, sums: Statistics, *, effective_order: bool) -> NDArray[np.float64]:
        """Compute the scores of sums.

        sacrebleu rounds lengths down to whole numbers in its brevity penalty. Derivatives need the
        penalty of any lengths, so sacrebleu gets lengths that have none, and it is applied here.
        """
        compute = self.metric().compute_bleu
        options = {"smooth_method": self.smooth, "effective_order": effective_order}
        precision = [
            compute(correct=row[2:6], total=row[6:], sys_len=1, ref_len=1, **options).score
            for row in sums.tolist()
        ]
        length, reference = sums[:, 0], sums[:, 1]
        shortfall = np.maximum(reference / np.where(length > 0, length, 1) - 1, 0)
        return np.where(length > 0, np.array(precision) * np.exp(-shortfall), 0)
