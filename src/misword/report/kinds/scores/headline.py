"""The headline of scores: rates without a test of their difference."""

from __future__ import annotations

from misword.core.formatting import counted, is_number, percent, span
from misword.core.types import Result
from misword.report.html.text import interval_in_sentence
from misword.report.result_access import (
    Row,
    Titles,
    confidence,
    group_columns,
    lead_metric,
    table,
    titles,
    unique,
)

# The sentence names at most this many metrics beside the first.
OTHER_METRICS = 3


def scores_headline(result: Result) -> str:
    """Return the rate of the lead metric: of one system, of several, or of several groups."""
    frame = table(result, "summary")
    if frame is None:
        return ""
    label, title, share = lead_metric(unique(frame["metric"])), titles(result), confidence(result)
    of_lead = [row for row in frame.to_dicts() if row["metric"] == label]
    groups = group_columns(frame)
    if groups:
        return _of_groups(of_lead, groups, title(label))
    if len(of_lead) > 1:
        return _of_systems(of_lead, title(label), share)
    others = [row for row in frame.to_dicts() if row["metric"] != label][:OTHER_METRICS]
    return "; ".join([_of_one(of_lead[0], title(label), share), *_others(others, title)]) + "."


def _others(others: list[Row], title: Titles) -> list[str]:
    """Return a list with one clause on the other metrics; empty if there are none."""
    rates = ", ".join(f"{title(row['metric'])} {_rate(row)}" for row in others)
    return [rates] if rates else []


def _of_one(row: Row, name: str, share: str) -> str:
    size = f"on {counted(row['utterances'], 'utterance')}"
    if not is_number(row["rate"]):
        return f"{name} is undefined {size}: there is nothing to get right"
    return f"{name} {_rate(row)}{_interval(row, share)} {size}"


def _of_systems(rows: list[Row], name: str, share: str) -> str:
    """Return the system with the lowest rate and the rates of the others.

    The sentence also says that the difference was not tested.
    """
    defined = _by_rate(rows)
    if not defined:
        return _of_one(rows[0], name, share) + "."
    first, *rest = defined
    against = f"{_rate(rest[0])} of {rest[0]['system']}" if rest else "undefined rates"
    if len(rest) > 1:
        against = f"{_rate(rest[0])} to {_rate(rest[-1])} of {len(rest)} others"
    return (
        f"{first['system']} has the lowest {name}: {_rate(first)}{_interval(first, share)}, "
        f"against {against}, on {counted(first['utterances'], 'utterance')}; the difference was "
        "not tested."
    )


def _of_groups(rows: list[Row], groups: list[str], name: str) -> str:
    """Return the groups with the lowest and the highest rate."""
    rows = [row for row in rows if not row.get("total")]
    defined = _by_rate(rows)
    if not defined:
        return f"{name} is undefined in all {len(rows)} groups: there is nothing to get right."
    several = len(unique(row["system"] for row in rows)) > 1

    def group(row: Row) -> str:
        system = [row["system"]] if several else []
        return ", ".join([*system, *(f"{column} {row[column]}" for column in groups)])

    low, high = defined[0], defined[-1]
    return (
        f"{name} from {_rate(low)} ({group(low)}) to {_rate(high)} ({group(high)}) "
        f"in {counted(len(rows), 'group')}."
    )


def _by_rate(rows: list[Row]) -> list[Row]:
    """Return the rows whose rate is defined, the lowest rate first."""
    return sorted((row for row in rows if is_number(row["rate"])), key=lambda row: row["rate"])


def _rate(row: Row) -> str:
    return f"{percent(row['rate'], 1)} %" if is_number(row["rate"]) else "undefined"


def _interval(row: Row, share: str) -> str:
    return interval_in_sentence(share, span(row.get("low"), row.get("high"), 1))
