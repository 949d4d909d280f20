"""What was forgiven, as columns of a table of scores and as a note for the user."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from misword.asr.metric_columns import metric_settings, statistics_columns
from misword.asr.metrics import Metric
from misword.asr.metrics.edit_rate import EditRate
from misword.asr.pairs import Pairs
from misword.core.signature import Signature
from misword.stat.forgiven import Forgiven
from misword.stat.measure import MetricColumn

if TYPE_CHECKING:
    import polars as pl


def with_forgiven(
    table: pl.DataFrame, pairs: Pairs, metrics: Mapping[str, Metric]
) -> tuple[pl.DataFrame, Forgiven]:
    """Return the table with what was forgiven, and the error rates as if nothing were forgiven."""
    import polars as pl

    families = pairs.readings().families
    if not families:
        return table, Forgiven()
    named = zip(families, forgiven_counts(pairs).T, strict=True)
    table = table.hstack([pl.Series(f"forgiven.{name}", column) for name, column in named])
    plain, without = pairs.without_forgiving(), []
    for label, metric in metrics.items():
        if isinstance(metric, EditRate):
            shown = f"without.{label}"
            table = table.hstack(statistics_columns(shown, metric, metric.measure(plain)))
            signed = Signature(label.partition(":")[0], metric_settings(metric, plain))
            without.append(MetricColumn(shown, metric, signed))
    return table, Forgiven(families, tuple(without))


def forgiven_counts(pairs: Pairs) -> NDArray[np.int64]:
    """Return the number of forgiven blocks of each pair (row) and family (column)."""
    readings = pairs.readings()
    size = len(readings.families)
    numbers = readings.blocks.pair * size + readings.blocks.family
    return np.bincount(numbers, minlength=len(pairs) * size).reshape(-1, size)
