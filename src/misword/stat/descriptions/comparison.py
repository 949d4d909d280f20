"""How comparisons are shown: differences from the baseline, as a whole, by group and by word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from statistics import fmean

from misword.core import formatting
from misword.core.formatting import counted, is_number, listed, p_in_sentence
from misword.core.tables import (
    METADATA,
    WORDS,
    Column,
    Row,
    Table,
    composed,
    count,
    field_is,
    groups,
    number,
    number_span,
    part,
    percent,
    probability,
    signed,
    signed_span,
    span,
    text,
    texts,
    utterance,
    written,
)
from misword.core.types import Description, Result
from misword.stat.bootstrap import BOOTSTRAP_SETTINGS
from misword.stat.descriptions.result_access import (
    VERDICT_TEXTS,
    Titles,
    Verdict,
    deciding_p,
    family,
    interval,
    lead_metric,
    rows,
    titles,
    unique,
    verdict,
)
from misword.stat.descriptions.scores import class_columns
from misword.stat.descriptions.severity import severity_changes
from misword.stat.options import SIGNIFICANCE_LEVEL
from misword.stat.paired import too_few_rows

# The sentence names at most this many metrics or systems one by one.
NAMED = 3
NOT_TESTED = "the others were not tested against each other (--all-pairs does)"
# Families of metrics whose name is in the singular.
SINGULAR = {"grammar"}
# What a terminal shows: groups of each metric and system, classes and worst utterances of each
# system, and contrasts.
GROUPS_SHOWN, CLASSES_SHOWN, WORST_SHOWN, CONTRASTS_SHOWN = 20, 40, 5, 10
WORDS_SHOWN = 15  # of each system
SLICES = {"tag": "part of speech", "frequency": "times in references", "length": "letters"}
MEASURES = {"rate": "%", "distance": "distance"}
# The name of the explorer's filter by tag.
TAG = "error on a word of tag"


def differences_table(result: Result) -> Table:
    """Return both rates, the change with its interval and p-values, and counts of utterances."""
    shown = rows(result, "differences")
    one = len(unique(row["system"] for row in shown)) == 1
    return Table(
        "differences",
        (
            part("metric", titles(result)),
            text("system"),
            text("verdict", of=lambda row: VERDICT_TEXTS[verdict(row)], page_only=True),
            _baseline_rate(result),
            percent("rate", "%", title=f"{shown[0]['system']}, %" if one else "rate, %"),
            signed("relative", "change %", title="relative change, %"),
            signed_span("relative_low", "relative_high", interval(result)),
            probability("p_holm", "p", optional=True),
            probability("p_blocks_holm", "p, blocks", optional=True),
            probability("p_mapsswe_holm", "p, MAPSSWE", optional=True),
            count("better"),
            count("worse"),
            count("same"),
            count("undefined", of=lambda row: row.get("undefined") or None, optional=True),
        ),
        shown,
        notes=[_how(result), *_segment_tests(shown)] if shown else (),
        is_faint=lambda row: verdict(row) in ("unclear", "untested"),
    )


def pairs_table(result: Result) -> Table:
    """Return the differences of every two systems; each row is named by both."""
    shown = rows(result, "pairs")
    return Table(
        "pairs",
        (
            part("metric", titles(result)),
            text("system"),
            text("baseline", "against"),
            text("verdict", of=lambda row: VERDICT_TEXTS[verdict(row)]),
            percent("rate", "%", title="rate, %"),
            percent("baseline_rate", "against %", title="against, %"),
            signed("relative", "change %", title="relative change, %"),
            signed_span("relative_low", "relative_high", interval(result)),
            probability("p_holm", "p", optional=True),
            probability("p_blocks_holm", "p, blocks", optional=True),
        ),
        shown,
        title=f"All pairs of systems; p corrected for {counted(len(shown), 'comparison')} (Holm)",
        is_faint=lambda row: verdict(row) in ("unclear", "untested"),
    )


def leaders(result: Result, label: str) -> list[str]:
    """Return the systems with the lowest rate of a metric, and those that no test tells from them.

    With all pairs, no test tells any two of them apart. Without, only the tests against the
    baseline are known, so nobody joins a best system other than the baseline.
    """
    of_metric = [row for row in rows(result, "differences") if row["metric"] == label]
    rates = {name: rate for name, rate in _rates_of(of_metric).items() if is_number(rate)}
    if not rates:
        return []
    pairs = [row for row in rows(result, "pairs") if row["metric"] == label]
    unclear = {
        frozenset((row["system"], row["baseline"]))
        for row in pairs or of_metric
        if verdict(row) == "unclear"
    }
    ranked = sorted(rates, key=lambda name: rates[name])
    found = [name for name in ranked if rates[name] == rates[ranked[0]]]
    baseline = of_metric[0]["baseline"]
    for name in ranked[len(found) :]:
        if pairs:
            joins = all(frozenset((name, one)) in unclear for one in found)
        else:
            joins = baseline in found and frozenset((name, baseline)) in unclear
        if joins:
            found.append(name)
    return found


def _baseline_rate(result: Result, key: str = "baseline_rate", what: str = "") -> Column:
    """Return a column of numbers of the baseline, under its name."""
    name = _baseline(result)
    return percent(key, f"{name} {what}%", title=f"{name}, {what}%")


def _all_metrics(total: int) -> str:
    """Return how many metrics agree: both, or all of them."""
    return "both metrics" if total == 2 else f"all {total} metrics"


def _baseline(result: Result) -> str:
    return str(result.provenance.get("baseline") or "first system")


def _how(result: Result) -> str:
    """Return a sentence on the sign of the changes, their intervals and their tests."""
    facts, shown = result.provenance, rows(result, "differences")
    said = f"Change against {_baseline(result)}, negative is better"
    tallies = ("better", "worse", "same", "undefined")
    if sum(shown[0].get(name) or 0 for name in tallies) == 1:
        return f"{said}."
    block, times = facts.get("block"), facts.get("bootstrap")
    if times:
        resampled = f"{facts['blocks']:,} blocks ({block})" if block else "utterances"
        said += f"; intervals by paired bootstrap of {resampled}, {times:,} times"
    said += ". p by paired permutation test"
    if block and not any(is_number(row.get("p_blocks")) for row in shown):
        said += " of utterances"
    tests = _tests(result)
    return said + (f", corrected for {tests} comparisons (Holm)." if tests > 1 else ".")


def _tests(result: Result) -> int:
    """Return the number of tests that the p-values are corrected for."""
    return len(rows(result, "pairs") or rows(result, "differences"))


def _segment_tests(shown: Sequence[Row]) -> Iterator[str]:
    """Yield a sentence on each matched-pairs segment test."""
    for row in shown:
        if row.get("segments_mapsswe") is None:
            continue
        z = "undefined" if row["z_mapsswe"] is None else f"{row['z_mapsswe']:.2f}"
        segments = counted(row["segments_mapsswe"], "segment")
        nist = formatting.probability(row.get("p_mapsswe_nist"))
        normal = f"p by NIST's sc_stats (normal distribution) {nist}, " if nist else ""
        yield f"MAPSSWE of {row['metric']}, {row['system']}: z = {z}, {normal}{segments}."


def groups_table(result: Result) -> Table:
    """Return both rates of each group of utterances, their difference, interval and p-value."""
    by, shown = [str(name) for name in result.provenance.get("by", ())], rows(result, "groups")
    title = f"Change by {listed(by)} in points, the largest increase first"
    if len(shown) > 1:
        title += f"; p corrected for {len(shown):,} comparisons (Holm)"
    return Table(
        "groups",
        (
            part("metric", titles(result)),
            text("system"),
            *groups(by),
            _baseline_rate(result),
            percent("rate", "%", title="rate, %"),
            signed("difference", "points"),
            signed_span("low", "high", interval(result)),
            probability("p_holm"),
            count("utterances", "utts", title="utterances"),
        ),
        shown,
        title=title,
        most=GROUPS_SHOWN,
        each=("metric", "system"),
    )


def entity_differences_table(result: Result) -> Table:
    """Return both rates of each class of words, their difference, and both recalls."""
    shown = rows(result, "entity_differences")
    corrected = f"; p corrected for {len(shown)} comparisons (Holm)" if len(shown) > 1 else ""
    return Table(
        "entity_differences",
        (
            *class_columns(shown),
            text("system"),
            _baseline_rate(result),
            percent("rate", "%", title="rate, %"),
            signed("difference", "points"),
            signed_span("low", "high", interval(result)),
            probability("p_holm", "p", title="p (Holm)"),
            _baseline_rate(result, "baseline_recall", "recall "),
            percent("recall", "recall %", title="recall, %"),
            count("words"),
            count("terms"),
        ),
        shown,
        title=f"Change by class of words in points{corrected}",
        most=CLASSES_SHOWN,
        each=("system",),
    )


def slice_table(result: Result, kind: str, measures: Sequence[str] = tuple(MEASURES)) -> Table:
    """Return a row for each slice of the words: the numbers of all systems side by side."""
    found = [row for row in rows(result, "slices") if row["slice"] == kind]
    base, *others = unique(row["system"] for row in found) or [""]
    columns = [
        text("value", SLICES[kind], filters=_tag_filter if kind == "tag" else _no_filter),
        count("words"),
    ]
    for measure in measures:
        if not any(row.get(measure) is not None for row in found):
            continue
        sign = MEASURES[measure]
        columns.append(percent(f"{base}.{measure}", f"{base} {sign}"))
        for name in others:
            columns += [
                percent(f"{name}.{measure}", f"{name} {sign}"),
                signed(f"{name}.{measure}_difference", "difference"),
                signed_span(f"{name}.{measure}_low", f"{name}.{measure}_high", "interval"),
            ]
    side_by_side: dict[str, Row] = {}
    for row in found:
        line = side_by_side.setdefault(row["value"], {"value": row["value"], "words": row["words"]})
        line |= {f"{row['system']}.{name}": number for name, number in row.items()}
    shown = list(side_by_side.values())
    title = f"Errors by {SLICES[kind]}"
    return Table(f"slices by {kind}", columns, shown, title=title, is_detail=True)


def _tag_filter(row: Row) -> list[tuple[str | None, ...]]:
    return [field_is(WORDS, TAG, row["value"])]


def _no_filter(row: Row) -> list[tuple[str | None, ...]]:
    return []


def contrast_table(result: Result) -> Table:
    """Return the properties of the utterances that got worse beside those of the others.

    A terminal shows the contrasts whose interval does not contain 1.
    """

    def differs(row: Row) -> bool:
        low, high = row.get("low"), row.get("high")
        return (low is not None and low > 1) or (high is not None and high < 1)

    def mean(name: str, header: str, title: str) -> Column:
        return written(name, header, str, title=title, of=lambda row: _share_or_mean(row, name))

    return Table(
        "contrast",
        (
            part("metric", titles(result), page_only=True),
            text("system"),
            text("column", title="metadata"),
            text("value", filters=lambda row: [field_is(METADATA, row["column"], row["value"])]),
            mean("worsened", "worse", "worsened"),
            mean("others", "others", "others"),
            number("ratio"),
            written("low", interval(result), str, of=_ratio_span),
            count("worsened_n", "n worsened", page_only=True),
            count("others_n", "n others", page_only=True),
        ),
        rows(result, "contrast"),
        title="Utterances that got worse have, beside the others (over utterances)",
        most=CONTRASTS_SHOWN,
        on_terminal=differs,
        is_detail=True,
    )


def _share_or_mean(row: Row, name: str) -> str | None:
    """Return a share in percent, or a mean with three significant digits."""
    value = row[name]
    if not is_number(value):
        return None
    return f"{formatting.percent(value, 1)} %" if row["value"] else f"{value:.3g}"


def _ratio_span(row: Row) -> str | None:
    """Return the interval of a ratio, which may be open at one end."""
    low, high = (row.get(end) for end in ("low", "high"))
    if low is None:
        return None if high is None else f"{formatting.number(high)} or less"
    return (
        f"{formatting.number(low)} or more"
        if high is None
        else f"{formatting.number(low)} to {formatting.number(high)}"
    )


def word_changes_table(result: Result) -> Table:
    """Return the words and phrases that are newly wrong or newly right, the surest first.

    A terminal shows those whose corrected p-value is below 5 %.
    """

    def is_sure(row: Row) -> bool:
        p = row.get("p_holm")
        return is_number(p) and p < SIGNIFICANCE_LEVEL

    def example(place: int) -> Column:
        def of(row: Row) -> str | None:
            utts = row.get("utts") or []
            return utts[place] if place < len(utts) else None

        names = ("an utterance", "another", "a third")
        column = utterance(f"example {place + 1}", names[place])
        return replace(column, of=of, page_only=place > 0)

    return Table(
        "word_changes",
        (
            text("system"),
            text("kind"),
            text("text", "word or phrase"),
            count("newly_wrong", "newly wrong"),
            count("newly_right", "newly right"),
            count("utterances", "utts", title="utterances that changed"),
            probability("p_holm", "p", title="p (Holm)"),
            *map(example, range(3)),
        ),
        rows(result, "word_changes"),
        title=f"Words newly wrong or newly right against {_baseline(result)}; p corrected (Holm)",
        most=WORDS_SHOWN,
        each=("system",),
        on_terminal=is_sure,
        is_detail=True,
        is_faint=lambda row: not is_sure(row),
    )


def worst_table(result: Result) -> Table:
    """Return the utterances that got worse most, with their texts."""
    baseline = _baseline(result)

    def named(row: Row) -> list[tuple[str, str]]:
        sides = (("reference", "reference"), (baseline, "baseline_text"), (row["system"], "text"))
        return [(name, str(row[column] or "")) for name, column in sides]

    return Table(
        "worst",
        (
            utterance(),
            text("system"),
            part("metric", titles(result), page_only=True),
            percent("baseline_rate", "before %", title="before, %"),
            percent("rate", "now %", title="now, %"),
            signed("change", "change", page_only=True),
            written("errors", "errors", "{:+.3g}".format, optional=True),
            texts("texts", "texts", named),
        ),
        rows(result, "worst"),
        title="Worst",
        most=WORST_SHOWN,
        each=("system",),
        is_detail=True,
    )


def comparison_tables(result: Result) -> Iterator[Table]:
    """Yield the tables of a comparison."""
    yield differences_table(result)
    if rows(result, "pairs"):
        yield pairs_table(result)
    yield groups_table(result)
    yield entity_differences_table(result)
    yield from severity_changes(result)
    for kind in SLICES:
        yield slice_table(result, kind)
    yield word_changes_table(result)
    yield contrast_table(result)
    yield worst_table(result)


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
        clauses = _of_several_systems(result, differences, others, title)
    clauses.append(_too_few_blocks(result, differences))
    clauses.append(_only_within_blocks(result, differences))
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
    every = title(differences[0]["metric"]) if total == 1 else _all_metrics(total)
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
        change = f"{name} {formatting.signed(row['relative'], 1)} %"
    elif is_number(row["rate"]) and is_number(row["baseline_rate"]):
        before, now = (formatting.percent(row[key]) for key in ("baseline_rate", "rate"))
        change = f"{name} {before} % before, {now} % now"
    else:
        return f"{name} is undefined"
    if p is None:
        return change
    unclear = "" if brief or verdict(row) != "unclear" else "not distinguishable, "
    return f"{change} ({unclear}{p_in_sentence(p)})"


def _too_few_blocks(result: Result, differences: list[Row]) -> str:
    """Return why there is no test over blocks; empty if there is one, or if there are no blocks."""
    block, blocks = str(result.provenance.get("block") or ""), result.provenance.get("blocks")
    units = "utterances"
    if not block and result.provenance.get("recordings"):  # they would be the blocks
        block, blocks, units = "recording", result.provenance["recordings"], "turns"
    if not isinstance(blocks, int):
        return ""
    needed = too_few_rows(blocks, _tests(result))
    if needed is None or any(is_number(row.get("p_blocks")) for row in differences):
        return ""
    values = counted(blocks, block) if block.isalpha() else f"{blocks} values of {block}"
    return (
        f"{values} are too few for a test by {block} "
        f"({needed} are needed, which all agree by chance once in {2 ** (needed - 1)}), "
        f"so p is by {units}"
    )


def _only_within_blocks(result: Result, differences: list[Row]) -> str:
    """Return that a difference is clear by utterances but not by blocks; empty if it is not so."""
    block, row = str(result.provenance.get("block") or ""), lead_row(differences)
    by_block, single = (
        next((row[name] for name in names if is_number(row.get(name))), None)
        for names in (("p_blocks_holm", "p_blocks"), ("p_holm", "p"))
    )
    if not block or by_block is None or single is None:
        return ""
    if by_block < SIGNIFICANCE_LEVEL or single >= SIGNIFICANCE_LEVEL:
        return ""
    units = "turns" if result.provenance.get("recordings") else "utterances"
    return (
        f"within these {counted(result.provenance['blocks'], block)} the difference is clear "
        f"({p_in_sentence(single)} by {units}), but it may not hold for others "
        f"({p_in_sentence(by_block)} by {block})"
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
    if (
        len({formatting.signed(mean) for mean in means.values()}) < 2
    ):  # equal with the digits that are shown
        return ""
    least = max(means, key=lambda name: means[name])
    verb = "gains" if least in SINGULAR else "gain"
    return f"{least} {verb} least ({formatting.signed(means[least], 1)} %)"


def _of_several_systems(
    result: Result, differences: list[Row], others: list[str], title: Titles
) -> list[str]:
    """Return the clauses on three or more systems: who leads, and changes against the first."""
    untested = [] if rows(result, "pairs") else [NOT_TESTED]
    baseline = differences[0]["baseline"]
    labels = unique(row["metric"] for row in differences)
    wins = Counter(
        _lowest_system([row for row in differences if row["metric"] == label]) for label in labels
    )
    total = wins.total()
    del wins[""]
    lead = lead_row(differences)["metric"]
    changes = {row["system"]: _change(row, title) for row in differences if row["metric"] == lead}
    equal = tied_leaders(result, lead, title)
    if not wins:
        first = equal or "no system has the lowest rate on any metric"
        return [first, *_against_baseline(changes, others, baseline), *untested]
    most = max(wins.values())
    tied = [name for name in (baseline, *others) if wins[name] == most]
    on = f"{most} of {total} metrics" if most < total else _all_metrics(total)
    on = title(differences[0]["metric"]) if total == 1 else on
    verb = "each have" if len(tied) > 1 else "has"
    ordered = [name for name in tied if name != baseline]
    ordered += [name for name in others if name not in tied]
    first = f"{listed(tied)} {verb} the lowest rate on {on}"
    return [
        *filter(None, [equal]),
        first,
        *_against_baseline(changes, ordered, baseline),
        *untested,
    ]


def tied_leaders(result: Result, label: str, title: Titles) -> str:
    """Return who leads if no test tells the best systems apart; empty if there is one leader.

    If there are too many for a sentence, it names the first and counts the others.
    """
    leading = leaders(result, label)
    if len(leading) < 2:
        return ""
    few = len(leading) <= NAMED + 1
    names = listed(leading) if few else f"{leading[0]} and {len(leading) - 1} others"
    of_metric = [row for row in rows(result, "differences") if row["metric"] == label]
    rates = _rates_of(of_metric)
    ends = dict.fromkeys(formatting.percent(rates[leading[at]], 1) for at in (0, -1))
    return f"{names} lead on {title(label)} ({' to '.join(ends)} %); no test tells them apart"


def _rates_of(differences: Sequence[Row]) -> dict[str, float]:
    """Return the rates of all systems by one metric, that of the baseline first."""
    rates = {row["baseline"]: row["baseline_rate"] for row in differences}
    return rates | {row["system"]: row["rate"] for row in differences}


def _lowest_system(differences: list[Row]) -> str:
    """Return the system with the lowest rate on a metric; empty if two systems have that rate."""
    rates = _rates_of(differences)
    defined = {name: rate for name, rate in rates.items() if is_number(rate)}
    lowest = [name for name, rate in defined.items() if rate == min(defined.values())]
    return str(lowest[0]) if len(lowest) == 1 else ""


def _against_baseline(changes: dict[str, str], names: list[str], baseline: str) -> list[str]:
    """Return a clause on the changes of the first few systems."""
    shown = ", ".join(f"{name} {changes[name]}" for name in names[:NAMED])
    more = len(names) - NAMED
    rest = f", {counted(more, 'more system')} in the table" if more > 0 else ""
    return [f"against {baseline}: {shown}{rest}"]


def lead_row(differences: Sequence[Row]) -> Row:
    """Return the row of the lead metric; of several systems, that of the first."""
    label = lead_metric(unique(row["metric"] for row in differences))
    return next(row for row in differences if row["metric"] == label)


def _few(names: Sequence[str]) -> str:
    """Return the names of metrics, or their number if they are too many for a sentence."""
    return listed(names) if len(names) <= NAMED else f"{len(names)} metrics"


COMPARISON = Description(
    comparison_tables,
    main=("differences",),
    data={
        name: name
        for name in (
            *("differences", "groups", "worst", "contrast", "slices", "entity_differences"),
            *("severity_differences", "dangerous_changes", "word_changes", "pairs"),
        )
    },
    details=("worst", "contrast", "slices", "word_changes"),
    headline=comparison_headline,
    has_lead=True,
)


# The conditions of a gate.


def in_unit(value: float, unit: str) -> str:
    """Return a share in percent, or another figure with its unit.

    >>> in_unit(0.08, ""), in_unit(1.5, "s")
    ('8.00 %', '1.50 s')
    """
    return f"{formatting.number(value)} {unit}" if unit else f"{formatting.percent(value)} %"


def _value_in_unit(name: str, row: Row) -> str:
    return "undefined" if row[name] is None else in_unit(row[name], row.get("unit") or "")


def conditions_table(result: Result) -> Table:
    """Return what each condition demands, what was measured, and the outcome."""
    shown = rows(result, "conditions")
    in_units = any(row.get("unit") for row in shown)
    measured: tuple[Column, ...] = (
        percent("rate", "%", empty="undefined"),
        percent("limit", "limit %"),
    )
    if in_units:  # some are not in percent
        measured = tuple(
            composed(name, header, partial(_value_in_unit, name))
            for name, header in (("rate", "measured"), ("limit", "limit"))
        )
    return Table(
        "conditions",
        (
            text("kind", "condition"),
            text("metric"),
            text("slice", optional=True),
            text("outcome"),
            *measured,
            percent("baseline_rate", "baseline %", optional=True),
            signed("difference", "points", optional=True),
            number_span("low", "high") if in_units else span("low", "high"),
            probability("p_no_worse", "p, no worse", optional=True),
            probability("p_worse", "p, worse", optional=True),
            text("reason", optional=True),
        ),
        shown,
    )


GATE = Description(
    lambda result: [conditions_table(result)],
    main=("conditions",),
    data={"conditions": "conditions"},
    facts=("misword", "signatures", "passed", "line", "strict", *BOOTSTRAP_SETTINGS),
    headline=lambda result: str(result.provenance["line"]),
)
