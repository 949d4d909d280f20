"""Scores of translations that sacrebleu computes: BLEU, chrF and TER, and their base class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from misword.asr.downstreams import Downstream
from misword.core.context import Context
from misword.core.errors import MissingExtraError
from misword.core.parts import Requirement, Settings
from misword.core.progress import progress
from misword.core.types import Statistics

REQUIREMENT = Requirement(("sacrebleu",), "pip install 'misword[translation]'", "Apache-2.0")
Tokenizer = Literal["13a", "none", "intl", "char", "zh", "ja-mecab", "ko-mecab"]
CHUNK = 50  # segments between two steps of the progress bar; TER is slow


@dataclass(frozen=True, slots=True)
class SacreScore(Downstream):
    """A score of sacrebleu, from the statistics per segment that sacrebleu resamples in its tests.

    The statistics come from methods that sacrebleu does not document; misword's tests compare the
    scores with those of `corpus_score`.
    """

    def metric(self) -> Any:
        """Create sacrebleu's object with these options."""
        raise NotImplementedError

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """Return the package sacrebleu."""
        return REQUIREMENT

    def check(self, context: Context) -> None:
        """Raise unless sacrebleu and the packages of its tokenizer are installed."""
        Downstream.check(self, context)
        try:
            self.metric()
        except (ImportError, RuntimeError) as error:  # a tokenizer that needs another package
            raise MissingExtraError(str(error).strip(), fix="or choose another tokenizer") from None

    def settings(self, context: Context) -> Settings:
        """The settings of sacrebleu's own signature."""
        metric = self.metric()
        metric.corpus_score(["a"], [["a"]])  # sets the number of references in the signature
        pieces = (piece.partition(":") for piece in str(metric.get_signature()).split("|"))
        return tuple((name, value) for name, _, value in pieces)

    def statistics(self, translations: Sequence[str], references: Sequence[str]) -> Statistics:
        """Compute a row of statistics for each segment."""
        metric, rows = self.metric(), []
        name = type(self).__name__
        with progress(f"scoring translations by {name}", len(translations)) as step:
            for lo in range(0, len(translations), CHUNK):
                chunk = slice(lo, lo + CHUNK)
                outputs, expected = list(translations[chunk]), list(references[chunk])
                rows += metric._extract_corpus_statistics(outputs, [expected])
                step(len(outputs))
        return np.array(rows, np.float64)

    def scores(self, sums: Statistics) -> NDArray[np.float64]:
        """Compute the score of each row of sums."""
        metric = self.metric()
        scores = (metric._compute_score_from_stats(row).score for row in sums.tolist())
        return np.fromiter(scores, np.float64, len(sums))


@dataclass(frozen=True, slots=True)
class BLEU(SacreScore):
    """N-gram precision of translations with a brevity penalty, by sacrebleu; higher is better.

    Known problems: it is made for corpora; on blocks of a few sentences its variance is high. The
    smoothing and the tokenizer decide its second decimal: compare only equal signatures.

    Example: `misword correlate ref.fr hyp.fr --translations hyp.en --translation-references ref.en
    --downstream bleu:tokenize=none`

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
        from sacrebleu.metrics import bleu

        return bleu.BLEU(
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


@dataclass(frozen=True, slots=True)
class ChrF(SacreScore):
    """F-score over character n-grams of translations, by sacrebleu; higher is better.

    `word_order=2` is chrF++.

    Example: `misword correlate ref.fr hyp.fr --translations hyp.en --translation-references ref.en
    --downstream chrf:word_order=2`

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
        from sacrebleu.metrics import chrf

        return chrf.CHRF(self.char_order, self.word_order, self.beta, self.lowercase)


@dataclass(frozen=True, slots=True)
class TER(SacreScore):
    """Edits, with shifts of phrases, over the words of reference translations; lower is better.

    Computed by sacrebleu, which follows tercom. Texts are lower-cased unless `case_sensitive`.

    Known problems: slow, about two hundred segments a second; shifts are searched greedily.

    Example: `misword correlate ref.fr hyp.fr --translations hyp.en --translation-references ref.en
    --downstream ter:no_punct=true`

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
        from sacrebleu.metrics import ter

        return ter.TER(self.normalized, self.no_punct, self.asian_support, self.case_sensitive)
