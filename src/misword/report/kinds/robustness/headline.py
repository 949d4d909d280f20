"""The headline of a study of robustness."""

from __future__ import annotations

from collections.abc import Sequence

from misword.core.formatting import is_number, listed, number, percent, span
from misword.core.types import Result
from misword.report.html.text import interval_in_sentence
from misword.report.result_access import Row, Titles, confidence, rows, titles


def robustness_headline(result: Result) -> str:
    """Return which encoder follows people's scores best at the highest error rate.

    The second clause names the encoder that finds noisy sentences most similar to clean ones.
    """
    levels = [row for row in rows(result, "levels") if is_number(row["pearson"])]
    if not levels:
        return ""
    wer, title = max(row["wer"] for row in levels), titles(result)
    ranked = sorted((row for row in levels if row["wer"] == wer), key=lambda row: -row["pearson"])
    first = ranked[0]
    subject = f"At {percent(wer, 0)} % WER {title(first['encoder'])} follows people's scores"
    pearson = _pearson(first, confidence(result), noisy=bool(wer))
    if len(ranked) == 1:
        return f"{subject}: {pearson}."
    best = f"{subject} best: {pearson}{_overlapping(ranked, title)}"
    if not wer:
        return f"{best}."
    closest = max(ranked, key=lambda row: row["similarity"])
    return (
        f"{best}; {title(closest['encoder'])} finds noisy sentences most like clean ones "
        f"({number(closest['similarity'])})."
    )


def _pearson(row: Row, share: str, *, noisy: bool) -> str:
    """Return a correlation; with noise also its interval and its ratio to that without noise."""
    pearson = f"Pearson x 100 {percent(row['pearson'], 1)}"
    if not noisy:
        return pearson
    interval = span(row.get("pearson_low"), row.get("pearson_high"), 1)
    ratio = f"{percent(row['ratio'], 0)} % of what it is without noise"
    return f"{pearson}{interval_in_sentence(share, interval)}, {ratio}"


def _overlapping(ranked: Sequence[Row], title: Titles) -> str:
    """Return the encoders whose interval overlaps that of the first."""
    first, *rest = ranked
    if not is_number(first.get("pearson_low")) or first["pearson_low"] == first["pearson_high"]:
        return ""
    near = [
        title(row["encoder"])
        for row in rest
        if is_number(row.get("pearson_high")) and row["pearson_high"] >= first["pearson_low"]
    ]
    return f" (the interval of {listed(near)} overlaps)" if near else ""
