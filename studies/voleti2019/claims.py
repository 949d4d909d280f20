"""The status of a claim about pairs of encoders, tested on each corpus."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from misword.stat.student_t import MeanInterval
from studies.common.conclusions import conclusion, joined
from studies.common.resampled import Estimate
from studies.common.tallies import tally
from studies.voleti2019.measured import Measured

Pairs = Sequence[tuple[str, str]]
Difference = Callable[[Measured, str, str], Estimate | MeanInterval]
NAMED = 4  # so many results are listed with their names; more are counted


def is_higher(measured: Mapping[str, Measured], pairs: Pairs, difference: Difference) -> str:
    """Return whether the first encoder of each pair has a higher number than the second."""
    statuses = {}
    for corpus, found in measured.items():
        for first, second in pairs:
            name = corpus if len(pairs) == 1 else f"{corpus} {first} - {second}"
            interval = difference(found, first, second)
            statuses[name] = conclusion(interval.low, interval.high, "higher")
    return joined(statuses) if len(statuses) <= NAMED else tally(statuses.values())
