"""Tables of formatted text: what is wrong with words, and the punctuation marks and capitals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from misword.cli.output import Table
from misword.core.formatting import group_values
from misword.stat.mark_tables import ERRORS, mark_counts, shown_kind


def marks_table(rows: Sequence[dict[str, Any]], by: Sequence[str]) -> Table | None:
    """Return a row for each system, group and kind of mark; None if no metric counts marks.

    `rows` are those of a summary.
    """
    body = [
        [
            *(row["system"], *group_values(row, by), row["metric"], shown_kind(counts.kind)),
            *(_percent(v) for v in (counts.precision, counts.recall, counts.f, counts.error_rate)),
            *(f"{number:,}" for number in (counts.reference, counts.hypothesis)),
        ]
        for row in rows
        for counts in mark_counts(row)
    ]
    if not body:
        return None
    header = ["system", *by, "metric", "mark", "P %", "R %", "F %", "error %", "ref", "hyp"]
    return Table(header, body, left=3 + len(by), title="Marks at aligned words")


def errors_table(rows: Sequence[dict[str, Any]], by: Sequence[str]) -> Table | None:
    """Return the errors of formatted words in percent of the reference words, by what is wrong.

    None if no metric divides its errors.
    """
    body = [
        [
            *(row["system"], *group_values(row, by)),
            *(_percent(row[name] / row["reference"] if row["reference"] else None)
              for name in ERRORS),
            _percent(row["rate"]),
        ]
        for row in rows
        if row.get("only_case") is not None
    ]  # fmt: skip
    if not body:
        return None
    header = ["system", *by, *(f"{name} %" for name in ERRORS.values()), "all %"]
    return Table(header, body, left=1 + len(by), title="Errors of formatted words")


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.2f}"
