"""Match error rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from misword.asr.metrics.edit_rate import WordRate
from misword.core.types import Statistics


@dataclass(frozen=True, slots=True)
class MER(WordRate):
    """Share of the alignment's steps that are errors: (S + D + I) / (H + S + D + I), at most 100 %.

    Known problems: its value depends on the tie rule; WER does not.

    Example: `misword score ref.txt hyp.txt --metrics mer`

    Reference: A. Morris, V. Maier, P. Green, From WER and RIL to MER and WIL, Interspeech 2004.
    """

    name: ClassVar[str] = "mer"
    title: ClassVar[str] = "MER"
    family: ClassVar[str] = "words"
    cites: ClassVar[tuple[str, ...]] = ("morris2004",)

    def terms(self, statistics: Statistics) -> Statistics:
        """Errors and steps of the alignment."""
        errors = statistics[..., 1:].sum(axis=-1)
        return np.stack([errors, statistics.sum(axis=-1)], axis=-1)
