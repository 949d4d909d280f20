"""The rates of metrics for single utterances."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from misword.asr.metrics import Metric, statistics_of
from misword.asr.pairs import Pairs


def utterance_rates(metrics: Iterable[Metric], pairs: Pairs) -> NDArray[np.float64]:
    """Return the rate of each pair (rows) by each metric (columns); every rate is defined.

    Equal texts have the rate 0. Most metrics have no rate for a pair with an empty reference, and
    some none for a reference without a known word; such a rate is 1, as if all were lost.
    """
    columns = []
    equal = _equal_texts(pairs)
    for metric in metrics:
        rates = np.array(metric.rate(metric.terms(statistics_of(metric, pairs))), np.float64)
        rates[np.isnan(rates)] = 1.0
        rates[equal] = 0.0
        columns.append(rates)
    return np.column_stack(columns)


def _equal_texts(pairs: Pairs) -> NDArray[np.bool_]:
    """Return which pairs have two equal texts; white space is collapsed."""
    distinct = pairs.utterances.distinct
    left = distinct.references[pairs.index[:, 0]]
    return np.asarray(left == distinct.hypotheses[pairs.index[:, 1]])
