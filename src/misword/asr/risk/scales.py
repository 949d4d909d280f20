"""The scale of the posterior: candidates, and the choice among them by cross-validation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log2

import numpy as np

from misword.asr.blending.cross_validation import splits
from misword.asr.choosing.choice import JudgedHypotheses
from misword.asr.choosing.lists import HypothesisLists, Rows
from misword.asr.risk.posteriors import Values
from misword.core.errors import OptionError

# Scales are tried at which the highest score of the median list exceeds its lowest by these logs of
# odds: from nearly uniform posteriors to those of one hypothesis.
SMALLEST, LARGEST = 0.25, 256.0


def candidate_scales(lists: HypothesisLists, scores: Values | None) -> list[float]:
    """Return the scales that are tried: 0, and powers of two that fit the range of the scores.

    >>> lists = HypothesisLists.of(np.array([1, 2]))
    >>> candidate_scales(lists, np.array([-1.0, -33.0]))[:3]
    [0.0, 0.0078125, 0.015625]
    """
    spread = np.zeros(0) if scores is None else lists.spread(scores)
    spread = spread[spread > 0]
    if not len(spread):
        return [0.0]
    middle = float(np.median(spread))
    powers = range(ceil(log2(SMALLEST / middle)), floor(log2(LARGEST / middle)) + 1)
    return [0.0, *(2.0**power for power in powers)]


@dataclass(frozen=True, slots=True, eq=False)
class ChosenScale:
    """The best of several scales on all lists, and the choices on lists that were left out.

    `rates` has the rate of each scale on all lists; `folds` says how many folds chose each scale;
    `held_out` are the rows that were chosen from each list by the scale that is best on the lists
    of the other folds.
    """

    best: int
    rates: tuple[float, ...]
    folds: tuple[int, ...]
    held_out: Rows


def choose_scale(
    choices: Sequence[Rows], judged: JudgedHypotheses, folds: int, seed: int
) -> ChosenScale:
    """Choose a scale by the rate of its choices; `choices` has the chosen rows of each scale.

    Of equally good scales the largest is taken: it is the nearest to the highest score.
    """
    table = np.stack(choices)
    count = table.shape[1]
    if not 2 <= folds <= count:
        raise OptionError(
            f"{folds} folds of {count} lists", fix="use from 2 folds to the number of lists"
        )
    held_out = np.empty(count, np.int64)
    times = [0] * len(table)
    for learn, test in splits(np.arange(count), folds, np.random.default_rng(seed)):
        best = _lowest([judged.rate(rows[learn]) for rows in table])
        held_out[test] = table[best][test]
        times[best] += 1
    rates = tuple(judged.rate(rows) for rows in table)
    return ChosenScale(_lowest(rates), rates, tuple(times), held_out)


def _lowest(rates: Sequence[float]) -> int:
    """Return the place of the lowest rate, the last one of equal rates; undefined rates are high.

    >>> _lowest([0.2, 0.1, 0.1, float("nan")])
    2
    """
    values = np.nan_to_num(np.array(rates), nan=np.inf)
    return len(values) - 1 - int(np.argmin(values[::-1]))
