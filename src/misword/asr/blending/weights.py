"""The weights of a blend, with intervals over resamples of the references."""

from __future__ import annotations

from typing import Any

import numpy as np

from misword.asr.blending.cross_validation import proportions
from misword.asr.blending.judgements import Judgements, Vector
from misword.core.progress import progress
from misword.stat.bootstrap import Bootstrap
from misword.stat.intervals import widened


def weight_rows(
    judgements: Judgements, weights: Vector, prior: Vector | None, bootstrap: Bootstrap
) -> list[dict[str, Any]]:
    """Return a row for each metric: its weight, the interval, and its influence.

    The influence is the share of a metric in what the blend says: its weight times the size of its
    differences.
    """
    drawn = resampled_weights(judgements, prior, bootstrap)
    influence = proportions(weights * judgements.sizes(np.arange(len(judgements))))
    references = len(np.unique(judgements.references))
    rows = []
    for at, metric in enumerate(judgements.metrics):
        low, high = widened(drawn[:, at], references, bootstrap.confidence)
        shares = {"weight": float(weights[at]), "low": low, "high": high}
        rows.append({"metric": metric, **shares, "influence": float(influence[at])})
    return rows


def resampled_weights(judgements: Judgements, prior: Vector | None, bootstrap: Bootstrap) -> Vector:
    """Return the weights of each resample of the references: an array (resamples, metrics)."""
    rng = np.random.default_rng(bootstrap.seed)
    rows = np.arange(len(judgements))
    count = int(judgements.references.max()) + 1
    drawn = np.empty((bootstrap.times, len(judgements.metrics)))
    with progress("resampling weights", bootstrap.times) as step:
        for number in range(bootstrap.times):
            times = np.bincount(rng.integers(count, size=count), minlength=count)
            drawn_rows = np.repeat(rows, times[judgements.references])
            drawn[number] = proportions(judgements.fit(drawn_rows, prior))
            step(1)
    return drawn
