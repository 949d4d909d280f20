"""A sentence as the subspace spanned by its word vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.parts import Settings, options_of
from misword.embed import frequencies
from misword.embed.encoders import SentenceVectors, Similarities
from misword.embed.encoders.averages import WordVectorEncoder, index_known_words
from misword.embed.vectors import Case
from misword.embed.vectors.words import WordVectors, word_vectors

# A direction whose singular value is below this share of the first one is a rounding error.
ROUNDING = 1e-5
CELLS = 1 << 22  # numbers of the matrices that are in memory at once

StopOption = Literal["none", "wordfreq", "stopwordsiso"]


@dataclass(frozen=True, slots=True)
class Subspace(WordVectorEncoder):
    """The first `n` principal directions of the vectors of a sentence's words (not centred).

    Why: a mean merges the different topics of a sentence; a subspace keeps `n` directions apart.

    Two sentences are compared by the principal angles between their subspaces U1 and U2: the square
    root of the sum of the squared singular values of U1'U2. With `scale=rank` it is divided by the
    square root of the number of directions (the geometric mean of the numbers of both sentences),
    so that a subspace has similarity 1 with itself. With `scale=n` it is divided by the square root
    of `n`, which is the paper's value up to a constant: then a sentence of fewer than `n` words has
    a similarity below 1 with itself.

    `stop` leaves out stop words, as in `mean-stop` and in Voleti et al. 2019.

    Known problems: it ignores the order of words and the number of their occurrences. In vectors of
    few dimensions any two sentences share most of a space of four directions.

    Example: `misword score ref.txt hyp.txt --vectors cc.fr.300.vec --metrics
    semdist:encoder=subspace`

    Reference: J. Mu, S. Bhat, P. Viswanath, Representing sentences as low-rank subspaces, ACL 2017.
    """

    name: ClassVar[str] = "subspace"
    cites: ClassVar[tuple[str, ...]] = ("mu2017",)

    n: int = 4
    scale: Literal["rank", "n"] = "rank"
    stop: StopOption = "none"
    number: int = 100
    case: Case = "auto"

    def check(self, context: Context) -> None:
        """Raise unless there are vectors, at least one direction, and the list of stop words."""
        if self.n < 1:
            raise OptionError(f"n is {self.n}", fix="keep at least one direction: n=4")
        WordVectorEncoder.check(self, context)
        if self.stop != "none":
            frequencies.check_stopwords(self.stop, self.number, context.lang)

    def option_settings(self, context: Context) -> Settings:
        """The options and the list of stop words."""
        others = tuple(pair for pair in options_of(self) if pair[0] not in ("stop", "number"))
        if self.stop == "none":
            return *others, ("stopwords", "none")
        return *others, *frequencies.stopword_settings(self.stop, self.number, context.lang)

    def encode(self, texts: Sequence[str], context: Context) -> SentenceVectors:
        """Return the directions of each text, concatenated."""
        content = self._without_stopwords(texts, context)
        return subspaces(content, word_vectors(context), self.case, self.n)

    def similarity(self, left: SentenceVectors, right: SentenceVectors) -> Similarities:
        """Compare subspaces by their principal angles; 0 where either has no direction."""
        a, b = (rows.astype(np.float64).reshape(len(rows), self.n, -1) for rows in (left, right))
        overlap = np.sqrt(np.square(a @ b.swapaxes(1, 2)).sum(axis=(1, 2)))
        if self.scale == "n":
            return np.asarray(overlap / np.sqrt(self.n))
        ranks = [np.count_nonzero(rows.any(axis=2), axis=1) for rows in (a, b)]
        return np.asarray(overlap / np.sqrt(np.sqrt(np.maximum(ranks[0] * ranks[1], 1))))

    def partial(self, texts: Sequence[str], context: Context) -> NDArray[np.bool_]:
        """Texts that contain a word without a vector; left-out stop words are not counted."""
        return WordVectorEncoder.partial(self, self._without_stopwords(texts, context), context)

    def _without_stopwords(self, texts: Sequence[str], context: Context) -> Sequence[str]:
        if self.stop == "none":
            return texts
        return frequencies.without_words(
            texts, frequencies.load_stopwords(self.stop, self.number, context.lang)
        )


def subspaces(
    texts: Sequence[str], vectors: WordVectors, case: Case, n: int
) -> NDArray[np.float32]:
    """Return for each text its first `n` directions, concatenated; zero where it has fewer.

    Texts with the same number of words are computed together.
    """
    known = index_known_words(texts, vectors, case)
    lengths = np.bincount(known.text_of_word, minlength=len(texts))
    starts = np.cumsum(lengths) - lengths
    bases = np.zeros((len(texts), n * vectors.dimension), np.float32)
    for length in np.unique(lengths[lengths > 0]).tolist():
        same_length = np.flatnonzero(lengths == length)
        block = max(1, CELLS // (length * max(length, vectors.dimension)))
        for lo in range(0, len(same_length), block):
            batch = same_length[lo : lo + block]
            batch_ids = known.ids[starts[batch][:, None] + np.arange(length)]
            basis = directions(known.rows[batch_ids].astype(np.float64), n)
            bases[batch, : basis[0].size] = basis.reshape(len(batch), -1)
    return bases


def directions(words: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """Return the first `n` right singular vectors of each matrix of words; zero if it has fewer.

    They are computed from the products of the words with each other, a matrix that is smaller than
    the products of the components: a sentence has fewer words than a vector has components.
    """
    squares, mixing = np.linalg.eigh(words @ words.swapaxes(1, 2))
    singular = np.sqrt(np.maximum(squares[:, ::-1][:, :n], 0))
    unscaled = mixing[:, :, ::-1][:, :, :n].swapaxes(1, 2) @ words
    nonzero = singular > ROUNDING * singular[:, :1]
    scaled = unscaled / np.where(nonzero, singular, 1)[:, :, None]
    return np.where(nonzero[:, :, None], scaled, 0.0)
