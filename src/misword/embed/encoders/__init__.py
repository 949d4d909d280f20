"""Sentence encoders: each gives a vector for a sentence and a similarity of two such vectors.

`create_encoder` creates the encoder that a spec names, or the default of a language. The default
depends on the language alone, not on the installed packages: on another machine the same command
gives the same numbers, or an error that names the missing package.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.parts import Part
from misword.core.parts.registry import Entry, Registry
from misword.embed.fitting import fit_sums

SentenceVectors = NDArray[np.float32]
Similarities = NDArray[np.float64]

# Similarities.

BLOCK = 4096  # pairs whose vectors are in memory in double precision at once


def cosines(left: SentenceVectors, right: SentenceVectors) -> Similarities:
    """Return the cosines of pairs of rows, in double precision; 0 where either row is zero.

    >>> cosines(np.array([[3, 4]], np.float32), np.array([[0, 2]], np.float32)).tolist()
    [0.8]
    """
    a, b = left.astype(np.float64), right.astype(np.float64)
    product, left_square, right_square = (
        np.einsum("ij,ij->i", x, y) for x, y in ((a, b), (a, a), (b, b))
    )
    norms = np.sqrt(left_square * right_square)
    return np.asarray(product / np.where(norms == 0, 1, norms))


def pair_similarities(
    similarity: Callable[[SentenceVectors, SentenceVectors], Similarities],
    vectors: SentenceVectors,
    left: NDArray[np.int64],
    right: NDArray[np.int64],
) -> Similarities:
    """Return the similarity of vector `left[i]` with vector `right[i]` for each i, in blocks."""
    similarities = np.empty(len(left))
    for lo in range(0, len(left), BLOCK):
        block = slice(lo, lo + BLOCK)
        similarities[block] = similarity(vectors[left[block]], vectors[right[block]])
    return similarities


# The encoders.

HERE = "misword.embed.encoders"
# The multilingual encoder that is the default, and its languages.
DEFAULT_ENCODER = "use"
LANGUAGES = (
    "ar", "de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "th", "tr", "zh",
)  # fmt: skip

# Returns one vector for each text, in order; a zero vector for a text without any known word.
Encode = Callable[[Sequence[str]], SentenceVectors]


class Encoder(Part):
    """Base class of sentence encoders.

    An encoder overrides `encode`; an encoder that learns from a corpus (word frequencies, a common
    direction) overrides `fitted`, and `fit_passes`, `collect` and `fit_to` (see `embed.fitting`) or
    `fit` instead. The vector of a sentence must not depend on the other sentences of a call, except
    for rounding. `slow` marks encoders that run a network: their vectors are worth caching.
    """

    __slots__ = ()

    family: ClassVar[str] = "semantics"
    slow: ClassVar[bool] = False

    @property
    def uses(self) -> tuple[str, ...]:
        """The cache, if the encoder is slow."""
        return ("cache",) if self.slow else ()

    @property
    def fitted(self) -> bool:
        """Whether `fit` learns something from the corpus."""
        return False

    @property
    def fit_passes(self) -> int:
        """The number of passes over a corpus in which the encoder is fitted to it."""
        return 0

    def collect(self, texts: Sequence[str], sums: Sequence[Any], context: Context) -> Any:
        """Return the sum of some texts for the pass after those that gave `sums`."""
        raise NotImplementedError

    def fit_to(self, sums: Sequence[Any], context: Context) -> Encode:
        """Return the function that encodes texts, given the sums of all passes."""
        return lambda texts: self.encode(texts, context)

    def fit(self, corpus: Sequence[str], context: Context) -> Encode:
        """Learn from a corpus and return the function that encodes texts."""
        return self.fit_to(fit_sums(self, corpus, context), context)

    def encode(self, texts: Sequence[str], context: Context) -> SentenceVectors:
        """Return one vector for each text, for encoders that learn nothing from a corpus."""
        raise NotImplementedError

    def similarity(self, left: SentenceVectors, right: SentenceVectors) -> Similarities:
        """Return the similarity of each vector of `left` with the vector of `right` at its place.

        It is symmetric, 1 for a vector with itself, 0 where either vector is zero, and never above
        1 except for rounding. The default is the cosine.
        """
        return cosines(left, right)

    def partial(self, texts: Sequence[str], context: Context) -> NDArray[np.bool_]:
        """Return which texts are only partly encoded: truncated, or with out-of-vocabulary words.

        By default no text is: the encoder has no limit of length and no unknown words.
        """
        return np.zeros(len(texts), np.bool_)


ENCODERS: Registry[Encoder] = Registry(
    "encoders",
    {
        "infersent": Entry(f"{HERE}.infersent:InferSent", extra="neural"),
        "mean": Entry(f"{HERE}.averages:Mean"),
        "mean-stop": Entry(f"{HERE}.averages:MeanStop"),
        "sif": Entry(f"{HERE}.sif:SIF"),
        "subspace": Entry(f"{HERE}.subspace:Subspace"),
        "transformer": Entry(f"{HERE}.transformer:Transformer", extra="neural"),
        "use": Entry(f"{HERE}.use:Use", extra="neural"),
        "usif": Entry(f"{HERE}.sif:USIF"),
    },
)


def create_encoder(lang: str, spec: str = "auto") -> Encoder:
    """Create the encoder that `spec` names; `auto` is the default encoder of the language.

    `+` joins the options of a spec that is inside another spec, where a comma would end it. A spec
    with a slash in its name is the folder or the hub name of a transformer model.

    >>> create_encoder("fr")
    Use()
    >>> create_encoder("fr", "sif:frequencies=wordfreq+a=0.01")
    SIF(a=0.01, frequencies='wordfreq', case='auto')
    >>> create_encoder("", "sentence-transformers/LaBSE").model
    'sentence-transformers/LaBSE'
    """
    if spec != "auto":
        if "/" in spec.partition(":")[0]:
            spec = f"transformer:model={spec}"
        return ENCODERS.create(re.sub(r"\+(?=\w+=)", ",", spec))
    if lang and lang not in LANGUAGES:
        raise OptionError(
            f"no encoder for {lang!r} is chosen unless you name it",
            fix="name a model: encoder=transformer:model=sentence-transformers/LaBSE; or, with "
            f"--vectors, encoder=sif. There is a default for: {', '.join(LANGUAGES)}",
        )
    return ENCODERS.create(DEFAULT_ENCODER)
