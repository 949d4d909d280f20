"""The mean of word vectors, without stop words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.core.context import Context
from misword.core.parts.contract import Requirement, Settings
from misword.embed import stopwords
from misword.embed.encoders.mean import Mean
from misword.embed.frequencies import REQUIREMENT
from misword.embed.similarity import SentenceVectors
from misword.embed.vectors.words import Case


@dataclass(frozen=True, slots=True)
class MeanStop(Mean):
    """The mean of the vectors of a sentence's words, without the most frequent words.

    Why: words such as `the` and `of` occur in every sentence and make all means similar.

    `words=wordfreq` leaves out the `number` most frequent words of the language (package wordfreq);
    `words=stopwordsiso` leaves out the list of that package. This list is long: for English it has
    1,298 words, among them `man`, `young`, `two` and `work`.

    Known problems: a sentence of stop words alone has a zero vector and similarity 0 with every
    sentence; `not` is left out too.

    Example: `misword score ref.txt hyp.txt --vectors cc.fr.300.vec --lang fr --metrics
    semdist:encoder=mean-stop`

    Reference: R. Voleti et al., Investigating the effects of word substitution errors on sentence
    embeddings, ICASSP 2019.
    """

    name: ClassVar[str] = "mean-stop"

    case: Case = "auto"
    words: stopwords.StopwordList = "wordfreq"
    number: int = 100

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """The package of the default list."""
        return REQUIREMENT

    def check(self, context: Context) -> None:
        """Raise unless there are word vectors and a list of stop words for the language."""
        Mean.check(self, context)
        stopwords.check(self.words, self.number, context.lang)

    def option_settings(self, context: Context) -> Settings:
        """The case and the list of stop words."""
        return ("case", self.case), *stopwords.settings(self.words, self.number, context.lang)

    def encode(self, texts: Sequence[str], context: Context) -> SentenceVectors:
        """Return the mean over the words that are not stop words."""
        return Mean.encode(self, self._without_stopwords(texts, context), context)

    def partial(self, texts: Sequence[str], context: Context) -> NDArray[np.bool_]:
        """Texts that contain a word without a vector; stop words are not counted."""
        return Mean.partial(self, self._without_stopwords(texts, context), context)

    def _without_stopwords(self, texts: Sequence[str], context: Context) -> list[str]:
        words = stopwords.load(self.words, self.number, context.lang)
        return stopwords.without(texts, words)
