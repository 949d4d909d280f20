"""Metrics: statistics per pair that add up, and the rate that follows from their sums."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from misword.core.registry import Entry, Registry
from misword.stat.resampling import Statistics
from misword.stat.scores import Measure

if TYPE_CHECKING:
    from misword.asr.pairs import Pairs

HERE = "misword.asr.metrics"


class Metric(Measure, Protocol):
    """A measure (its statistics' names, terms and rate) that can be taken of pairs of texts."""

    def measure(self, pairs: Pairs) -> Statistics:
        """One row of statistics per pair."""
        ...


METRICS: Registry[Metric] = Registry(
    "metrics",
    {
        "cer": Entry(f"{HERE}.cer:CER"),
        "mer": Entry(f"{HERE}.mer:MER"),
        "wer": Entry(f"{HERE}.wer:WER"),
        "wil": Entry(f"{HERE}.wil:WIL"),
    },
)
