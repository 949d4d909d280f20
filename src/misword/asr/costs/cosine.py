"""One minus the cosine of two words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.alignment.costs import Costs, of_cosines
from misword.asr.costs import Cost, Substituted, ViewVocabulary
from misword.core.context import Context
from misword.core.parts.contract import Settings, options_of
from misword.embed.vectors.words import Case, check_word_vectors, word_vectors


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
