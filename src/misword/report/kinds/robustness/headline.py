"""The headline of a study of robustness."""

from __future__ import annotations

from collections.abc import Sequence

from misword.core.formatting import is_number, percent, span
from misword.core.types import Result
from misword.report.html.text import interval_in_sentence
from misword.report.result_access import Row, Titles, confidence, rows, titles


def robustness_headline(result: Result) -> str:
    """Return which encoder loses most of its correlation with people at the highest error rate.

    The second clause names the encoder that loses least, and the one that follows people's scores
    best under this noise.
    """
    levels = [row for row in rows(result, "levels") if is_number(row["pearson"])]
    if not levels:
        return ""
    wer, title = max(row["wer"] for row in levels), titles(result)
    clean = {row["encoder"]: row["pearson"] for row in levels if not row["wer"]}
    noisy = [row for row in levels if row["wer"] == wer]
    best = max(noisy, key=lambda row: row["pearson"])
    losses = [row for row in noisy if is_number(row.get("ratio")) and row["encoder"] in clean]
    start = f"At {percent(wer, 0)} % WER"
    if not wer or not losses:
        superlative = " best" if len(noisy) > 1 else ""
        name = title(best["encoder"])
        return f"{start} {name} follows people's scores{superlative}: {_pearson(best)}."
    worst, *others = sorted(losses, key=lambda row: row["ratio"])
    if worst["ratio"] >= 1:
        nobody = "no encoder loses any" if others else f"{title(worst['encoder'])} loses nothing"
        return f"{start} {nobody} of its correlation with people's scores."
    most = f" {_verb(worst, others)}" if others else ""
    before = clean[worst["encoder"]]
    sentence = (
        f"{start} {title(worst['encoder'])} loses{most} {_loss(worst, confidence(result))} of its "
        f"correlation with people's scores (Pearson x 100 {percent(before, 1)} without noise, "
        f"{percent(worst['pearson'], 1)} with it)"
    )
    return f"{sentence}{_least(worst, others, best, title)}."


def _pearson(row: Row) -> str:
    return f"Pearson x 100 {percent(row['pearson'], 1)}"


def _verb(worst: Row, others: Sequence[Row]) -> str:
    """Return `most:`, or `as much as any:` where another encoder loses the same."""
    return "most:" if worst["ratio"] < others[0]["ratio"] else "as much as any:"


def _loss(row: Row, share: str) -> str:
    """Return the share of the correlation that is lost, with its interval."""
    low, high = row.get("ratio_low"), row.get("ratio_high")
    interval = span(1 - high, 1 - low, 0) if is_number(low) and is_number(high) else ""
    return f"{percent(1 - row['ratio'], 0)} %{interval_in_sentence(share, interval)}"


def _least(worst: Row, others: Sequence[Row], best: Row, title: Titles) -> str:
    """Return a clause on the encoder that loses least and on the one that is best under noise."""
    if not others:
        return ""
    least = others[-1]
    follows = f"follows people's scores best ({percent(best['pearson'], 1)})"
    if least["ratio"] == worst["ratio"]:
        return f"; {title(best['encoder'])} {follows}"
    overlap = ""
    if is_number(worst.get("ratio_high")) and is_number(least.get("ratio_low")):
        overlap = ", the intervals overlap" if least["ratio_low"] <= worst["ratio_high"] else ""
    clause = (
        f"; {title(least['encoder'])} loses least ({percent(1 - least['ratio'], 0)} %{overlap})"
    )
    follows = f"follows people's scores best ({percent(best['pearson'], 1)})"
    if best["encoder"] == least["encoder"]:
        return f"{clause} and {follows}"
    return f"{clause}; {title(best['encoder'])} {follows}"
