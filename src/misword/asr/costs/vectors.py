"""Costs from word vectors: one minus the cosine, and a low cost for near words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.alignment.costs import Costs, of_cosines
from misword.asr.costs import Cost, Substituted, ViewVocabulary
from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.parts import Settings, options_of
from misword.embed.vectors import Case
from misword.embed.vectors.words import check_word_vectors, word_vectors


@dataclass(frozen=True, slots=True)
class Cosine(Cost):
    """One minus the cosine of the words' vectors: 0 to 2. A word without a vector costs 1.

    `case` says how a word is looked up: as it is written, else lower-cased (`auto`); only as it is
    written (`exact`); only lower-cased (`lower`).

    Known problems: vectors put antonyms and names of one kind close together; a word without a
    vector costs as much as an unrelated word.
    """

    name: ClassVar[str] = "cosine"
    needs: ClassVar[tuple[str, ...]] = ("vectors",)

    case: Case = "auto"

    def settings(self, context: Context) -> Settings:
        """The options and the vectors."""
        return *options_of(self), *word_vectors(context).settings

    def check(self, context: Context) -> None:
        """Raise unless the context has word vectors."""
        check_word_vectors(context)

    def table(self, vocabulary: ViewVocabulary) -> Costs:
        """Return costs that the aligner computes from the vectors."""
        return vocabulary.vectors(self.case)

    def prices(self, substituted: Substituted) -> NDArray[np.float64]:
        """Return one minus the cosine of each substitution; 1 without a vector."""
        cosines = substituted.cosines(self.case)
        return np.where(np.isnan(cosines), 1.0, of_cosines(cosines))

    def cosines(self, substituted: Substituted) -> NDArray[np.float64]:
        """Return the cosine of each substitution; nan where a token has no vector."""
        return substituted.cosines(self.case)


# Rows of cosines that are in memory at once while the near pairs of a vocabulary are listed.
BLOCK = 256


@dataclass(frozen=True, slots=True)
class Near(Cosine):
    """`weight` (0.1) where the cosine of the words is above `threshold` (0.4), else 1.

    Known problems: a step function: words just above and just below the threshold differ by 0.9.
    Where it decides the alignment, the cosines of all pairs of the vocabulary are computed: some
    seconds for ten thousand distinct tokens.
    """

    name: ClassVar[str] = "near"

    threshold: float = 0.4
    weight: float = 0.1

    def check(self, context: Context) -> None:
        """Raise unless there are vectors, and threshold and weight are possible values."""
        if not -1 <= self.threshold <= 1:
            raise OptionError(f"threshold is {self.threshold}", fix="a cosine is from -1 to 1")
        if not 0 <= self.weight <= 1:
            raise OptionError(f"weight is {self.weight}", fix="use a number from 0 to 1")
        Cosine.check(self, context)

    def table(self, vocabulary: ViewVocabulary) -> Costs:
        """List the pairs of tokens whose cosine is above the threshold; all others cost 1."""
        vectors = vocabulary.vectors(self.case)
        ids = np.flatnonzero(vectors.known)
        units = vectors.units[ids].astype(np.float64)
        references, hypotheses = [ids[:0]], [ids[:0]]
        for start in range(0, len(ids), BLOCK):
            rows, columns = np.nonzero(units[start : start + BLOCK] @ units.T > self.threshold)
            references.append(ids[start + rows])
            hypotheses.append(ids[columns])
        left, right = np.concatenate(references), np.concatenate(hypotheses)
        prices = np.full(len(left), self.weight)
        return Costs.pairs(left, right, prices, size=len(vocabulary.tokens))

    def prices(self, substituted: Substituted) -> NDArray[np.float64]:
        """Return the weight where the cosine is above the threshold, else 1."""
        return np.where(substituted.cosines(self.case) > self.threshold, self.weight, 1.0)
