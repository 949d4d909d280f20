"""Downstream scores: the quality of texts made from transcripts, such as their translations.

Like a metric, a downstream score has statistics for each segment that add up, and a number that
follows from their sums, so that blocks of segments and the whole corpus are scored in one pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.parts import Part
from misword.core.parts.registry import Entry, Registry
from misword.core.types import Statistics

HERE = "misword.asr.downstreams"


class Downstream(Part):
    """A score of translations against reference translations, 0 to 100 as it is usually printed.

    `better` says whether higher or lower scores are better.
    """

    __slots__ = ()

    family: ClassVar[str] = "translation"
    better: ClassVar[Literal["higher", "lower"]] = "higher"

    def signature(self) -> str:
        """Return the settings as the string that is printed and stored beside the score."""
        return "|".join(f"{name}:{value}" for name, value in self.settings(Context()))

    def statistics(self, translations: Sequence[str], references: Sequence[str]) -> Statistics:
        """Compute a row of statistics for each segment; rows add up."""
        raise NotImplementedError

    def scores(self, sums: Statistics) -> NDArray[np.float64]:
        """Compute the score of each row of sums."""
        raise NotImplementedError

    def segment_scores(self, statistics: Statistics) -> NDArray[np.float64]:
        """Compute the score of each segment alone."""
        return self.scores(statistics)


DOWNSTREAMS: Registry[Downstream] = Registry(
    "downstreams",
    {
        "bleu": Entry(f"{HERE}.sacrebleu:BLEU", extra="translation"),
        "chrf": Entry(f"{HERE}.sacrebleu:ChrF", extra="translation"),
        "meteor": Entry(f"{HERE}.meteor:METEOR"),
        "ter": Entry(f"{HERE}.sacrebleu:TER", extra="translation"),
    },
)


def create_downstreams(specs: str | Iterable[str]) -> dict[str, Downstream]:
    """Create the scores of specs, by label; raise if one of them cannot be used."""
    created = DOWNSTREAMS.create_all(specs)
    if not created:
        raise OptionError("no score is named", fix=f"known: {', '.join(DOWNSTREAMS.names())}")
    for part in created.values():
        part.check(Context())
    return created
