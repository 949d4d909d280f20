"""The tables of a benchmark: averages, cells, test sets, costs, groups."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isnan
from typing import Any

from misword.asr.benchmark.cells import BenchCell, totals_of
from misword.core.errors import InputError, OptionError
from misword.core.formatting import is_number
from misword.core.lazy import pl
from misword.stat.benchmarks.matrix import MACRO, Averages, Interval, SetRows, macro_average
from misword.stat.benchmarks.ranks import Rank, ranks, told_apart

Row = dict[str, Any]
ByLabel = Mapping[str, Averages]
RowsByLabel = Mapping[str, Sequence[SetRows]]


def _frame(rows: Iterable[Row], schema: Mapping[str, Any]) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=dict(schema), orient="row").fill_nan(None)


def averages_table(
    found: ByLabel, rows: RowsByLabel, pairs: pl.DataFrame, sets: Sequence[str], average: str
) -> pl.DataFrame:
    """Return a row for each metric and system: both averages, the rank, sets won and missing."""
    made = []
    for label, own in found.items():
        tested = pairs.filter(pl.col("set").is_null(), metric=label)
        placed = ranks(tested, own.macro)
        wins = _wins(label, rows[label], pairs)
        lines = []
        for system in own.systems:
            line: Row = {"metric": label, "system": system}
            for kind, averaged in (("macro", own.macro), ("micro", own.micro)):
                value = averaged.get(system)
                line |= _ends(kind, value)
            rank = placed.get(system)
            line |= {"rank": rank and rank.first, "last_rank": rank and rank.last}
            cells = sum((name, system) in own.cells for name in sets)
            line |= {"sets": cells, "missing": len(sets) - cells, "wins": wins.get(system, 0)}
            lines.append(line)
        made += sorted(lines, key=lambda line: _last(line[average]))
    numbers = [f"{kind}{end}" for kind in ("macro", "micro") for end in ("", "_low", "_high")]
    counts = ("rank", "last_rank", "sets", "missing", "wins")
    return _frame(made, {"metric": pl.String, "system": pl.String,
                         **dict.fromkeys(numbers, pl.Float64),
                         **dict.fromkeys(counts, pl.Int64)})  # fmt: skip


def _ends(name: str, value: Interval | None) -> Row:
    """Return a value and its interval as columns; null where there is none."""
    if value is None:
        return {name: None, f"{name}_low": None, f"{name}_high": None}
    return {name: value.value, f"{name}_low": value.low, f"{name}_high": value.high}


def _last(value: Any) -> float:
    """Return a number by which missing values are sorted last."""
    return value if is_number(value) else float("inf")


def _wins(label: str, sets: Sequence[SetRows], pairs: pl.DataFrame) -> dict[str, int]:
    """Return on how many sets each system shares the first rank."""
    wins: dict[str, int] = {}
    for own in sets:
        tested = pairs.filter(metric=label, set=own.name)
        for name, rank in ranks(tested, _present(own)).items():
            wins[name] = wins.get(name, 0) + (rank.first == 1)
    return wins


def _present(own: SetRows) -> list[str]:
    return [name for name in own.systems if own.place(name) is not None]


CELLS: dict[str, Any] = {
    "metric": pl.String, "set": pl.String, "system": pl.String,
    "rate": pl.Float64, "low": pl.Float64, "high": pl.Float64,
    "rank": pl.Int64, "last_rank": pl.Int64,
    "reference": pl.Float64, "utterances": pl.Int64, "missing": pl.Boolean,
}  # fmt: skip


def cells_table(
    found: ByLabel,
    rows: RowsByLabel,
    pairs: pl.DataFrame,
    cells: Iterable[BenchCell],
    sets: Sequence[str],
) -> pl.DataFrame:
    """Return a row for each metric, set and system; missing cells have no rate."""
    sizes = {(c.column.label, c.set, c.system): c for c in cells}
    by_set = pairs.partition_by("metric", "set", as_dict=True)
    made = []
    for label, own in found.items():
        present = {each.name: each for each in rows[label]}
        for name in sets:
            placed: dict[str, Rank] = {}
            if name in present:
                tested = by_set.get((label, name), pairs.clear())
                placed = ranks(tested, _present(present[name]))
            for system in own.systems:
                line: Row = {"metric": label, "set": name, "system": system}
                value = own.cells.get((name, system))
                cell = sizes.get((label, name, system))
                line["missing"] = value is None
                if cell is not None:
                    line |= {
                        "reference": float(cell.column.measure.reference(cell.totals)),
                        "utterances": cell.utterances,
                    }
                if value is not None:
                    rank = placed[system]
                    line |= {"rate": value.value, "low": value.low, "high": value.high}
                    line |= {"rank": rank.first, "last_rank": rank.last}
                made.append(line)
    return _frame(made, CELLS)


SETS: dict[str, Any] = {
    "metric": pl.String, "set": pl.String, "winner": pl.String, "ties": pl.Int64,
    "rate": pl.Float64, "runner_up": pl.String, "runner_up_rate": pl.Float64, "p": pl.Float64,
    "adds": pl.Float64, "share": pl.Float64, "best_without": pl.String, "decides": pl.Boolean,
    "utterances": pl.Int64, "reference": pl.Float64, "systems": pl.Int64, "signature": pl.String,
}  # fmt: skip


def sets_table(
    found: ByLabel,
    rows: RowsByLabel,
    pairs: pl.DataFrame,
    cells: Iterable[BenchCell],
    average: str,
) -> pl.DataFrame:
    """Return a row for each metric and set: who wins it, and what it decides.

    `adds` is what the set adds to the difference of the two best averages, `best_without` the
    system with the lowest average without this set; the set `decides` if that is another one.
    """
    sizes: dict[tuple[str, str], BenchCell] = {}
    for cell in cells:
        sizes.setdefault((cell.column.label, cell.set), cell)
    made = []
    for label, own in found.items():
        of_systems = own.macro if average == MACRO else own.micro
        best_two = sorted(of_systems, key=lambda name: of_systems[name].value)[:2]
        chosen = [each for each in rows[label] if each.name in own.sets]
        for each in rows[label]:
            cell = sizes[label, each.name]
            line: Row = {"metric": label, "set": each.name, "utterances": cell.utterances,
                         "reference": float(cell.column.measure.reference(cell.totals)),
                         "systems": len(_present(each)),
                         "signature": str(each.column.signature)}  # fmt: skip
            line |= _winner(each, pairs.filter(metric=label, set=each.name))
            if len(best_two) == 2 and each.name in own.sets:
                line |= _decision(each, chosen, best_two, list(of_systems), average)
            made.append(line)
    return _frame(made, SETS)


def _winner(own: SetRows, tested: pl.DataFrame) -> Row:
    """Return the system with the lowest rate on a set, how many share its rank, the runner-up."""
    present = _present(own)
    ordered = sorted(present, key=lambda name: own.rates[own.systems.index(name)])
    if not ordered:
        return {}
    rates = [float(own.rates[own.systems.index(name)]) for name in ordered]
    beaten = {loser for winner, loser in told_apart(tested) if winner == ordered[0]}
    line: Row = {"winner": ordered[0], "rate": rates[0], "ties": len(present) - len(beaten)}
    if len(ordered) > 1:
        pair = tested.filter(
            pl.col("system").is_in(ordered[:2]) & pl.col("other").is_in(ordered[:2])
        )
        line |= {"runner_up": ordered[1], "runner_up_rate": rates[1], "p": pair["p_holm"][0]}
    return line


def _decision(
    own: SetRows,
    sets: Sequence[SetRows],
    best_two: Sequence[str],
    systems: Sequence[str],
    average: str,
) -> Row:
    """Return what a set adds to the difference of the best two, and who is best without it."""

    def averaged(chosen: Sequence[SetRows]) -> Callable[[str], float]:
        def of(name: str) -> float:
            if average == MACRO:
                return macro_average([float(e.rates[e.systems.index(name)]) for e in chosen])
            return float(e_rate(sum(e.sums()[e.systems.index(name)] for e in chosen)))

        return of

    e_rate = own.column.measure.rate
    rest = [each for each in sets if each is not own]
    whole, without = averaged(sets), averaged(rest)
    best, second = best_two
    total = whole(best) - whole(second)
    if average == MACRO:
        places = [own.systems.index(name) for name in best_two]
        adds = float(own.rates[places[0]] - own.rates[places[1]]) / len(sets)
    else:
        adds = total - (without(best) - without(second)) if rest else total
    line: Row = {"adds": adds, "share": adds / total if total else None, "decides": False}
    if rest:
        line["best_without"] = min(systems, key=without)
        line["decides"] = line["best_without"] != best
    return line


# Costs of systems beside their rates.

COSTS: dict[str, Any] = {
    "metric": pl.String, "cost": pl.String, "system": pl.String,
    "value": pl.Float64, "value_low": pl.Float64, "value_high": pl.Float64,
    "rate": pl.Float64, "low": pl.Float64, "high": pl.Float64,
    "front": pl.String, "beaten_by": pl.String,
}  # fmt: skip
ENDS = ("_low", "_high")


def costs_table(
    costs: Any, averages: pl.DataFrame, pairs: pl.DataFrame, label: str, average: str
) -> pl.DataFrame:
    """Return a row for each cost and system, and whether a system is on the Pareto front.

    A system is on the front (`yes`) if each other system costs more or has a higher rate; `no` if
    a system that costs no more is better by the test, `unclear` if such a system has a lower rate
    that the test does not tell apart.
    """
    by_system = read_costs(costs)
    rates = {row["system"]: row for row in averages.filter(metric=label).iter_rows(named=True)}
    sure = set(told_apart(pairs.filter(pl.col("set").is_null(), metric=label)))
    names = list(dict.fromkeys(n for own in by_system.values() for n in own if not _is_end(n)))
    if missing := sorted(set(by_system) - set(rates)):
        known = ", ".join(rates)
        raise OptionError(f"costs of {missing[0]!r}, which is no system", fix=f"systems: {known}")
    made = []
    for name in names:
        known_costs = {
            system: own[name] for system, own in by_system.items() if is_number(own.get(name))
        }
        placed = [s for s in known_costs if is_number(rates[s][average])]
        for system in placed:
            cheaper = [s for s in placed if s != system and known_costs[s] <= known_costs[system]
                       and rates[s][average] < rates[system][average]]  # fmt: skip
            beaten = [other for other in cheaper if (other, system) in sure]
            own, row = by_system[system], rates[system]
            made.append(
                {
                    "metric": label,
                    "cost": name,
                    "system": system,
                    "value": float(own[name]),
                    "value_low": own.get(f"{name}_low"),
                    "value_high": own.get(f"{name}_high"),
                    "rate": row[average],
                    "low": row[f"{average}_low"],
                    "high": row[f"{average}_high"],
                    "front": "no" if beaten else "unclear" if cheaper else "yes",
                    "beaten_by": ", ".join(beaten or cheaper) or None,
                }
            )
    return _frame(made, COSTS)


def _is_end(name: str) -> bool:
    return name.endswith(ENDS)


def read_costs(costs: Any) -> dict[str, dict[str, float]]:
    """Return the numbers of each system, from a file or a mapping."""
    if isinstance(costs, Mapping):
        found = {str(system): dict(own) for system, own in costs.items()}
        where = "costs"
    elif isinstance(costs, str | os.PathLike):
        from misword.io.transcripts.metadata import read_metadata

        frame = read_metadata(costs, "system").frame
        where = str(costs)
        if "utt" not in frame.columns:
            raise InputError("there is no column 'system'", where=where, fix="add one")
        found = {str(row["utt"]): {n: v for n, v in row.items() if n not in ("utt", "line")}
                 for row in frame.iter_rows(named=True)}  # fmt: skip
    else:
        raise OptionError("costs are a file or a mapping from systems", fix="name a table")
    return {
        system: {
            name: number
            for name, value in own.items()
            if (number := _number(value, system, name, where)) is not None
        }
        for system, own in found.items()
    }


def _number(value: Any, system: str, name: str, where: str) -> float | None:
    """Return a cost as a number; None if it is empty. Raises if it is text or not finite."""
    if value is None or value == "":
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if isnan(number) or abs(number) == float("inf"):
        raise InputError(
            f"{name} of {system!r} is {value!r}, which is no number",
            where=where,
            fix="write a number, or leave it empty",
        )
    return number


# Rates by the values of metadata, over all sets together.


def groups_table(cells: Iterable[BenchCell], by: Sequence[str]) -> pl.DataFrame:
    """Return a row for each metric, system and group of utterances of all sets together."""
    sums: dict[tuple[str, str, tuple[str | None, ...]], list[Any]] = {}
    for cell in cells:
        for group in cell.groups:
            values = json.loads(group.key)
            if not set(by) <= values.keys():
                raise OptionError(
                    f"the run has no groups by {', '.join(by)}",
                    fix=f"columns of its groups: {', '.join(values) or 'none'}",
                )
            key = cell.column.label, cell.system, tuple(values[name] for name in by)
            entry = sums.setdefault(key, [cell.column, 0, 0])
            entry[1] = entry[1] + totals_of(group.statistics)
            entry[2] += group.utterances
    made = []
    for (label, system, values), (column, totals, utterances) in sums.items():
        made.append(
            {"metric": label, "system": system, **dict(zip(by, values, strict=True)),
             "rate": float(column.rates(totals)),
             "reference": float(column.measure.reference(totals)), "utterances": utterances}
        )  # fmt: skip
    schema = {"metric": pl.String, "system": pl.String, **dict.fromkeys(by, pl.String),
              "rate": pl.Float64, "reference": pl.Float64, "utterances": pl.Int64}  # fmt: skip
    return _frame(made, schema).sort("metric", *by, "system", nulls_last=True)
