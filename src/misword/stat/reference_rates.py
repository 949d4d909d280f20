"""Rates of several references against each other, and of systems with one of them or with all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from misword.core.lazy import pl
from misword.stat.bootstrap import Bootstrap, interval
from misword.stat.measure import MetricColumn

# The table with the statistics, and the kinds of its rows.
OF_REFERENCES, OF_SYSTEMS = "reference", "system"


def reference_rates(
    counts: pl.DataFrame,
    columns: Sequence[MetricColumn],
    summary: pl.DataFrame,
    bootstrap: Bootstrap,
) -> pl.DataFrame:
    """Return a row for each metric and reference, and for each metric and system.

    The `rate` of a reference is that of its words against the other references, as if it were a
    hypothesis: what a careful person reaches. The `rate` of a system is that of `summary`, `alone`
    its rate with the first reference alone, and `forgiven` the share of the errors that the other
    references forgive.
    """
    rows: list[dict[str, Any]] = []
    known = [column for column in columns if column.names[0] in counts.columns]
    found = {
        (row["system"], row["metric"]): row for row in summary.to_dicts() if not row.get("total")
    }
    groups = counts.group_by("kind", "system", maintain_order=True)
    for (kind, name), table in groups:
        for column in known:
            terms = column.terms(table)
            rate = column.measure.rate
            row: dict[str, Any] = {"metric": column.label, "kind": kind, "name": name}
            value = float(rate(terms.sum(axis=0)))
            if kind == OF_REFERENCES:
                low, high = interval(terms, rate, bootstrap)
                rows.append({**row, "rate": value, "low": low, "high": high})
            elif (own := found.get((name, column.label))) is not None:
                merged = own["rate"]
                forgiven = None if not value or merged is None else 1 - merged / value
                bounds = {"low": own.get("low"), "high": own.get("high")}
                rows.append({**row, "rate": merged, **bounds, "alone": value, "forgiven": forgiven})
    numbers = ("rate", "low", "high", "alone", "forgiven")
    schema = {
        **dict.fromkeys(("metric", "kind", "name"), pl.String),
        **dict.fromkeys(numbers, pl.Float64),
    }
    return pl.DataFrame(rows, schema=schema).fill_nan(None)
