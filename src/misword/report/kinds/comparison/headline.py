"""The headline of a comparison: which system is better, by how much, and what is unclear.

A difference that no test distinguishes from chance (a corrected p-value of 0.05 or more) is never
called better or worse. If there are too few blocks for a test over blocks, the headline says so and
uses the test over utterances. With three or more systems only the differences against the first are
tested, so the sentence says which system has the lowest rate and how it differs from the first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import fmean

from misword.core.formatting import counted, is_number, listed, percent, signed
from misword.core.types import Result
from misword.report.markup import p_in_sentence
from misword.report.result_access import (
    Row,
    Titles,
    Verdict,
    deciding_p,
    family,
    lead_metric,
    rows,
    titles,
    unique,
    verdict,
)
from misword.stat.paired import too_few_rows

# The sentence names at most this many metrics or systems one by one.
NAMED = 3
# Families of metrics whose name is in the singular.
SINGULAR = {"grammar"}


def comparison_headline(result: Result) -> str:
    """Return the sentence on the differences; empty if there are no differences."""
    differences, title = rows(result, "differences"), titles(result)
    if not differences:
        return ""
    others = unique(row["system"] for row in differences)
    if len(others) == 1:
        clauses = _of_two_systems(differences, title)
        clauses.append(_least_gain(result, differences))
    else:
        clauses = _of_several_systems(differences, others, title)
    clauses.append(_too_few_blocks(result, differences))
    return "; ".join(clause for clause in clauses if clause) + "."


def _of_two_systems(differences: list[Row], title: Titles) -> list[str]:
    """Return the clauses on two systems: counts, the lead metric, and the unclear metrics."""
    verdicts = [verdict(row) for row in differences]
    lead = lead_row(differences)
    if verdicts == ["untested"] * len(differences):
        return [_lower_rates(differences), _change(lead, title, brief=True), "no test was made"]
    unclear = [
        title(row["metric"])
        for row, judged in zip(differences, verdicts, strict=True)
        if judged == "unclear" and row is not lead
    ]
    decided = bool(set(verdicts) & {"better", "worse"})
    rest = f"no difference can be shown on {_few(unclear)}" if unclear and decided else ""
    counts = verdict_counts(differences, verdicts, title)
    return [counts, _change(lead, title, brief=not decided), rest]


def verdict_counts(differences: Sequence[Row], verdicts: Sequence[Verdict], title: Titles) -> str:
    """Return on how many metrics the second system is better or worse than the first."""
    ours, theirs = differences[0]["system"], differences[0]["baseline"]
    total, tally = len(differences), Counter[str](verdicts)
    every = title(differences[0]["metric"]) if total == 1 else f"all {total} metrics"
    for judged in ("better", "worse"):
        if tally[judged] == total:
            return f"{ours} is {judged} than {theirs} on {every}"
    if tally["better"] and tally["worse"]:
        worse = [
            title(row["metric"])
            for row, judged in zip(differences, verdicts, strict=True)
            if judged == "worse"
        ]
        return (
            f"{ours} is better than {theirs} on {tally['better']} of {total} metrics "
            f"and worse on {_few(worse)}"
        )
    for judged in ("better", "worse"):
        if tally[judged]:
            return f"{ours} is {judged} than {theirs} on {tally[judged]} of {total} metrics"
    any_metric = every if total == 1 else f"any of the {total} metrics"
    return f"{ours} and {theirs} cannot be told apart on {any_metric}"


def _lower_rates(differences: list[Row]) -> str:
    """Return on how many metrics the second system has a lower rate, for untested differences."""
    lower = sum(is_number(row["difference"]) and row["difference"] < 0 for row in differences)
    ours, theirs = differences[0]["system"], differences[0]["baseline"]
    total = counted(len(differences), "metric")
    return f"{ours} has a lower rate than {theirs} on {lower} of {total}"


def _change(row: Row, title: Titles, *, brief: bool = False) -> str:
    """Return the change of one metric and its p-value; if `brief`, without the verdict."""
    name, p = title(row["metric"]), deciding_p(row)
    if is_number(row["relative"]):
        change = f"{name} {signed(row['relative'])} %"
    elif is_number(row["rate"]) and is_number(row["baseline_rate"]):
        change = f"{name} {percent(row['baseline_rate'])} % before, {percent(row['rate'])} % now"
    else:
        return f"{name} is undefined"
    if p is None:
        return change
    unclear = "" if brief or verdict(row) != "unclear" else "not distinguishable, "
    return f"{change} ({unclear}{p_in_sentence(p)})"


def _too_few_blocks(result: Result, differences: list[Row]) -> str:
    """Return why there is no test over blocks; empty if there is one, or if there are no blocks."""
    block, blocks = str(result.provenance.get("block") or ""), result.provenance.get("blocks")
    if not isinstance(blocks, int):
        return ""
    needed = too_few_rows(blocks, len(differences))
    if needed is None or any(is_number(row.get("p_blocks")) for row in differences):
        return ""
    values = counted(blocks, block) if block.isalpha() else f"{blocks} values of {block}"
    return (
        f"{values} are too few for a test by {block} "
        f"({needed} are needed, which all agree by chance once in {2 ** (needed - 1)}), "
        f"so p is by utterances"
    )


def _least_gain(result: Result, differences: list[Row]) -> str:
    """Return the family of metrics that gains least, if no metric is worse and families differ."""
    verdicts = Counter(verdict(row) for row in differences)
    if verdicts["worse"] or verdicts["better"] < 2:
        return ""
    families: dict[str, list[float]] = {}
    for row in differences:
        name = family(result, row["metric"])
        if is_number(row["relative"]) and name:
            families.setdefault(name, []).append(row["relative"])
    if len(families) < 2:
        return ""
    means = {name: fmean(changes) for name, changes in families.items()}
    if len({signed(mean) for mean in means.values()}) < 2:  # equal with the digits that are shown
        return ""
    least = max(means, key=lambda name: means[name])
    verb = "gains" if least in SINGULAR else "gain"
    return f"{least} {verb} least ({signed(means[least])} %)"


def _of_several_systems(differences: list[Row], others: list[str], title: Titles) -> list[str]:
    """Return the clauses on three or more systems: lowest rates, and changes against the first."""
    baseline = differences[0]["baseline"]
    labels = unique(row["metric"] for row in differences)
    wins = Counter(
        _lowest_system([row for row in differences if row["metric"] == label]) for label in labels
    )
    total = wins.total()
    del wins[""]
    lead = lead_row(differences)["metric"]
    changes = {row["system"]: _change(row, title) for row in differences if row["metric"] == lead}
    if not wins:
        first = "no system has the lowest rate on any metric"
        return [first, *_against_baseline(changes, others, baseline)]
    most = max(wins.values())
    tied = [name for name in (baseline, *others) if wins[name] == most]
    on = f"{most} of {total} metrics" if most < total else f"all {total} metrics"
    on = title(differences[0]["metric"]) if total == 1 else on
    verb = "each have" if len(tied) > 1 else "has"
    ordered = [name for name in tied if name != baseline]
    ordered += [name for name in others if name not in tied]
    first = f"{listed(tied)} {verb} the lowest rate on {on}"
    return [first, *_against_baseline(changes, ordered, baseline)]


def _lowest_system(differences: list[Row]) -> str:
    """Return the system with the lowest rate on a metric; empty if two systems have that rate."""
    rates = {differences[0]["baseline"]: differences[0]["baseline_rate"]}
    rates |= {row["system"]: row["rate"] for row in differences}
    defined = {name: rate for name, rate in rates.items() if is_number(rate)}
    lowest = [name for name, rate in defined.items() if rate == min(defined.values())]
    return str(lowest[0]) if len(lowest) == 1 else ""


def _against_baseline(changes: dict[str, str], names: list[str], baseline: str) -> list[str]:
    """Return a clause on the changes of the first few systems, and one on what was not tested."""
    shown = ", ".join(f"{name} {changes[name]}" for name in names[:NAMED])
    more = len(names) - NAMED
    rest = f", {counted(more, 'more system')} in the table" if more > 0 else ""
    return [f"against {baseline}: {shown}{rest}", "the others were not tested against each other"]


def lead_row(differences: Sequence[Row]) -> Row:
    """Return the row of the lead metric; of several systems, that of the first."""
    label = lead_metric(unique(row["metric"] for row in differences))
    return next(row for row in differences if row["metric"] == label)


def _few(names: Sequence[str]) -> str:
    """Return the names of metrics, or their number if they are too many for a sentence."""
    return listed(names) if len(names) <= NAMED else f"{len(names)} metrics"
