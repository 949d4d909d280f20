"""The cost of two phonemes by their articulatory features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from misword.alignment.costs import Costs
from misword.asr.costs import Cost, ViewVocabulary
from misword.asr.views import View
from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.parts import Requirement, Settings, version_of
from misword.text.features import HAYES, PANPHON, Alphabet, phoneme_distances


@dataclass(frozen=True, slots=True)
class Features(Cost):
    """The distance of two phonemes over articulatory features, relative to an insertion: 0 to 1.

    A feature that is + in one phoneme and - in the other counts 1; a feature that only one of them
    specifies counts 0.25. The sum is the distance. Inserting a phoneme costs 0.25 for each feature
    that it specifies. The cost is the distance divided by the mean insertion cost of the two
    phonemes, at most 1.

    Known problems: all features have the same weight. A symbol that the table of features lacks
    has the cost 1 to every other symbol.

    Reference: B. Hayes, Introductory Phonology, 2009; D. Mortensen et al., PanPhon, COLING 2016.
    """

    name: ClassVar[str] = "features"

    def for_view(self, view: View) -> Cost:
        """Return the distances over the features of the view's alphabet."""
        if view.alphabet is None:
            raise OptionError(
                "only phonemes have articulatory features", fix="use per:cost=features"
            )
        return FeatureDistances(view.alphabet)


@dataclass(frozen=True, slots=True)
class FeatureDistances(Cost):
    """`Features` for one alphabet of phonemes, which decides the table of features."""

    name: ClassVar[str] = "features"

    alphabet: Alphabet

    @property
    def package(self) -> Requirement:
        """The package that has the features of the alphabet."""
        return HAYES if self.alphabet == "arpabet" else PANPHON

    def settings(self, context: Context) -> Settings:
        """The table of features, by its package and version."""
        module = self.package.modules[0]
        return ("cost", "features"), ("features", f"{module}-{version_of(module)}")

    def check(self, context: Context) -> None:
        """Raise unless the table of features is installed."""
        self.package.check("features")

    def table(self, vocabulary: ViewVocabulary) -> Costs:
        """Return the distances of the phonemes that occur."""
        return Costs.table(phoneme_distances(vocabulary.tokens, self.alphabet))
