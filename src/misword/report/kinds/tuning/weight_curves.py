"""The rate over each weight: on the lists that weights were tuned on, and held out."""

from __future__ import annotations

from collections.abc import Sequence

from misword.core.formatting import is_number, percent
from misword.core.types import Result
from misword.report.html.charts import (
    FREE_SCALE,
    LINE_PLOT_HEIGHT,
    Figure,
    Spec,
    chart,
    legend,
    nominal,
    quantitative,
    tooltip,
)
from misword.report.html.markup import Cell, number_cell
from misword.report.result_access import Row, rows, titles, unique

TUNED, HELD_OUT, RANK_1 = "tuned lists", "held out", "rank 1"


def curve_figures(result: Result) -> list[Figure]:
    """Return a plot for each weight that has a curve."""
    curves = rows(result, "curves")
    weights = {row["feature"]: row for row in rows(result, "weights")}
    features = unique(row["feature"] for row in curves)
    return [
        _figure(
            result,
            [row for row in curves if row["feature"] == feature and is_number(row["rate"])],
            weights.get(feature, {}),
            number,
        )
        for number, feature in enumerate(features, start=1)
    ]


def _figure(result: Result, curve: list[Row], weight: Row, number: int) -> Figure:
    feature = curve[0]["feature"]
    metric = titles(result)(str(result.provenance.get("tuned_by", "")))
    best = min(curve, key=lambda row: float(row["rate"]))
    text = (
        f"{metric} over the weight of {feature}, while the other weights stay: lowest at "
        f"{best['weight']:.4g} ({percent(best['rate'])} %) on the lists that the weights were "
        "tuned on; held out, each fold has the other weights that were tuned without it."
    )
    if is_number(weight.get("weight")):
        text += f" The tuned weight is {weight['weight']:.4g} (dashed line)."
    if is_number(weight.get("noise_low")) and is_number(weight.get("noise_high")):
        text += (
            f" In the shaded range, {weight['noise_low']:.4g} to {weight['noise_high']:.4g}, the "
            "rate is not significantly higher than at the tuned weight."
        )
    return Figure(
        f"weight-{number}",
        f"{metric} over the weight of {feature}",
        text,
        _spec(_points(result, curve), weight, f"weight of {feature}", f"{metric}, %"),
        ("weight", "tuned lists, %", "held out, %"),
        [_cells(row) for row in curve],
    )


def _points(result: Result, curve: Sequence[Row]) -> list[Spec]:
    """Return the points of the lines: tuned lists, held out, and the rate of rank 1."""
    first = [
        row["rate"] for row in rows(result, "rates")
        if row["choice"] == RANK_1 and row["metric"] == result.provenance.get("tuned_by")
        and row["data"] == "tuning" and is_number(row["rate"])
    ]  # fmt: skip
    points = []
    for row in curve:
        lines = {TUNED: row["rate"], HELD_OUT: row["held_out"], RANK_1: first[0] if first else None}
        points += [
            {"series": name, "x": row["weight"], "y": 100 * rate, "shown": f"{percent(rate)} %"}
            for name, rate in lines.items()
            if is_number(rate)
        ]
    return points


def _spec(points: list[Spec], weight: Row, x: str, y: str) -> Spec:
    series = unique(point["series"] for point in points)
    scale = {"nice": False, **FREE_SCALE}
    across = {"x": quantitative("x", title=x, scale=scale)}
    names = nominal("series", scale={"domain": series}, legend=legend(series))
    line = {
        "mark": {"type": "line", "strokeWidth": 1.8, "interpolate": "step-after"},
        "encoding": {
            **across,
            "y": quantitative("y", title=y, scale=FREE_SCALE),
            "color": names,
            "strokeDash": names,
            "tooltip": tooltip(series="", x="weight", shown="rate"),
        },
    }
    return chart(points, height=LINE_PLOT_HEIGHT, layer=[*_marks(points, weight, across), line])


def _marks(points: Sequence[Spec], weight: Row, across: Spec) -> list[Spec]:
    """Return the shaded range of weights within noise, and the line at the tuned weight."""
    layers: list[Spec] = []
    least, most = (f(point["x"] for point in points) for f in (min, max))
    low, high = (
        end if is_number(end) else bound
        for end, bound in ((weight.get("noise_low"), least), (weight.get("noise_high"), most))
    )
    if low < high and (is_number(weight.get("noise_low")) or is_number(weight.get("noise_high"))):
        band = {"x": max(low, least), "end": min(high, most)}
        layers.append({
            "data": {"values": [band]},
            "mark": {"type": "rect", "opacity": 0.12},
            "encoding": {**across, "x2": {"field": "end"}},
        })  # fmt: skip
    if is_number(weight.get("weight")):
        layers.append({
            "data": {"values": [{"x": weight["weight"]}]},
            "mark": {"type": "rule", "strokeDash": [3, 3], "style": "zero"},
            "encoding": across,
        })  # fmt: skip
    return layers


def _cells(row: Row) -> list[Cell]:
    return [
        number_cell(row["weight"], f"{row['weight']:.4g}"),
        *(number_cell(row[name], percent(row[name])) for name in ("rate", "held_out")),
    ]
