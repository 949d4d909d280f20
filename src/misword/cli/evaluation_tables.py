"""The tables that `misword evaluate` prints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from misword.bli.evaluation.rates import RATE_KINDS, percent_of
from misword.bli.evaluation.result import Evaluation
from misword.cli.output import Table, p_value, percent, span

Row = Mapping[str, Any]
COVERAGE = {
    "headwords": "headwords",
    "source_known": "with a vector",
    "answerable": "answerable",
    "pairs": "pairs",
    "pairs_known": "both words known",
    "targets": "translations",
    "target_known": "with a vector",
}


def rates(evaluation: Evaluation, column: str | None, truncate: bool) -> Table:
    """Return a row for each system, slice and number of candidates, with the three rates.

    For a slice, it also has the numbers of headwords in the hit rate and of pairs.
    """
    rows = [row for row in evaluation.rates.to_dicts() if row["column"] == column]
    if column is None:
        return _rate_table(evaluation, rows, {"system": "system"}, truncate)
    return _rate_table(
        evaluation, rows, {"system": "system", "value": column}, truncate, sizes=True
    )


def rates_by_lexicon(evaluation: Evaluation, truncate: bool) -> Table:
    """Return the rates of each system on each gold lexicon."""
    rows = evaluation.gold_sets().to_dicts()
    names = {"gold": "gold", "system": "system"}
    return _rate_table(evaluation, rows, names, truncate, sizes=True)


def _rate_table(
    evaluation: Evaluation,
    rows: Iterable[Row],
    names: Mapping[str, str],
    truncate: bool,
    *,
    sizes: bool = False,
) -> Table:
    """Return a row for each name and number of candidates; `names` are columns and headings."""
    intervals = [_interval_header(evaluation)] if evaluation.settings.bootstrap.times else []
    header = [*names.values(), "k", *(["headwords", "pairs"] if sizes else [])]
    for kind in RATE_KINDS:
        header += [f"{kind} %", *intervals]
    numbers: dict[tuple[Any, ...], dict[str, str]] = {}
    cells: dict[tuple[Any, ...], list[str]] = {}
    for row in rows:
        key = (*(row[name] for name in names), row["k"])
        if row["kind"] == "hit":
            numbers.setdefault(key, {})["headwords"] = f"{row['whole']:,}"
        if row["kind"] == "recall":
            numbers.setdefault(key, {})["pairs"] = f"{row['whole']:,}"
        line = cells.setdefault(key, [])
        line.append(percent_of(row["part"], row["whole"], truncate=truncate))
        if intervals:
            line.append(span(row["low"], row["high"]))
    body = [
        [*map(str, key), *(numbers[key].values() if sizes else ()), *line]
        for key, line in cells.items()
    ]
    return Table(header, body, left=len(names))


def coverage(evaluation: Evaluation) -> Table:
    """Return how much of the lexicon each system knows."""
    body = [
        [row["mapping"], *("" if row[name] is None else f"{row[name]:,}" for name in COVERAGE)]
        for row in evaluation.coverage.to_dicts()
    ]
    return Table(["mapping", *COVERAGE.values()], body)


def differences(evaluation: Evaluation) -> Table:
    """Return the differences of the systems to the first, over the whole lexicon."""
    rows = evaluation.differences.to_dicts()
    return Table(_difference_header(evaluation), [_difference(row) for row in rows], left=2)


def slice_differences(evaluation: Evaluation, column: str) -> Table:
    """Return the differences of the systems to the first on each slice of a column."""
    rows = [row for row in evaluation.slice_differences.to_dicts() if row["column"] == column]
    header = [column, *_difference_header(evaluation)]
    return Table(header, [[row["value"], *_difference(row)] for row in rows], left=3)


def _difference_header(evaluation: Evaluation) -> list[str]:
    return [
        "rate", "system", f"{evaluation.systems[0]} %", "%", "difference",
        _interval_header(evaluation), "p", "headwords", "better", "worse",
    ]  # fmt: skip


def _difference(row: Row) -> list[str]:
    return [
        row["metric"],
        row["system"],
        percent(row["baseline_rate"]),
        percent(row["rate"]),
        percent(row["difference"], signed=True),
        span(row["low"], row["high"], signed=True),
        p_value(row["p_holm"]),
        *(f"{row[name]:,}" for name in ("headwords", "better", "worse")),
    ]


def footnote(evaluation: Evaluation) -> str:
    """Return the sentence that explains the numbers of the comparison."""
    difference = "Difference in points, positive is better"
    times, rows = evaluation.settings.bootstrap.times, len(evaluation.differences)
    if times:
        difference += f"; intervals by paired bootstrap of headwords, {times:,} times"
    slices = len(evaluation.slice_differences)
    on_slices = f", those on slices for {slices}" if slices else ""
    return (
        f"{difference}. p by paired permutation test, corrected for {rows} comparisons"
        f"{on_slices} (Holm)."
    )


def _interval_header(evaluation: Evaluation) -> str:
    return f"{100 * evaluation.settings.bootstrap.confidence:g} % interval"
