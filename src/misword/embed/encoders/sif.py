"""Smooth inverse frequency."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.part import options_of
from misword.embed import frequencies as lists
from misword.embed.averages import Weigh, averages, incomplete
from misword.embed.encoders import Encode
from misword.embed.frequencies import Frequencies
from misword.embed.similarity import ByCosine
from misword.embed.vectors.opened import check_word_vectors, word_vectors
from misword.embed.vectors.words import Case

NOTHING = 1e-6  # of a row's length, or of the first singular value: rounding

Rows = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SIF(ByCosine):
    """Word vectors weighed by a / (a + p(word)), without what all sentences have in common.

    Why: rare words say more of what is meant; the direction that all sentences share, grammar
    mostly, says nothing of it.

    p is counted in the references (`frequencies=corpus`) or comes from the language's list in the
    package wordfreq. The common direction is the first principal component of the references'
    vectors, so a system's score does not depend on what other systems said.

    Known problems: a number depends on the whole set of references, so shards do not add up to it;
    with few references, neither frequencies nor direction mean much.

    Example: `misword score ref.txt hyp.txt --vectors cc.fr.300.vec --metrics semdist:encoder=sif`
    Reference: S. Arora et al., A simple but tough-to-beat baseline for sentence embeddings,
    ICLR 2017.
    """

    name: ClassVar[str] = "sif"
    slow: ClassVar[bool] = False
    wants: ClassVar[str] = "vectors"
    fitted: ClassVar[bool] = True

    a: float = 1e-3
    frequencies: lists.Source = "corpus"
    case: Case = "auto"

    def check(self, context: Context) -> None:
        """There must be vectors, and lists if they are to be used; `a` must weigh."""
        if not (isfinite(self.a) and self.a > 0):
            raise OptionError(f"a is {self.a}", fix="use a number above 0, such as 0.001")
        self.check_sources(context)

    def check_sources(self, context: Context) -> None:
        """There must be vectors, and lists if they are to be used."""
        check_word_vectors(context)
        lists.check(self.frequencies, context.lang)

    def settings(self, context: Context) -> tuple[tuple[str, str], ...]:
        """The options and the vectors."""
        own = tuple(pair for pair in options_of(self) if pair[0] != "frequencies")
        counted = lists.settings(self.frequencies, context.lang)
        return ("encoder", self.name), *own, *counted, *word_vectors(context).settings

    def fit(self, corpus: Sequence[str], context: Context) -> Encode:
        """Weigh and add up; of the corpus find the directions to take out of all."""
        weigh = self.weigh(lists.load(self.frequencies, context.lang, corpus), corpus)

        def add(texts: Sequence[str]) -> Rows:
            return averages(texts, word_vectors(context), self.case, weigh)

        directions, shares = self.common(add(corpus))
        return lambda texts: without(add(texts), directions, shares).astype(np.float32)

    def partial(self, texts: Sequence[str], context: Context) -> NDArray[np.bool_]:
        """Those that have a word without a vector."""
        return incomplete(texts, word_vectors(context), self.case)

    def weigh(self, frequencies: Frequencies, corpus: Sequence[str]) -> Weigh:
        """What a word weighs."""
        return lambda word: self.a / (self.a + frequencies.of(word))

    def common(self, rows: Rows) -> tuple[Rows, Rows]:
        """The first direction, wholly."""
        directions, _ = components(rows, 1)
        return directions, np.ones(len(directions))


def components(rows: Rows, number: int) -> tuple[Rows, Rows]:
    """The first directions of rows (not centred) and their singular values, without those of 0.

    Of the square of the matrix: it is no larger than the vectors are long.
    """
    squares, directions = np.linalg.eigh(rows.T @ rows)
    singular = np.sqrt(np.maximum(squares[::-1][:number], 0))
    some = singular > NOTHING * singular.max(initial=0)
    return directions.T[::-1][:number][some], singular[some]


def without(rows: Rows, directions: Rows, shares: Rows) -> Rows:
    """Rows without the `shares` of what they have of the directions."""
    left = np.asarray(rows - (rows @ directions.T * shares) @ directions)
    # What is left of a row that lies in the directions is rounding, and points anywhere.
    left[np.linalg.norm(left, axis=1) < NOTHING * np.linalg.norm(rows, axis=1)] = 0
    return left
