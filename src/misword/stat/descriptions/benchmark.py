"""How benchmarks are shown: averages with ranks, the matrix, test sets, costs and history."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from misword.core import formatting
from misword.core.formatting import counted, is_number, listed, p_in_sentence
from misword.core.tables import (
    Row,
    Table,
    count,
    number,
    part,
    percent,
    probability,
    prose,
    side_by_side,
    signed,
    signed_span,
    span,
    text,
)
from misword.core.types import Description, Result
from misword.stat.bootstrap import BOOTSTRAP_SETTINGS
from misword.stat.descriptions.result_access import (
    interval,
    lead_metric,
    metrics,
    rows,
    titles,
    unique,
)

SETS_SHOWN, ROWS_SHOWN = 20, 20
NOT_RANKED = "–"
NAMED = 3


def average_of(result: Result) -> str:
    """Return the average that decides the ranks: macro or micro."""
    return str(result.provenance.get("average") or "macro")


def rank_text(row: Row) -> str:
    """Return a rank, with the last rank that the tests leave possible.

    >>> rank_text({"rank": 1, "last_rank": 3}), rank_text({"rank": 2, "last_rank": 2})
    ('1-3', '2')
    """
    first, last = row.get("rank"), row.get("last_rank")
    if first is None:
        return NOT_RANKED
    return f"{first}" if first == last else f"{first}-{last}"


def averages_table(result: Result) -> Table:
    """Return both averages of each system with intervals, and the ranks."""
    shown, heading = rows(result, "averages"), interval(result)
    several = len(unique(row["metric"] for row in shown)) > 1
    columns = [
        *([part("metric", titles(result))] if several else []),
        text("system"),
        text("rank", of=rank_text),
        percent("macro", "macro %", title="macro average, %"),
        span("macro_low", "macro_high", heading),
        percent("micro", "micro %", title="micro average, %"),
        span("micro_low", "micro_high", heading),
        count("wins", "sets won", title="test sets won or shared"),
        count("sets"),
        count("missing", of=lambda row: row.get("missing") or None, optional=True),
    ]
    return Table("averages", columns, shown, notes=_how(result) if shown else ())


def _how(result: Result) -> list[str]:
    """Return sentences on the averages, the tests and the ranks."""
    facts = result.provenance
    tests, total = facts.get("tests") or 0, len(facts.get("averaged", ()))
    rounded = facts.get("rounded")
    mean = "the mean of the rates of the test sets"
    if rounded is not None:
        mean += f", rounded to {rounded} decimals of a percent"
    return [
        f"Macro is {mean}, micro the rate of all their words; over {counted(total, 'test set')}.",
        f"Ranks are by the {average_of(result)} average: systems that no test tells apart share a "
        f"rank (paired permutation tests, corrected for {counted(tests, 'comparison')}, Holm).",
    ]


def cells_table(result: Result) -> Table:
    """Return the rate, interval and rank of each system on each set."""
    shown = rows(result, "cells")
    return Table(
        "cells",
        (
            part("metric", titles(result)),
            text("set"),
            text("system"),
            percent("rate", "%", title="rate, %", empty="missing"),
            span("low", "high", interval(result)),
            text("rank", of=rank_text),
            count("reference", "words", title="reference size"),
            count("utterances", "utts", title="utterances"),
        ),
        shown,
        title="Rates by test set and system",
        most=ROWS_SHOWN,
        each=("metric",),
        is_faint=lambda row: bool(row.get("missing")),
    )


def matrix_table(result: Result) -> Table:
    """Return the rates of the lead metric, a row for each set and a column for each system."""
    long = cells_table(result)
    lead = lead_metric(metrics(result))
    own = [row for row in long.rows if row["metric"] == lead]
    order = [row["system"] for row in rows(result, "averages") if row["metric"] == lead]
    placed = sorted(own, key=lambda row: order.index(row["system"]))
    of_lead = Table("matrix", (text("set", "test set"), percent("rate", "", empty="missing")),
                    sorted(placed, key=lambda row: _place(result, row["set"])))  # fmt: skip
    title = f"{titles(result)(lead)} by test set, %"
    wide = side_by_side(of_lead, "set", lambda row: str(row["system"]), "rate", title=title)
    return Table("matrix", wide.columns, wide.rows, title=title, most=SETS_SHOWN, long=long)


def _place(result: Result, name: str) -> int:
    names = [str(each) for each in result.provenance.get("sets", ())]
    return names.index(name) if name in names else len(names)


def sets_table(result: Result) -> Table:
    """Return who wins each set, against whom, and what the set adds to the final difference."""
    best = _best_two(result)
    against = f"{best[0]} minus {best[1]}" if len(best) == 2 else "best minus second"
    return Table(
        "sets",
        (
            part("metric", titles(result)),
            text("set", "test set"),
            text("winner"),
            count("ties", "share rank 1", of=lambda row: row.get("ties")),
            percent("rate", "%", title="its rate, %"),
            text("runner_up", "runner-up"),
            percent("runner_up_rate", "its %", title="rate of the runner-up, %"),
            probability("p", "p"),
            signed("adds", "adds", title=f"adds to {against}, points"),
            text("best_without", "best without it", optional=True,
                 of=lambda row: row["best_without"] if row.get("decides") else None),
            count("utterances", "utts", title="utterances"),
            count("reference", "words", title="reference size"),
        ),
        rows(result, "sets"),
        title=f"Test sets: winners (p corrected), and points of {against}",
        most=SETS_SHOWN,
        each=("metric",),
    )  # fmt: skip


def costs_table(result: Result) -> Table:
    """Return the cost and the rate of each system, and whether it is on the Pareto front."""
    return Table(
        "costs",
        (
            text("cost"),
            text("system"),
            number("value", digits=3),
            percent("rate", "%", title=f"{average_of(result)} average, %"),
            span("low", "high", interval(result)),
            text("front", "on front"),
            text("beaten_by", "beaten by", optional=True),
        ),
        rows(result, "costs"),
        title="Cost beside quality: `no` is beaten by a system that costs no more",
    )


def groups_table(result: Result) -> Table:
    """Return the rates by group of utterances, over all test sets."""
    by = [str(name) for name in result.provenance.get("by", ())]
    return Table(
        "groups",
        (
            part("metric", titles(result)),
            *(text(name) for name in by),
            text("system"),
            percent("rate", "%", title="rate, %"),
            count("reference", "words", title="reference size"),
            count("utterances", "utts", title="utterances"),
        ),
        rows(result, "groups"),
        title=f"Rates by {listed(by)}, over all test sets" if by else "",
        most=ROWS_SHOWN,
        each=("metric",),
    )


def entities_table(result: Result) -> Table:
    """Return the error rate and the recall of each class of words on each set."""
    return Table(
        "entities",
        (
            text("set", "test set"),
            text("source"),
            text("class"),
            text("system"),
            percent("rate", "%", title="error rate, %"),
            span("rate_low", "rate_high", interval(result)),
            percent("recall", "recall %", title="recall, %"),
            count("words"),
        ),
        rows(result, "entities"),
        title="Words that matter, by test set",
        most=ROWS_SHOWN,
    )


def run_text(row: Row) -> str:
    """Return how a run is named in a table: its version, its step, else its time."""
    if row.get("version"):
        return str(row["version"])
    return f"step {row['step']:g}" if is_number(row.get("step")) else str(row["time"])


def changes_table(result: Result) -> Table:
    """Return the changes of averages from run to run that pass the test."""
    return Table(
        "changes",
        (
            text("system"),
            text("run", "first run after", of=run_text),
            percent("before", "before %"),
            percent("after", "after %"),
            signed("relative", "change %", title="relative change, %"),
            probability("p", "p"),
            count("runs_to_find", "runs to find"),
        ),
        rows(result, "changes"),
        title="Changes in the history; p is corrected for looking after each run",
    )


def history_table(result: Result) -> Table:
    """Return the average of each system in each run."""
    return Table(
        "history",
        (
            text("system"),
            text("run", of=run_text),
            text("time"),
            percent("rate", "%", title=f"{average_of(result)} average, %"),
            span("low", "high", interval(result)),
        ),
        rows(result, "history"),
        title="History",
        is_detail=True,
        most=ROWS_SHOWN,
        each=("system",),
    )


def advice_table(result: Result) -> Table:
    """Return whether the last checkpoint is better than those before by more than chance."""
    return Table(
        "advice",
        (
            text("system"),
            text("advice"),
            text("last"),
            text("best"),
            count("since", "since gain", title="checkpoints since the last proven gain"),
            signed("gain", "gain", title="gain of the last, points"),
            signed_span("low", "high", interval(result)),
            probability("p", "p"),
        ),
        rows(result, "advice"),
        title="Is the last gain more than chance? (p corrected for a look at each checkpoint)",
    )


def gate_table(result: Result) -> Table:
    """Return each condition on the history, and its outcome."""
    return Table(
        "gate",
        (
            prose("slice", "condition"),
            text("outcome"),
            percent("rate", "%", title="rate, %"),
            percent("baseline_rate", "best %", title="rate of the best run, %"),
            signed("difference", "points"),
            signed_span("low", "high", interval(result)),
            probability("p_worse", "p, worse"),
            text("reason", optional=True),
        ),
        rows(result, "gate"),
        title="Not worse than the best of the last runs",
    )


def pairs_table(result: Result) -> Table:
    """Return the tests of all pairs of systems on the average."""
    return Table(
        "pairs",
        (
            part("metric", titles(result)),
            text("system"),
            text("other"),
            signed("difference", "points"),
            signed_span("low", "high", interval(result)),
            probability("p", "p, single"),
            probability("p_holm", "p"),
        ),
        [row for row in rows(result, "pairs") if row["set"] is None],
        title=f"Pairs of systems on the {average_of(result)} average, in points",
        is_detail=True,
        most=ROWS_SHOWN,
        each=("metric",),
        is_faint=lambda row: not (is_number(row["p_holm"]) and row["p_holm"] < SURE),
    )


SURE = 0.05


def benchmark_tables(result: Result) -> Iterator[Table]:
    """Yield the tables of a benchmark."""
    yield averages_table(result)
    yield matrix_table(result)
    yield sets_table(result)
    yield costs_table(result)
    yield groups_table(result)
    yield entities_table(result)
    yield gate_table(result)
    yield changes_table(result)
    yield advice_table(result)
    yield history_table(result)
    yield pairs_table(result)


def _best_two(result: Result) -> list[str]:
    """Return the two systems with the lowest averages of the lead metric."""
    return [row["system"] for row in ranked_rows(result)[:2]]


def ranked_rows(result: Result) -> list[Row]:
    """Return the rows of the lead metric with an average, the lowest first."""
    lead, average = lead_metric(metrics(result)), average_of(result)
    own = [row for row in rows(result, "averages") if row["metric"] == lead]
    return [row for row in own if is_number(row[average])]


def benchmark_headline(result: Result) -> str:
    """Return who is best, by how much, and whether the runner-up can be told apart."""
    ranked, average = ranked_rows(result), average_of(result)
    if not rows(result, "averages"):
        return ""
    if not ranked:
        return "No system has hypotheses for all test sets, so there is no average."
    name = titles(result)(lead_metric(metrics(result)))
    best = ranked[0]
    sentence = (
        f"{best['system']} has the lowest {average} average {name} of "
        f"{counted(len(ranked), 'system')}: {formatting.percent(best[average])} %"
    )
    return f"{sentence}{_tied(result, ranked)}.{_alarms(result)}"


def _tied(result: Result, ranked: Sequence[Row]) -> str:
    """Return whether the runner-up is told apart from the best, and who shares its rank."""
    if len(ranked) == 1:
        return ""
    best, second = (row["system"] for row in ranked[:2])
    lead = ranked[0]["metric"]
    tested = (
        row["p_holm"]
        for row in rows(result, "pairs")
        if row["set"] is None
        and row["metric"] == lead
        and {row["system"], row["other"]} == {best, second}
    )
    p = next(tested, None)
    shown = f" ({p_in_sentence(p)})" if is_number(p) else ""
    if is_number(p) and p < SURE:
        return f"; it is better than the runner-up, {second}{shown}"
    tied = [row["system"] for row in ranked if row["rank"] == 1 and row["system"] != best]
    names = listed(tied[:NAMED]) if len(tied) <= NAMED else f"{len(tied)} systems"
    return f"; no test tells it apart from {names or second}{shown}"


def _alarms(result: Result) -> str:
    """Return a sentence on the gate and the latest changes of the history."""
    failed = [row for row in rows(result, "gate") if row["outcome"] == "failed"]
    sentences = []
    if failed:
        names = [str(row["slice"]).partition(",")[0] for row in failed]
        sentences.append(f" Worse than the best of the last runs: {', '.join(names)}.")
    return "".join(sentences)


def benchmark_notes(result: Result) -> list[str]:
    """Return notes on missing cells."""
    missing = result.provenance.get("missing_cells") or 0
    if not missing:
        return []
    cells = counted(missing, "cell")
    return [f"{cells} of the matrix {'is' if missing == 1 else 'are'} missing."]


BENCHMARK = Description(
    benchmark_tables,
    main=("averages",),
    data={
        name: name
        for name in (
            *("averages", "cells", "sets", "pairs", "costs", "groups", "entities"),
            *("gate", "changes", "advice", "history"),
        )
    },
    facts=(
        *("misword", "signatures", "systems", "averaged", "average", "missing_cells"),
        *("tests", "correction", "rounded", "notes", *BOOTSTRAP_SETTINGS),
    ),
    details=("pairs", "history"),
    headline=benchmark_headline,
    notes=benchmark_notes,
    has_lead=True,
)
