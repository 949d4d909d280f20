"""The headline of correlations."""

from __future__ import annotations

from statistics import fmean

from misword.core.formatting import counted, is_number, listed, number
from misword.core.types import Result
from misword.report.html.text import interval_in_sentence, number_span
from misword.report.result_access import Row, Titles, confidence, rows, titles, unique


def correlation_headline(result: Result) -> str:
    """Return which metrics are most and least alike, and which follows a downstream score best."""
    pairs = [row for row in rows(result, "metrics") if row["a"] != row["b"]]
    pairs = [row for row in pairs if is_number(row["pearson"])]
    clauses = [_between_metrics(pairs, titles(result)), _with_downstream_score(result)]
    sentence = "; ".join(clause for clause in clauses if clause)
    return f"{sentence}." if sentence else ""


def _between_metrics(pairs: list[Row], title: Titles) -> str:
    """Return the closest pair, and the metric with the lowest mean correlation."""
    if not pairs:
        return ""
    labels = unique(name for row in pairs for name in (row["a"], row["b"]))
    closest = max(pairs, key=lambda row: row["pearson"])
    names = listed([title(closest["a"]), title(closest["b"])])
    if len(labels) == 2:
        return f"{names} have a Pearson correlation of {number(closest['pearson'])}"
    means = {
        label: fmean(row["pearson"] for row in pairs if label in (row["a"], row["b"]))
        for label in labels
    }
    farthest = min(labels, key=lambda label: means[label])
    return (
        f"{names} are most alike (Pearson {number(closest['pearson'])}); {title(farthest)} is "
        f"least like the others ({number(means[farthest])} on average)"
    )


def _with_downstream_score(result: Result) -> str:
    """Return the metric with the strongest correlation with the first downstream score."""
    shown = [row for row in rows(result, "downstream") if is_number(row["pearson"])]
    if not shown:
        return ""
    shown = [row for row in shown if row["score"] == shown[0]["score"]]
    title = titles(result)
    # Metrics are error rates. A metric follows a score of which higher is better if it is low
    # where the score is high: their correlation is negative.
    better = result.provenance.get("better", {}).get(shown[0]["score"], "higher")
    sign = -1 if better == "higher" else 1
    best = max(shown, key=lambda row: sign * row["pearson"])
    span = number_span(best.get("pearson_low"), best.get("pearson_high"))
    follows = "follows" if len(unique(row["metric"] for row in shown)) == 1 else "best follows"
    several = len(unique(row["system"] for row in shown)) > 1
    of_system = f" of {best['system']}" if several else ""
    return (
        f"{title(best['metric'])} {follows} {title(best['score'])}: Pearson "
        f"{number(best['pearson'])}{interval_in_sentence(confidence(result), span)} over "
        f"{counted(best['blocks'], 'block')}{of_system}"
    )
