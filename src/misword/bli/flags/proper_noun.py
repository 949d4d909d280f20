"""Pairs that are probably proper nouns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from misword.bli.auditing.lexicon import AuditedLexicon
from misword.bli.flags import Flag, Flagged
from misword.bli.names.model import name_probabilities
from misword.bli.names.places import PLACES
from misword.core.context import Context

LEAST = 0.05  # the lowest probability that is listed


@dataclass(frozen=True, slots=True)
class ProperNoun(Flag):
    """Names of persons, places and organisations, which have no meaning to translate.

    A quarter of MUSE's test pairs are names; without them, systems change places. The probability
    is that of a logistic model over English word lists, adapted to how this lexicon spells and
    capitalises names (`bli/names/model.py`). On languages that were not seen in training F1 is
    92 % (Bulgarian) and 86 % (German). With `places=true`, gazetteers of cities and countries are
    read as well; they need `misword[names]`, and help if no language is English.

    Known problems: words that are also names (`rose`, `bush`) are judged by spelling alone;
    adjectives of places, days and months are no names here, as in the annotated data.

    Example: `misword audit et-sk.txt --source-lang et --target-lang sk --flags
    proper-noun:places=true`
    Reference: Y. Kementchedjhieva et al., Lost in evaluation, EMNLP 2019
    """

    name: ClassVar[str] = "proper-noun"
    title: ClassVar[str] = "proper noun"
    family: ClassVar[str] = "content"
    cites: ClassVar[tuple[str, ...]] = ("kementchedjhieva2019",)

    places: bool = False

    def check(self, context: Context) -> None:
        """Raise if gazetteers are wanted and not installed."""
        if self.places:
            PLACES.check(self.name)

    def look(self, lexicon: AuditedLexicon) -> Iterator[Flagged]:
        """Yield the pairs with their probabilities."""
        found = name_probabilities(lexicon.pairs, lexicon.languages, places=self.places)
        for pair, probability in enumerate(found.probabilities.tolist()):
            if probability >= LEAST:
                yield Flagged(pair, probability, found.evidence[pair])
