"""Correlations between metrics, as a triangle of coloured cells."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor

from misword.core.formatting import is_number, number
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.charts import Figure, Spec, chart, nominal, quantitative, tooltip
from misword.report.markup import Markup
from misword.report.tables import page_cells
from misword.stat.descriptions.people import coefficients_table
from misword.stat.descriptions.result_access import Row, metrics, titles, unique

# Dark cells have white letters: in the colour scale `cividis` those in the lower part DARK of the
# scale, in the scale `blueorange` those nearer than the part STRONG to one of its ends.
DARK, STRONG = 0.5, 0.15

# Correlations are rounded, so that 0.7 may be stored as 0.69999999.
ROUNDING = 1e-6


def heatmap(result: Result, correlations: Sequence[Row]) -> Figure | None:
    """Return the chart of correlations between metrics, each pair of metrics once."""
    pairs, title = _distinct_pairs(correlations, metrics(result)), titles(result)
    if not pairs:
        return None
    domain = color_domain([row["pearson"] for row in pairs])
    values = [
        {
            "a": title(row["a"]),
            "b": title(row["b"]),
            "value": row["pearson"],
            "bright": _is_dark(row["pearson"], *domain),
        }
        for row in pairs
    ]
    text = "; ".join(
        f"{title(row['a'])} and {title(row['b'])} {number(row['pearson'], 3)}"
        for row in sorted(pairs, key=lambda row: -row["pearson"])
    )
    return Figure(
        "heatmap",
        "Correlation between metrics",
        f"Pearson correlation over utterances, from most to least alike: {text}.",
        _spec(values, domain),
        *page_cells(None, coefficients_table(result, pairs)),
    )


def color_domain(values: Sequence[float]) -> tuple[float, float]:
    """Return the ends of the colour scale: the range of the values, in steps of a tenth.

    If a value is negative, the scale is symmetric, with no correlation in its middle.

    >>> color_domain([0.72, 0.9]), color_domain([0.83]), color_domain([-0.32, 0.1])
    ((0.7, 0.9), (0.8, 0.9), (-0.4, 0.4))
    """
    low, high = floor(10 * min(values) + ROUNDING), ceil(10 * max(values) - ROUNDING)
    if min(values) < 0:
        high = max(high, -floor(10 * min(values) + ROUNDING))
        low = -high
    return low / 10, max(high, low + 1) / 10


def _is_dark(value: float, low: float, high: float) -> bool:
    """Return whether the colour of a value is so dark that letters on it are white."""
    place = (value - low) / (high - low)
    return min(place, 1 - place) < STRONG if low < 0 else place < DARK


def _from_utterances(article: Article) -> Markup:
    if article.rates is None:
        return Markup()
    return article.figure(heatmap(article.result, article.rates.correlations()))


METRIC_CORRELATIONS = Section(
    "together", "Metrics", "Do the metrics say the same?", _from_utterances
)


def _spec(values: Sequence[Spec], domain: tuple[float, float]) -> Spec:
    scheme = "blueorange" if domain[0] < 0 else "cividis"
    color = quantitative(
        "value",
        scale={"scheme": scheme, "domain": list(domain)},
        legend={"title": "Pearson", "orient": "top", "gradientLength": 160},
    )
    letters = {"condition": {"test": "datum.bright", "value": "#ffffff"}, "value": "#000000"}
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
                    "color": color,
                    "tooltip": tooltip(a="metric", b="and", value="Pearson"),
                },
            },
            {
                "mark": {"type": "text", "fontSize": 12},
                "encoding": {"text": quantitative("value", format=".2f"), "color": letters},
            },
        ],
    )


def _distinct_pairs(correlations: Sequence[Row], labels: Sequence[str]) -> list[Row]:
    """Return each pair of metrics once, in the order of the labels, the earlier metric as `a`."""
    order = {label: i for i, label in enumerate(labels)}
    for name in unique(name for row in correlations for name in (row["a"], row["b"])):
        order.setdefault(name, len(order))
    pairs: dict[tuple[int, int], Row] = {}
    for row in correlations:
        a, b = sorted((row["a"], row["b"]), key=lambda label: order[label])
        if a != b and is_number(row["pearson"]):
            pairs[order[b], order[a]] = {**row, "a": a, "b": b}
    return [pairs[key] for key in sorted(pairs)]
