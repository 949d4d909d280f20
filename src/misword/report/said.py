"""Sentences of scores, correlations and agreement with people."""

from __future__ import annotations

from statistics import fmean

from misword.core.types import Result
from misword.report.reading import Row, confidence, grouped_by, lead, rows, table, unique
from misword.report.wording import (
    counted,
    is_number,
    listed,
    metric_name,
    number,
    percent,
    score_name,
    span,
)

OTHERS_AT_MOST = 3


def scores(result: Result) -> str:
    """The first metric with its interval, and the others beside it."""
    frame = table(result, "summary")
    if frame is None:
        return ""
    chosen = lead(unique(frame["metric"]))
    found = [row for row in frame.to_dicts() if row["metric"] == chosen]
    by = grouped_by(frame)
    if by:
        return _grouped(found, by)
    if len(found) > 1:
        return _systems(found, confidence(result))
    others = [row for row in frame.to_dicts() if row["metric"] != chosen][:OTHERS_AT_MOST]
    more = ", ".join(f"{metric_name(row['metric'])} {_rate(row)}" for row in others)
    return f"{_measured(found[0], confidence(result))}{'; ' if more else ''}{more}."


def _measured(row: Row, share: str) -> str:
    on = f"on {counted(row['utterances'], 'utterance')}"
    name = metric_name(row["metric"])
    if not is_number(row["rate"]):
        return f"{name} is undefined {on}: there is nothing to get right"
    return f"{name} {_rate(row)}{_interval(row, share)} {on}"


def _systems(found: list[Row], share: str) -> str:
    """Several systems without a test: who is lowest, and that nothing more is said."""
    known = sorted((row for row in found if is_number(row["rate"])), key=lambda row: row["rate"])
    if not known:
        return _measured(found[0], share) + "."
    first, *rest = known
    name, size = metric_name(first["metric"]), counted(first["utterances"], "utterance")
    against = f"{_rate(rest[0])} of {rest[0]['system']}" if rest else "undefined rates"
    if len(rest) > 1:
        against = f"{_rate(rest[0])} to {_rate(rest[-1])} of {len(rest)} others"
    return (
        f"{first['system']} has the lowest {name}: {_rate(first)}{_interval(first, share)}, "
        f"against {against}, on {size}; the difference was not tested."
    )


def _grouped(found: list[Row], by: list[str]) -> str:
    """The lowest and the highest of many groups."""
    known = sorted((row for row in found if is_number(row["rate"])), key=lambda row: row["rate"])
    name = metric_name(found[0]["metric"])
    if not known:
        return f"{name} is undefined in all {len(found)} groups: there is nothing to get right."
    several = len(unique(row["system"] for row in found)) > 1

    def told(row: Row) -> str:
        named = [row["system"]] if several else []
        return ", ".join([*named, *(f"{column} {row[column]}" for column in by)])

    low, high = known[0], known[-1]
    return (
        f"{name} from {_rate(low)} ({told(low)}) to {_rate(high)} ({told(high)}) "
        f"in {counted(len(found), 'group')}."
    )


def correlation(result: Result) -> str:
    """Which metrics say the same, which does not, and what follows a downstream score best."""
    pairs = [row for row in rows(result, "metrics") if row["a"] != row["b"]]
    pairs = [row for row in pairs if is_number(row["pearson"])]
    parts = [_alike(pairs), _downstream(result, confidence(result))]
    said = "; ".join(part for part in parts if part)
    return f"{said}." if said else ""


def _alike(pairs: list[Row]) -> str:
    if not pairs:
        return ""
    labels = unique(name for row in pairs for name in (row["a"], row["b"]))
    close = max(pairs, key=lambda row: row["pearson"])
    together = listed([metric_name(close["a"]), metric_name(close["b"])])
    if len(labels) == 2:
        return f"{together} have a Pearson correlation of {number(close['pearson'])}"
    means = {
        label: fmean(row["pearson"] for row in pairs if label in (row["a"], row["b"]))
        for label in labels
    }
    far = min(labels, key=lambda label: means[label])
    return (
        f"{together} are most alike (Pearson {number(close['pearson'])}); {metric_name(far)} is "
        f"least like the others ({number(means[far])} on average)"
    )


def _downstream(result: Result, share: str) -> str:
    known = [row for row in rows(result, "downstream") if is_number(row["pearson"])]
    if not known:
        return ""
    known = [row for row in known if row["score"] == known[0]["score"]]
    # Of metrics, less is better: they follow a score of which more is better if they fall with it.
    better = result.provenance.get("better", {}).get(known[0]["score"], "higher")
    sign = -1 if better == "higher" else 1
    best = max(known, key=lambda row: sign * row["pearson"])
    inside = ""
    if is_number(best.get("pearson_low")) and is_number(best.get("pearson_high")):
        low, high = number(best["pearson_low"]), number(best["pearson_high"])
        inside = f" ({share} interval {low} to {high})"
    follows = "follows" if len(unique(row["metric"] for row in known)) == 1 else "best follows"
    several = len(unique(row["system"] for row in known)) > 1
    of = f" of {best['system']}" if several else ""
    return (
        f"{metric_name(best['metric'])} {follows} {score_name(best['score'])}: Pearson "
        f"{number(best['pearson'])}{inside} over {counted(best['blocks'], 'block')}{of}"
    )


def agreement(result: Result) -> str:
    """Which metric chooses as people do, at the clearest consensus, and whether that is certain."""
    found = [row for row in rows(result, "agreement") if is_number(row["agreed"])]
    if not found:
        return ""
    level = found[0]["consensus"]
    ranked = sorted(
        (row for row in found if row["consensus"] == level), key=lambda row: -row["agreed"]
    )
    first, share = ranked[0], confidence(result)
    inside = (
        f" ({share} interval {span(first['low'], first['high'], 1)})" if _bounded(first) else ""
    )
    on = f"{counted(first['triplets'], 'triplet')} (consensus {level})"
    name = metric_name(first["metric"])
    told = f"{percent(first['agreed'], 1)} %{inside} of {on}"
    if len(ranked) == 1:
        return f"{name} chooses as people do in {told}."
    most = "most often" if first["agreed"] > ranked[1]["agreed"] else "as often as any"
    return f"{name} chooses as people do {most}: {told}{_close(first, ranked[1:])}."


def _close(first: Row, rest: list[Row]) -> str:
    """Metrics whose interval reaches into that of the first; nobody tested them against it."""
    if not _bounded(first):
        return ""
    near = [
        metric_name(row["metric"]) for row in rest if _bounded(row) and row["high"] >= first["low"]
    ]
    if not near:
        return "; no other metric's interval reaches its own"
    named = listed(near) if len(near) <= OTHERS_AT_MOST else f"{len(near)} other metrics"
    have = "has an interval" if len(near) == 1 else "have intervals"
    return f"; {named} {have} that overlap{'s' if len(near) == 1 else ''} with its own"


def _rate(row: Row) -> str:
    return f"{percent(row['rate'], 1)} %" if is_number(row["rate"]) else "undefined"


def _interval(row: Row, share: str) -> str:
    return f" ({share} interval {span(row['low'], row['high'], 1)})" if _bounded(row) else ""


def _bounded(row: Row) -> bool:
    return is_number(row.get("low")) and is_number(row.get("high"))
