"""How metrics go together."""

from __future__ import annotations

from collections.abc import Sequence

from misword.report.charts import Figure, Spec, amount, chart, hints, nominal
from misword.report.markup import Cell, words
from misword.report.markup import figure as cell
from misword.report.reading import Row, unique
from misword.report.wording import count, is_number, metric_name, number

COEFFICIENTS = ("pearson", "spearman", "kendall")
# Beyond these a colour is dark (cividis: below) or strong (both ends) enough for white letters.
DARK, STRONG = 0.5, 0.7


def heatmap(rows: Sequence[Row], labels: Sequence[str]) -> Figure | None:
    """Correlations between metrics: a triangle of numbers on coloured ground."""
    pairs = _pairs(rows, labels)
    if not pairs:
        return None
    negative = min(row["pearson"] for row in pairs) < 0
    values = [
        {
            "a": metric_name(row["a"]),
            "b": metric_name(row["b"]),
            "value": row["pearson"],
            "bright": abs(row["pearson"]) > STRONG if negative else row["pearson"] < DARK,
        }
        for row in pairs
    ]
    text = "; ".join(
        f"{metric_name(row['a'])} and {metric_name(row['b'])} {number(row['pearson'])}"
        for row in sorted(pairs, key=lambda row: -row["pearson"])
    )
    shown = [name for name in COEFFICIENTS if any(is_number(row.get(name)) for row in pairs)]
    return Figure(
        "heatmap",
        "Correlation between metrics",
        f"Pearson correlation over utterances, from most to least alike: {text}.",
        _heatmap_spec(values, negative),
        ["metric", "and", *(name.capitalize() for name in shown), "utterances"],
        [
            [
                words(metric_name(row["a"])),
                words(metric_name(row["b"])),
                *(correlation_cell(row, name) for name in shown),
                cell(row.get("utterances"), count(row.get("utterances"))),
            ]
            for row in pairs
        ],
    )


def correlation_cell(row: Row, name: str) -> Cell:
    """A coefficient with its interval."""
    low, high = row.get(f"{name}_low"), row.get(f"{name}_high")
    inside = f" ({number(low)} to {number(high)})" if is_number(low) and is_number(high) else ""
    return cell(row.get(name), number(row.get(name)) + inside)


def _heatmap_spec(values: Sequence[Spec], negative: bool) -> Spec:
    scheme = "blueorange" if negative else "cividis"
    return chart(
        values,
        width={"step": 64},
        height={"step": 34},
        encoding={
            "x": nominal("a", axis={"labelAngle": -40, "orient": "bottom", "labelLimit": 120}),
            "y": nominal("b", axis={"labelLimit": 190}),
        },
        layer=[
            {
                "mark": {"type": "rect"},
                "encoding": {
                    "color": amount(
                        "value",
                        scale={"scheme": scheme, "domain": [-1 if negative else 0, 1]},
                        legend={"title": "Pearson", "orient": "top", "gradientLength": 160},
                    ),
                    "tooltip": hints(a="metric", b="and", value="Pearson"),
                },
            },
            {
                "mark": {"type": "text", "fontSize": 12},
                "encoding": {
                    "text": amount("value", format=".2f"),
                    "color": {
                        "condition": {"test": "datum.bright", "value": "#ffffff"},
                        "value": "#000000",
                    },
                },
            },
        ],
    )


def _pairs(rows: Sequence[Row], labels: Sequence[str]) -> list[Row]:
    """Each pair of metrics once, the earlier metric as `a`, by the order of the labels."""
    place = {label: i for i, label in enumerate(labels)}
    for name in unique(name for row in rows for name in (row["a"], row["b"])):
        place.setdefault(name, len(place))
    found: dict[tuple[int, int], Row] = {}
    for row in rows:
        a, b = sorted((row["a"], row["b"]), key=lambda label: place[label])
        if a != b and is_number(row["pearson"]):
            found[place[b], place[a]] = {**row, "a": a, "b": b}
    return [found[key] for key in sorted(found)]
