"""How much the tuned weights depend on the lists that happen to be in the data.

The lists are drawn with replacement, by whole blocks if there are blocks, and the weights are tuned
again on each resample, from the tuned weights and from the first feature alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from misword.asr.tuning.envelopes import Numbers, Rows
from misword.asr.tuning.feature_lists import FeatureLists
from misword.asr.tuning.search import SearchSettings, TunedWeights, tune_lists
from misword.core.progress import progress
from misword.core.types import join_ranges

STARTS = 2


@dataclass(frozen=True, slots=True, eq=False)
class ResampledWeights:
    """The weights that were tuned on resamples, a row for each.

    `changed` is the share of the lists of the data from which they choose another hypothesis than
    the tuned weights, `rates` the rate that they have on the data.
    """

    weights: Numbers
    changed: Numbers
    rates: Numbers


def resampled_weights(
    lists: FeatureLists, blocks: Rows, tuned: TunedWeights, times: int, settings: SearchSettings
) -> ResampledWeights:
    """Tune the weights on resamples of the lists."""
    rng = np.random.default_rng(settings.seed)
    search = replace(settings, starts=STARTS)
    chosen = lists.choice(tuned.weights)
    weights = np.empty((times, len(tuned.weights)))
    changed, rates = np.empty(times), np.empty(times)
    with progress("tuning on resamples", times) as step:
        for number in range(times):
            sample = lists.take(draw_lists(blocks, rng))
            weights[number] = tune_lists(sample, search, tuned.weights).weights
            other = lists.choice(weights[number])
            changed[number] = np.mean(other != chosen)
            rates[number] = lists.measure.rate(lists.terms[other].sum(axis=0))
            step(1)
    return ResampledWeights(weights, changed, rates)


def draw_lists(blocks: Rows, rng: np.random.Generator) -> Rows:
    """Draw as many blocks as there are, with replacement; return the lists of the drawn ones."""
    order = np.argsort(blocks, kind="stable")
    sizes = np.bincount(blocks)
    starts = np.cumsum(sizes) - sizes
    drawn = rng.integers(len(sizes), size=len(sizes))
    return np.asarray(order[join_ranges(starts[drawn], sizes[drawn])], np.int64)
