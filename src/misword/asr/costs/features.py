"""Articulatory features of phonemes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from misword.alignment.costs import Costs
from misword.asr.views import View
from misword.asr.views.phoneme import Phoneme
from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.requirements import Requirement, version_of
from misword.text.features import HAYES, PANPHON, distances

if TYPE_CHECKING:
    from misword.asr.pairs import Pairs


@dataclass(frozen=True, slots=True)
class Features:
    """The distance of two phonemes over articulatory features, relative to an insertion: 0 to 1.

    A feature that is + on one side and - on the other counts 1, one that only one side specifies
    0.25; inserting a phoneme counts 0.25 for each feature it specifies. The first sum over the mean
    of the two phonemes' second, at most 1.

    Known problems: all features weigh the same, and a symbol that the table of features lacks is
    as far as can be from every other.

    Reference: B. Hayes, Introductory Phonology, 2009; D. Mortensen et al., PanPhon, COLING 2016.
    """

    def settings(self, context: Context, view: View) -> tuple[tuple[str, str], ...]:
        """The table of features, by its package and version."""
        package = _source(view).modules[0]
        return ("cost", "features"), ("features", f"{package}-{version_of(package)}")

    def check(self, context: Context, view: View) -> None:
        """Only phonemes have features, and their table must be installed."""
        _source(view).check("features")

    def costs(self, pairs: Pairs, view: View) -> Costs:
        """Prices by the features of the phonemes that occur."""
        symbols = pairs.tokens(view)[0].vocabulary
        return Costs.table(distances(symbols, _phonemes(view).part.alphabet))


def _source(view: View) -> Requirement:
    """The package that has the features of the view's alphabet."""
    return HAYES if _phonemes(view).part.alphabet == "arpabet" else PANPHON


def _phonemes(view: View) -> Phoneme:
    if not isinstance(view, Phoneme):
        raise OptionError("only phonemes have articulatory features", fix="use per:cost=features")
    return view
