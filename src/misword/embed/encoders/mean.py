"""The mean of word vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.core.context import Context
from misword.core.part import options_of
from misword.embed.averages import averages, incomplete
from misword.embed.encoders import Encode
from misword.embed.similarity import ByCosine
from misword.embed.vectors.opened import check_word_vectors, word_vectors
from misword.embed.vectors.words import Case


@dataclass(frozen=True, slots=True)
class Mean(ByCosine):
    """The mean of the vectors of a sentence's words.

    Why: quick, needs no model beside the vectors, and hard to beat by much.

    Words are cut at white space and looked up by `case`; words without a vector are left out.

    Known problems: it knows no order of words, and frequent words drown the others.

    Example: `misword score ref.txt hyp.txt --vectors cc.fr.300.vec --metrics semdist:encoder=mean`
    Reference: J. Wieting et al., Towards universal paraphrastic sentence embeddings, ICLR 2016.
    """

    name: ClassVar[str] = "mean"
    slow: ClassVar[bool] = False
    wants: ClassVar[str] = "vectors"
    fitted: ClassVar[bool] = False

    case: Case = "auto"

    def check(self, context: Context) -> None:
        """There must be vectors."""
        check_word_vectors(context)

    def settings(self, context: Context) -> tuple[tuple[str, str], ...]:
        """The options and the vectors."""
        return ("encoder", self.name), *options_of(self), *word_vectors(context).settings

    def fit(self, corpus: Sequence[str], context: Context) -> Encode:
        """All words weigh the same, whatever the corpus."""
        vectors = word_vectors(context)
        return lambda texts: averages(texts, vectors, self.case, lambda _: 1.0).astype(np.float32)

    def partial(self, texts: Sequence[str], context: Context) -> NDArray[np.bool_]:
        """Those that have a word without a vector."""
        return incomplete(texts, word_vectors(context), self.case)
