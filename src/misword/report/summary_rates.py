"""Rates of the summary: those over all utterances, their order, and their kinds of error."""

from __future__ import annotations

from collections.abc import Sequence
from math import isclose

from misword.core.formatting import is_number
from misword.core.types import Result
from misword.report.result_access import Row, group_columns, table

# Columns of errors, and what a word of each is called.
ERRORS = {"substitutions": "wrong", "deletions": "missing", "insertions": "extra"}


def overall_rows(result: Result) -> list[Row]:
    """Return the rows of the summary over all utterances; empty if it has only single groups."""
    frame = table(result, "summary")
    if frame is None:
        return []
    whole = frame.to_dicts()
    return [row for row in whole if row.get("total")] if group_columns(frame) else whole


def ranked_rows(rows: Sequence[Row], label: str) -> list[Row]:
    """Return the defined rates of one metric, the lowest first."""
    defined = [row for row in rows if row["metric"] == label and is_number(row["rate"])]
    return sorted(defined, key=lambda row: row["rate"])


def error_rates(row: Row) -> dict[str, float]:
    """Return substitutions, deletions and insertions per reference token.

    It is empty for a metric whose rate is not the sum of the three, such as one with other costs.
    """
    size, rate = row.get("reference"), row.get("rate")
    if not (is_number(size) and is_number(rate)) or size <= 0:
        return {}
    rates = {name: row[name] / size for name in ERRORS if is_number(row.get(name))}
    is_sum = len(rates) == len(ERRORS) and isclose(sum(rates.values()), rate, abs_tol=1e-9)
    return rates if is_sum else {}
