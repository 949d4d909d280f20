"""How well blends and metrics correlate with direct ratings of people."""

from __future__ import annotations

from typing import Any

import numpy as np

from misword.asr.blending.choice_quality import BLEND
from misword.asr.blending.judgements import Ratings, Rows, Vector
from misword.stat.bootstrap import Bootstrap
from misword.stat.coefficients import pearson
from misword.stat.correlation import correlation

NAMES = ("pearson", "spearman", "kendall")


def correlation_rows(
    ratings: Ratings, held_out: Vector, bootstrap: Bootstrap
) -> list[dict[str, Any]]:
    """Return a row for the blend and each metric: three coefficients with their intervals.

    `held_out` has the predictions of the blend, one row for each repeat; their mean is used. A
    prediction is high where the rate is low, so a coefficient of 1 is best.
    """
    columns = {BLEND: held_out.mean(axis=0)}
    columns |= {metric: ratings.features[:, at] for at, metric in enumerate(ratings.metrics)}
    rows = []
    for metric, values in columns.items():
        found = correlation(values, ratings.ratings, bootstrap)
        row: dict[str, Any] = {"metric": metric}
        for name in NAMES:
            coefficient = getattr(found, name)
            row |= {name: coefficient.value, f"{name}_low": coefficient.low}
            row[f"{name}_high"] = coefficient.high
        rows.append(row)
    return rows


def correlation_of(ratings: Ratings, predictions: Vector, rows: Rows) -> Vector:
    """Return Pearson's coefficient of the predictions of some rows and their ratings."""
    constant = not predictions.std() or not ratings.ratings[rows].std()
    return np.array([np.nan if constant else pearson(predictions, ratings.ratings[rows])])
