"""The headline of agreement with people."""

from __future__ import annotations

from misword.core.formatting import counted, is_number, listed, percent, span
from misword.core.types import Result
from misword.report.html.text import interval_in_sentence
from misword.report.result_access import Row, Titles, confidence, rows, titles

# The headline names at most this many metrics with an overlapping interval.
NAMED = 3


def agreement_headline(result: Result) -> str:
    """Return the metric that agrees most often with people, at the highest consensus."""
    shown = [row for row in rows(result, "agreement") if is_number(row["agreed"])]
    if not shown:
        return ""
    level, title = shown[0]["consensus"], titles(result)
    ranked = sorted(
        (row for row in shown if row["consensus"] == level), key=lambda row: -row["agreed"]
    )
    first, *others = ranked
    interval = interval_in_sentence(confidence(result), span(first["low"], first["high"], 1))
    share = f"{percent(first['agreed'], 1)} %{interval} of {counted(first['triplets'], 'triplet')}"
    share += f" (consensus {level})"
    name = title(first["metric"])
    if not others:
        return f"{name} chooses as people do in {share}."
    most = "most often" if first["agreed"] > others[0]["agreed"] else "as often as any"
    return f"{name} chooses as people do {most}: {share}{_overlapping(first, others, title)}."


def _overlapping(first: Row, others: list[Row], title: Titles) -> str:
    """Return the metrics whose interval overlaps that of the first: there is no test of these."""
    if not _has_interval(first):
        return ""
    near = [
        title(row["metric"]) for row in others if _has_interval(row) and row["high"] >= first["low"]
    ]
    if not near:
        return "; no other metric's interval reaches its own"
    if len(near) == 1:
        return f"; {near[0]} has an interval that overlaps with its own"
    names = listed(near) if len(near) <= NAMED else f"{len(near)} other metrics"
    return f"; {names} have intervals that overlap with its own"


def _has_interval(row: Row) -> bool:
    return is_number(row.get("low")) and is_number(row.get("high"))
