"""One minus the cosine of two words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from misword.alignment.costs import Costs, of_cosines
from misword.asr.views import View
from misword.core.context import Context
from misword.core.part import options_of
from misword.embed.vectors.opened import check_word_vectors, word_vectors
from misword.embed.vectors.words import Case

if TYPE_CHECKING:
    from misword.asr.pairs import Pairs


@dataclass(frozen=True, slots=True)
class Cosine:
    """One minus the cosine of the words' vectors: 0 to 2. A word without a vector costs 1.

    `case` says how a word is looked up: as it is written, else lower-cased (`auto`); only as it is
    written (`exact`); only lower-cased (`lower`).

    Known problems: vectors put antonyms and names of one kind close together; a word without a
    vector is as wrong as can be expected of a chance word.
    """

    case: Case = "auto"

    def settings(self, context: Context, view: View) -> tuple[tuple[str, str], ...]:
        """The look-up and the vectors."""
        return *options_of(self), *word_vectors(context).settings

    def check(self, context: Context, view: View) -> None:
        """There must be vectors."""
        check_word_vectors(context)

    def costs(self, pairs: Pairs, view: View) -> Costs:
        """Prices by the vectors of the vocabulary."""
        case = pairs.case(view, self.case)
        if case != self.case:  # one set of vectors for all policies that come to the same
            return pairs.costs(view, Cosine(case))
        return Costs.vectors(*pairs.units(view, case))

    def prices(self, cosines: NDArray[np.float64]) -> NDArray[np.float64]:
        """What follows from the cosines of words that have vectors."""
        return of_cosines(cosines)
