"""The mean of word vectors, without stop words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.core.context import Context
from misword.core.part import options_of
from misword.core.requirements import Requirement
from misword.embed import stopwords
from misword.embed.encoders import Encode
from misword.embed.encoders.mean import Mean
from misword.embed.frequencies import REQUIREMENT
from misword.embed.vectors.opened import check_word_vectors, word_vectors
from misword.embed.vectors.words import Case


@dataclass(frozen=True, slots=True)
class MeanStop(Mean):
    """The mean of the vectors of a sentence's words, but for the most frequent words.

    Why: `the` and `of` are in every sentence and make all means alike.

    `words=wordfreq` leaves out the `number` most frequent words of the language (package wordfreq);
    `words=stopwordsiso` the list of that package, which is long: of English it has 1,298 words,
    `man`, `young`, `two` and `work` among them.

    Known problems: a sentence of nothing else is nothing, and like no other; `not` is left out too.

    Example: `misword score ref.txt hyp.txt --vectors cc.fr.300.vec --lang fr --metrics
    semdist:encoder=mean-stop`

    Reference: R. Voleti et al., Investigating the effects of word substitution errors on sentence
    embeddings, ICASSP 2019.
    """

    name: ClassVar[str] = "mean-stop"

    case: Case = "auto"
    words: stopwords.Source = "wordfreq"
    number: int = 100

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """What its default list needs."""
        return REQUIREMENT

    def check(self, context: Context) -> None:
        """There must be vectors, and a list of the language."""
        check_word_vectors(context)
        stopwords.check(self.words, self.number, context.lang)

    def settings(self, context: Context) -> tuple[tuple[str, str], ...]:
        """The options, the list and the vectors."""
        own = tuple(pair for pair in options_of(self) if pair[0] == "case")
        listed = stopwords.settings(self.words, self.number, context.lang)
        return ("encoder", self.name), *own, *listed, *word_vectors(context).settings

    def fit(self, corpus: Sequence[str], context: Context) -> Encode:
        """The mean of what is left."""
        encode = Mean.fit(self, corpus, context)
        return lambda texts: encode(self._left(texts, context))

    def partial(self, texts: Sequence[str], context: Context) -> NDArray[np.bool_]:
        """Those that have a word without a vector, stop words aside."""
        return Mean.partial(self, self._left(texts, context), context)

    def _left(self, texts: Sequence[str], context: Context) -> list[str]:
        words = stopwords.load(self.words, self.number, context.lang)
        return stopwords.without(texts, words)
