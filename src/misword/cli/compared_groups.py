"""The table of groups of utterances that `misword compare --by` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from misword.cli.output import Table, p_value, percent, span
from misword.core.formatting import group_values, listed

if TYPE_CHECKING:
    from misword.cli.compared_systems import Compared

SHOWN = 20  # groups of each metric and system; the result has all


def groups_title(comparison: Compared) -> str:
    """Return what the table shows, and how many groups it leaves out."""
    count = len(comparison.groups)
    sizes = comparison.groups.group_by("metric", "system").len()["len"].to_list()
    title = f"Change by {listed(comparison.by)} in points, the largest increase first"
    if count > 1:
        title += f"; p corrected for {count:,} comparisons (Holm)"
    more = max(sizes, default=0) - SHOWN
    return title + (f"; {more:,} more groups are in the result (--out, --format json)" * (more > 0))


def groups_table(comparison: Compared) -> Table:
    """Return a row for each group: both rates, their difference with interval and p-value."""
    shown = comparison.groups.group_by("metric", "system", maintain_order=True).head(SHOWN)
    between = f"{comparison.bootstrap.confidence * 100:g} % interval"
    base = comparison.systems[0]
    header = ["metric", "system", *comparison.by, f"{base} %", "%", "points", between, "p", "utts"]
    body = [
        [
            row["metric"],
            row["system"],
            *group_values(row, comparison.by),
            percent(row["baseline_rate"]),
            percent(row["rate"]),
            percent(row["difference"], signed=True),
            span(row["low"], row["high"], signed=True),
            p_value(row["p_holm"]),
            f"{row['utterances']:,}",
        ]
        for row in shown.to_dicts()
    ]
    return Table(header, body, left=2 + len(comparison.by))
