"""BLEU."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from misword.asr.downstreams.sacrebleu import SacreScore

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
