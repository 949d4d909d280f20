"""Downstream scores: how good is what was made of the transcripts, such as their translation.

Like a metric, a score has statistics for each segment that add up, and a number that follows from
their sums: so blocks of segments and the whole corpus are scored from one pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import OptionError
from misword.core.registry import Entry, Registry
from misword.core.requirements import Requirement
from misword.stat.resampling import Statistics

HERE = "misword.asr.downstreams"


class Downstream(Protocol):
    """A score of translations against reference translations, 0 to 100 as it is usually printed.

    A part is a frozen dataclass whose fields are its options. `better` says which way is good.
    """

    better: ClassVar[Literal["higher", "lower"]]

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """The packages it needs."""
        ...

    def check(self) -> None:
        """Refuse, before any work, what cannot be scored: a missing package, Java."""
        ...

    def signature(self) -> str:
        """What decides the number: options and version."""
        ...

    def statistics(self, translations: Sequence[str], references: Sequence[str]) -> Statistics:
        """A row for each segment; rows add up."""
        ...

    def scores(self, sums: Statistics) -> NDArray[np.float64]:
        """The score of each row of sums."""
        ...


DOWNSTREAMS: Registry[Downstream] = Registry(
    "downstreams",
    {
        "bleu": Entry(f"{HERE}.bleu:BLEU", extra="translation"),
        "chrf": Entry(f"{HERE}.chrf:ChrF", extra="translation"),
        "meteor": Entry(f"{HERE}.meteor:METEOR"),
        "ter": Entry(f"{HERE}.ter:TER", extra="translation"),
    },
)


def choose(specs: str | Iterable[str]) -> dict[str, Downstream]:
    """The named scores, checked: what they lack is told before any text is read."""
    chosen = DOWNSTREAMS.create_all(specs)
    if not chosen:
        raise OptionError("no score is named", fix=f"known: {', '.join(DOWNSTREAMS.names())}")
    for part in chosen.values():
        part.check()
    return chosen
