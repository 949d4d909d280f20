"""Whether metrics choose as people do."""

from __future__ import annotations

from collections.abc import Sequence

from misword.core.types import Result
from misword.report.charts import Figure, Spec, hints, intervals
from misword.report.markup import Cell, Markup, data_table, words
from misword.report.markup import figure as cell
from misword.report.reading import Row, metrics, rows, unique
from misword.report.wording import count, is_number, metric_name, percent, span

TRIPLETS_SHOWN = 20


def agreement(found: Sequence[Row], confidence: str) -> Figure | None:
    """How often each metric prefers what people prefer, by how sure people were."""
    shown = [row for row in found if is_number(row["agreed"])]
    if not shown:
        return None
    values = [_point(row) for row in shown]
    told = hints(row="metric", series="people", shown="agreed", interval="interval, %")
    series = unique(value["series"] for value in values)
    spec = intervals(values, series, title="triplets agreed, %", line=50, tooltip=told)
    text = "; ".join(
        f"{metric_name(row['metric'])} {percent(row['agreed'], 1)} % (consensus {row['consensus']})"
        for row in shown
    )
    return Figure(
        "agreement",
        f"Agreement with people, {confidence} intervals",
        f"Share of triplets in which the metric prefers what most people chose, ties counted as "
        f"wrong: {text}. The dashed line is what a coin would get.",
        spec,
        [
            "metric",
            "consensus",
            "triplets",
            "agreed, %",
            "from",
            "to",
            "with half for ties, %",
            "ties, %",
        ],
        [_cells(row) for row in shown],
    )


def disagreements(result: Result) -> Markup:
    """Triplets on which metrics go against people, those with most such metrics first."""
    labels = [f"{label}.a" for label in metrics(result)]
    found = []
    for row in rows(result, "triplets"):
        if row["votes_a"] == row["votes_b"]:
            continue
        sign = 1 if row["votes_a"] > row["votes_b"] else -1
        pairs = [(row.get(name), row.get(f"{name[:-2]}.b")) for name in labels]
        against = [is_number(a) and is_number(b) and sign * (a - b) > 0 for a, b in pairs]
        found.append((sum(against), abs(row["votes_a"] - row["votes_b"]), row))
    found.sort(key=lambda item: item[:2], reverse=True)
    found = [item for item in found if item[0]][:TRIPLETS_SHOWN]
    if not found:
        return Markup()
    body = [
        [
            words(row["reference"]),
            words(row["a"]),
            cell(row["votes_a"], count(row["votes_a"])),
            words(row["b"]),
            cell(row["votes_b"], count(row["votes_b"])),
            cell(against, f"{against} of {len(labels)}"),
        ]
        for against, _, row in found
    ]
    header = ["reference", "a", "votes", "b", "votes", "metrics against the majority"]
    return data_table(header, body, label="triplets", tall=True)


def _point(row: Row) -> Spec:
    return {
        "row": metric_name(row["metric"]),
        "series": f"consensus {row['consensus']}",
        "x": 100 * row["agreed"],
        "low": 100 * _or(row["low"], row["agreed"]),
        "high": 100 * _or(row["high"], row["agreed"]),
        "shown": f"{percent(row['agreed'], 1)} %",
        "interval": span(row["low"], row["high"], 1),
    }


def _cells(row: Row) -> list[Cell]:
    shares = ("agreed", "low", "high", "half", "ties")
    return [
        words(metric_name(row["metric"])),
        words(row["consensus"]),
        cell(row["triplets"], count(row["triplets"])),
        *(cell(row[name], percent(row[name], 1)) for name in shares),
    ]


def _or(value: float | None, otherwise: float) -> float:
    return value if is_number(value) else otherwise
