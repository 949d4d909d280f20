"""Columns of metrics in a table of scores, and the settings of their signatures."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from misword.asr.learnt_references import learnt_references
from misword.asr.metrics import Metric
from misword.asr.pairs import Pairs
from misword.core.parts.contract import Settings
from misword.core.types import Statistics
from misword.embed.fitting import shown_digest, sum_of_hashes

if TYPE_CHECKING:
    import polars as pl


class MeasuredCorpus(NamedTuple):
    """The statistics of all pairs of a corpus.

    `keys` identifies the pairs. `statistics` has the statistics of each metric, by its label.
    `some_pairs` are some of the pairs, from which settings are read; `all_pairs` returns all of
    them, for tables of words and texts (None: there are no such tables). `notes` are about
    mistakes in the data and differences of writing. `entity_counts` makes the table of counts of
    classes of words, if some were asked for.
    """

    keys: pl.DataFrame
    statistics: dict[str, Statistics]
    some_pairs: Pairs
    all_pairs: Callable[[], Pairs] | None
    notes: list[str]
    entity_counts: Callable[[], pl.DataFrame] | None = None


def metric_settings(metric: Metric, pairs: Pairs) -> Settings:
    """Return the settings of a signature; for a fitted metric also a hash of the references."""
    fitted: Settings = ()
    if metric.fitted:
        learnt = learnt_references(metric, pairs.context)
        digest = learnt.digest if learnt else shown_digest(sum_of_hashes(pairs.reference_texts))
        fitted = (("fitted", f"references-{digest}"),)
    revision = ("v", str(metric.revision))
    own = metric.settings(pairs.context)
    names = {name for name, _ in own}  # a metric with a segmenter names its words itself
    common = (setting for setting in pairs.settings if setting[0] not in names)
    return *own, *fitted, *common, revision


def statistics_columns(label: str, metric: Metric, measured: Statistics) -> list[pl.Series]:
    """Return the statistics as columns: integers, except for fractional statistics."""
    import polars as pl

    columns = []
    for name, values in zip(metric.statistics, np.asarray(measured).T, strict=True):
        whole = name not in metric.fractional
        if whole and values.dtype.kind == "f" and not (values == np.rint(values)).all():
            raise TypeError(f"{label}.{name} is not whole: {label} must name it in `fractional`")
        numbers = np.array(values, np.int64 if whole else np.float64)
        columns.append(pl.Series(f"{label}.{name}", numbers))
    return columns
