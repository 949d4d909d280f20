"""A sentence as the subspace that its words lie in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.part import options_of
from misword.embed import stopwords
from misword.embed.averages import incomplete, words_of
from misword.embed.encoders import Encode
from misword.embed.similarity import Rows, Similarities
from misword.embed.vectors.opened import check_word_vectors, word_vectors
from misword.embed.vectors.words import Case, WordVectors

NOTHING = 1e-5  # of the first singular value: a direction that short is rounding
CELLS = 1 << 22  # numbers of the matrices that are in memory at once

Stop = Literal["none", "wordfreq", "stopwordsiso"]


@dataclass(frozen=True, slots=True)
class Subspace:
    """The first `n` principal directions of the vectors of a sentence's words (not centred).

    Why: a mean blurs what a sentence has of different things; a subspace keeps `n` of them apart.

    Two sentences are compared by the principal angles of their subspaces: the root of the sum of
    the squared singular values of U1'U2. With `scale=rank` it is divided by the root of the number
    of directions (the geometric mean of the two sentences'), so that a subspace has similarity 1
    with itself; with `scale=n` by the root of `n`, which is the paper's number but for a constant:
    a sentence of fewer than `n` words is then less than 1 like itself.

    `stop` leaves out stop words, as for `mean-stop` (Voleti et al. did).

    Known problems: it knows no order of words nor how often each is said; in few dimensions any two
    sentences share most of a space of four directions.

    Example: `misword score ref.txt hyp.txt --vectors cc.fr.300.vec --metrics
    semdist:encoder=subspace`

    Reference: J. Mu, S. Bhat, P. Viswanath, Representing sentences as low-rank subspaces, ACL 2017.
    """

    name: ClassVar[str] = "subspace"
    slow: ClassVar[bool] = False
    wants: ClassVar[str] = "vectors"
    fitted: ClassVar[bool] = False

    n: int = 4
    scale: Literal["rank", "n"] = "rank"
    stop: Stop = "none"
    number: int = 100
    case: Case = "auto"

    def check(self, context: Context) -> None:
        """There must be vectors, a direction, and stop words if they are to be left out."""
        if self.n < 1:
            raise OptionError(f"n is {self.n}", fix="keep at least one direction: n=4")
        check_word_vectors(context)
        if self.stop != "none":
            stopwords.check(self.stop, self.number, context.lang)

    def settings(self, context: Context) -> tuple[tuple[str, str], ...]:
        """The options and the vectors."""
        own = tuple(pair for pair in options_of(self) if pair[0] not in ("stop", "number"))
        left_out: tuple[tuple[str, str], ...] = (("stopwords", "none"),)
        if self.stop != "none":
            left_out = stopwords.settings(self.stop, self.number, context.lang)
        return ("encoder", self.name), *own, *left_out, *word_vectors(context).settings

    def fit(self, corpus: Sequence[str], context: Context) -> Encode:
        """Nothing to learn."""
        vectors = word_vectors(context)
        return lambda texts: subspaces(self._left(texts, context), vectors, self.case, self.n)

    def similarity(self, left: Rows, right: Rows) -> Similarities:
        """By principal angles; 0 where either has no direction."""
        a, b = (rows.astype(np.float64).reshape(len(rows), self.n, -1) for rows in (left, right))
        shared = np.sqrt(np.square(a @ b.swapaxes(1, 2)).sum(axis=(1, 2)))
        if self.scale == "n":
            return np.asarray(shared / np.sqrt(self.n))
        ranks = [np.count_nonzero(rows.any(axis=2), axis=1) for rows in (a, b)]
        return np.asarray(shared / np.sqrt(np.sqrt(np.maximum(ranks[0] * ranks[1], 1))))

    def partial(self, texts: Sequence[str], context: Context) -> NDArray[np.bool_]:
        """Those that have a word without a vector."""
        return incomplete(self._left(texts, context), word_vectors(context), self.case)

    def _left(self, texts: Sequence[str], context: Context) -> Sequence[str]:
        """Texts without stop words, if they are to be left out."""
        if self.stop == "none":
            return texts
        return stopwords.without(texts, stopwords.load(self.stop, self.number, context.lang))


def subspaces(texts: Sequence[str], vectors: WordVectors, case: Case, n: int) -> Rows:
    """For each text `n` directions one after the other, the first first; zero where there is none.

    Texts of one number of words together; by the products of the words, which are fewer than the
    numbers of a vector.
    """
    ids, sizes, words = words_of(texts)
    wide, known = vectors.raw(words, case)
    owner = np.repeat(np.arange(len(texts)), sizes)[known[ids]]
    ids = ids[known[ids]]
    lengths = np.bincount(owner, minlength=len(texts))
    starts = np.cumsum(lengths) - lengths
    found = np.zeros((len(texts), n * vectors.dimension), np.float32)
    for length in np.unique(lengths[lengths > 0]).tolist():
        which = np.flatnonzero(lengths == length)
        block = max(1, CELLS // (length * max(length, vectors.dimension)))
        for lo in range(0, len(which), block):
            some = which[lo : lo + block]
            said = ids[starts[some][:, None] + np.arange(length)]
            made = directions(wide[said].astype(np.float64), n)
            found[some, : made[0].size] = made.reshape(len(some), -1)
    return found


def directions(words: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """The first `n` right singular vectors of each matrix of words; zero where there are fewer."""
    squares, mixed = np.linalg.eigh(words @ words.swapaxes(1, 2))
    singular = np.sqrt(np.maximum(squares[:, ::-1][:, :n], 0))
    made = mixed[:, :, ::-1][:, :, :n].swapaxes(1, 2) @ words
    some = singular > NOTHING * singular[:, :1]
    scaled = made / np.where(some, singular, 1)[:, :, None]
    return np.where(some[:, :, None], scaled, 0.0)
