"""The answer in one sentence: what a result says, and what it does not.

A difference that no test tells from chance (p of 0.05 or more, corrected) is never called better or
worse. With three or more systems only the differences against the first are tested, so the sentence
says which has the lowest rate and how that one differs from the first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import fmean

from misword.core.types import Result
from misword.report import robustness, said
from misword.report.lexicon import evaluation
from misword.report.reading import Row, Verdict, decisive, lead, rows, unique, verdict
from misword.report.wording import (
    counted,
    family,
    is_number,
    listed,
    metric_name,
    percent,
    said_probability,
    signed,
)

NAMED_AT_MOST = 3
SINGULAR = {"grammar"}


def headline(result: Result) -> str:
    """The sentence of a result, whatever its kind."""
    makers = {
        "scores": said.scores,
        "comparison": comparison,
        "correlation": said.correlation,
        "agreement": said.agreement,
        "evaluation": evaluation,
        "robustness": robustness.said,
    }
    made = makers[result.kind](result) if result.kind in makers else ""
    return made or f"A result of kind {result.kind}, without anything to say in one sentence."


def comparison(result: Result) -> str:
    """Who is better, on how many metrics, by how much, and what cannot be told."""
    found = rows(result, "differences")
    if not found:
        return said.scores(result)
    others = unique(row["system"] for row in found)
    parts = _pair(found) if len(others) == 1 else _several(found, others)
    return "; ".join(part for part in parts if part) + "."


def _pair(found: list[Row]) -> list[str]:
    verdicts = [verdict(row) for row in found]
    chosen = _lead(found)
    if verdicts == ["untested"] * len(found):
        return [_untested(found), _change(chosen, brief=True), "no test was made"]
    silent = [
        metric_name(row["metric"])
        for row, what in zip(found, verdicts, strict=True)
        if what == "unclear" and row is not chosen
    ]
    told = set(verdicts) & {"better", "worse"}
    unclear = f"no difference can be shown on {_few(silent)}" if silent and told else ""
    return [_counts(found, verdicts), _change(chosen, brief=not told), unclear, _least(found)]


def _counts(found: list[Row], verdicts: Sequence[Verdict]) -> str:
    """Better on so many, worse on so many; or neither."""
    ours, theirs = found[0]["system"], found[0]["baseline"]
    total, tally = len(found), Counter[str](verdicts)
    all_of_them = metric_name(found[0]["metric"]) if total == 1 else f"all {total} metrics"
    for what in ("better", "worse"):
        if tally[what] == total:
            return f"{ours} is {what} than {theirs} on {all_of_them}"
    if tally["better"] and tally["worse"]:
        named = [
            metric_name(row["metric"])
            for row, v in zip(found, verdicts, strict=True)
            if v == "worse"
        ]
        return (
            f"{ours} is better than {theirs} on {tally['better']} of {total} metrics "
            f"and worse on {_few(named)}"
        )
    for what in ("better", "worse"):
        if tally[what]:
            return f"{ours} is {what} than {theirs} on {tally[what]} of {total} metrics"
    any_of_them = all_of_them if total == 1 else f"any of the {total} metrics"
    return f"{ours} and {theirs} cannot be told apart on {any_of_them}"


def _untested(found: list[Row]) -> str:
    lower = sum(is_number(row["difference"]) and row["difference"] < 0 for row in found)
    ours, theirs = found[0]["system"], found[0]["baseline"]
    return f"{ours} has a lower rate than {theirs} on {lower} of {counted(len(found), 'metric')}"


def _change(row: Row, *, brief: bool = False) -> str:
    """One metric's change and its p; if `brief`, without a word on what the p means."""
    name, p = metric_name(row["metric"]), decisive(row)
    if is_number(row["relative"]):
        change = f"{name} {signed(row['relative'])} %"
    elif is_number(row["rate"]) and is_number(row["baseline_rate"]):
        change = f"{name} {percent(row['baseline_rate'])} % before, {percent(row['rate'])} % now"
    else:
        return f"{name} is undefined"
    if p is None:
        return change
    unclear = "" if brief or verdict(row) != "unclear" else "not distinguishable, "
    return f"{change} ({unclear}{said_probability(p)})"


def _least(found: list[Row]) -> str:
    """The side of language that gains least, where there is no loss and more than one side."""
    verdicts = Counter(verdict(row) for row in found)
    if verdicts["worse"] or verdicts["better"] < 2:
        return ""
    sides: dict[str, list[float]] = {}
    for row in found:
        if is_number(row["relative"]) and family(row["metric"]):
            sides.setdefault(family(row["metric"]), []).append(row["relative"])
    if len(sides) < 2:
        return ""
    means = {side: fmean(changes) for side, changes in sides.items()}
    if len({signed(mean) for mean in means.values()}) < 2:  # as far as can be seen, the same
        return ""
    least = max(means, key=lambda side: means[side])
    verb = "gains" if least in SINGULAR else "gain"
    return f"{least} {verb} least ({signed(means[least])} %)"


def _several(found: list[Row], others: list[str]) -> list[str]:
    """Which system has the lowest rates, and how it and the others differ from the first."""
    baseline = found[0]["baseline"]
    labels = unique(row["metric"] for row in found)
    wins = Counter(_lowest([row for row in found if row["metric"] == label]) for label in labels)
    total = wins.total()
    del wins[""]
    chosen = {row["system"]: row for row in found if row["metric"] == _lead(found)["metric"]}
    if not wins:
        return ["no system has the lowest rate on any metric", *_against(chosen, others, baseline)]
    most = max(wins.values())
    tied = [name for name in (baseline, *others) if wins[name] == most]
    on = f"{most} of {total} metrics" if most < total else f"all {total} metrics"
    on = metric_name(found[0]["metric"]) if total == 1 else on
    each = " each have" if len(tied) > 1 else " has"
    first = f"{listed(tied)}{each} the lowest rate on {on}"
    rest = [name for name in others if name not in tied]
    return [first, *_against(chosen, [name for name in tied if name != baseline] + rest, baseline)]


def _lowest(found: list[Row]) -> str:
    """The one system with the lowest rate on a metric; empty where two share it."""
    rates = {found[0]["baseline"]: found[0]["baseline_rate"]}
    rates |= {row["system"]: row["rate"] for row in found}
    known = {name: rate for name, rate in rates.items() if is_number(rate)}
    lowest = [name for name, rate in known.items() if rate == min(known.values())]
    return str(lowest[0]) if len(lowest) == 1 else ""


def _against(chosen: dict[str, Row], names: list[str], baseline: str) -> list[str]:
    """The lead metric's change of the first few systems, and what nobody tested."""
    told = ", ".join(f"{name} {_change(chosen[name])}" for name in names[:NAMED_AT_MOST])
    more = len(names) - NAMED_AT_MOST
    rest = f", {counted(more, 'more system')} in the table" if more > 0 else ""
    return [f"against {baseline}: {told}{rest}", "the others were not tested against each other"]


def _lead(found: list[Row]) -> Row:
    label = lead(unique(row["metric"] for row in found))
    return next(row for row in found if row["metric"] == label)


def _few(names: Sequence[str]) -> str:
    """Some names, or how many there are."""
    return listed(names) if len(names) <= NAMED_AT_MOST else f"{len(names)} metrics"
