"""The mean of word vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from misword.core.context import Context
from misword.embed.averages import weighted_means
from misword.embed.encoders.word_vector_encoder import WordVectorEncoder
from misword.embed.similarity import SentenceVectors
from misword.embed.vectors.words import Case, word_vectors


@dataclass(frozen=True, slots=True)
class Mean(WordVectorEncoder):
    """The mean of the vectors of a sentence's words.

    Why: it is fast, needs no model except the word vectors, and is a strong baseline.

    Words are separated by white space and looked up by `case`; words without a vector are left out.

    Known problems: it ignores the order of words, and frequent words dominate the mean.

    Example: `misword score ref.txt hyp.txt --vectors cc.fr.300.vec --metrics semdist:encoder=mean`
    Reference: J. Wieting et al., Towards universal paraphrastic sentence embeddings, ICLR 2016.
    """

    name: ClassVar[str] = "mean"
    cites: ClassVar[tuple[str, ...]] = ("wieting2016",)

    case: Case = "auto"

    def encode(self, texts: Sequence[str], context: Context) -> SentenceVectors:
        """Return the unweighted mean for each text."""
        means = weighted_means(texts, word_vectors(context), self.case, lambda word: 1.0)
        return means.astype(np.float32)
