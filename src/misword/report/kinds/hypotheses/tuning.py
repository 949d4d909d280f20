"""Pages of tuned weights, and of the choice of one of several systems."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from misword.core.formatting import count, is_number, percent
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.charts import (
    FREE_SCALE,
    LINE_PLOT_HEIGHT,
    Figure,
    Spec,
    chart,
    interval_plot,
    legend,
    nominal,
    quantitative,
    rate_point,
    tooltip,
)
from misword.report.kinds import Kind
from misword.report.kinds.hypotheses.nbest import TEXTS_SHOWN, TRANSLATED_CHOICES
from misword.report.markup import (
    Cell,
    Markup,
    joined,
    number_cell,
    paragraph,
    without_direction_marks,
)
from misword.report.tables import page_cells, page_table
from misword.stat.descriptions.hypotheses import (
    folds_table,
    judged_systems_table,
    system_choices_table,
    system_rates_table,
    tuned_texts_table,
    tuning_rates_table,
    weights_table,
)
from misword.stat.descriptions.result_access import Row, confidence, rows, titles, unique

# The rate over each weight: on the lists that weights were tuned on, and held out.

TUNED, HELD_OUT, RANK_1 = "tuned lists", "held out", "rank 1"


def curve_figures(result: Result) -> list[Figure]:
    """Return a plot for each weight that has a curve."""
    curves = rows(result, "curves")
    weights = {row["feature"]: row for row in rows(result, "weights")}
    features = unique(row["feature"] for row in curves)
    return [
        _curve_figure(
            result,
            [row for row in curves if row["feature"] == feature and is_number(row["rate"])],
            weights.get(feature, {}),
            number,
        )
        for number, feature in enumerate(features, start=1)
    ]


def _curve_figure(result: Result, curve: list[Row], weight: Row, number: int) -> Figure:
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
        _curve_spec(_curve_points(result, curve), weight, f"weight of {feature}", f"{metric}, %"),
        ("weight", "tuned lists, %", "held out, %"),
        [_curve_cells(row) for row in curve],
    )


def _curve_points(result: Result, curve: Sequence[Row]) -> list[Spec]:
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


def _curve_spec(points: list[Spec], weight: Row, x: str, y: str) -> Spec:
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


def _curve_cells(row: Row) -> list[Cell]:
    return [
        number_cell(row["weight"], f"{row['weight']:.4g}"),
        *(number_cell(row[name], percent(row[name])) for name in ("rate", "held_out")),
    ]


def _introduction(result: Result) -> Markup:
    """Return the formula of the score, and the notes of the run."""
    terms = " + ".join(f"{row['weight']:.6g} × {row['feature']}" for row in rows(result, "weights"))
    if not terms:
        return Markup()
    lists, folds = result.provenance.get("lists", 0), result.provenance.get("folds", 0)
    text = f"The score of a hypothesis is {terms}. Tuned on {count(lists)} lists"
    text += f", in {count(folds)} folds." if folds else "."
    notes = result.provenance.get("notes")
    shown = [str(note) for note in notes] if isinstance(notes, list) else []
    parts = [paragraph(without_direction_marks(text), "introduction")]
    return joined([*parts, *(paragraph(without_direction_marks(note), "note") for note in shown)])


def _weights(article: Article) -> Markup:
    """Return the weights, and how far each may move."""
    weights = page_table(article, weights_table(article.result), "weights")
    return joined([weights, *_stability(article.result)]) if weights else Markup()


def _stability(result: Result) -> Iterable[Markup]:
    for row in rows(result, "stability"):
        text = (
            f"The weights were tuned again on {count(row['resamples'])} resamples of the lists. "
            f"{count(row['others'])} of these choose otherwise: on average from "
            f"{percent(row['changed'])} % of the lists, with a rate that is "
            f"{percent(row['loss'])} points higher on the data."
        )
        yield paragraph(text, "note")


def _folds(article: Article) -> Markup:
    """Return the rates of each fold, and the weights that were tuned without it."""
    return page_table(article, folds_table(article.result), "folds")


def _texts(article: Article) -> Markup:
    """Return texts of unseen lists whose choice is not rank 1."""
    texts = tuned_texts_table(article.result)
    return page_table(article, replace(texts, rows=texts.rows[:TEXTS_SHOWN]), "texts")


WEIGHTS = Section("weights", "Weights", "Weights, and how far each may move", _weights)
FOLDS = Section("folds", "Folds", "Each fold, with weights that were tuned on the others", _folds)
TEXTS = Section("texts", "Texts", "Chosen texts that are not of rank 1", _texts)


@dataclass(frozen=True)
class TuningPage(Kind):
    """Weights of N-best lists: what they are worth, and how far each may move."""

    name = "tuning"
    cites = ("och2003",)
    sections: ClassVar[tuple[Section, ...]] = (WEIGHTS, FOLDS, TRANSLATED_CHOICES, TEXTS)

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return the score's formula, the table of choices and the curves of the weights."""
        result = article.result
        return (
            _introduction(result),
            page_table(article, tuning_rates_table(result), "choices"),
            article.figures(curve_figures(result)),
        )

    def citations(self, result: Result) -> Iterable[str]:
        """Return the papers on line search, intervals and tests."""
        return (*self.cites, "bisani2004", "noreen1989") if rows(result, "rates") else ()


# How the choice of one of several systems is shown: rates, and how certain the choice is.


def rate_figures(result: Result) -> list[Figure]:
    """Return the rates of all systems by each metric."""
    shown = [row for row in rows(result, "rates") if is_number(row["rate"])]
    metrics = unique(row["metric"] for row in shown)
    return [
        _system_figure(result, [row for row in shown if row["metric"] == metric], number)
        for number, metric in enumerate(metrics, start=1)
    ]


def _system_figure(result: Result, shown: Sequence[Row], number: int) -> Figure:
    metric = titles(result)(shown[0]["metric"])
    text = "; ".join(f"{row['system']} {percent(row['rate'])} %" for row in shown)
    points = [
        rate_point(row["system"], metric, row["rate"], row["low"], row["high"])
        | {"sure": bool(row["chosen"])}
        for row in shown
    ]
    fields = tooltip(row="system", shown="rate", interval="interval, %")
    plot = interval_plot(points, [metric], title=f"{metric}, %", fields=fields, hollow=True)
    return Figure(
        f"systems-{number}",
        f"{metric} of each system, {confidence(result)} intervals; the chosen one is filled",
        f"Rates by {metric}: {text}.",
        plot,
        *page_cells(None, replace(system_rates_table(result), rows=shown).without("metric")),
    )


def _judged(article: Article) -> Markup:
    """Return what each metric says of the choice of the others."""
    return page_table(article, judged_systems_table(article.result), "judged choices")


JUDGED = Section("judged", "Judged", "What each metric says of the choice of the others", _judged)


@dataclass(frozen=True)
class SystemTuningPage(Kind):
    """The system that each metric chooses, and how certain the choice is."""

    name = "system-tuning"
    cites = ("le2016",)
    sections: ClassVar[tuple[Section, ...]] = (JUDGED,)

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return the table of choices, and the rates of all systems."""
        choices = page_table(article, system_choices_table(article.result), "choices")
        return choices, article.figures(rate_figures(article.result))

    def citations(self, result: Result) -> Iterable[str]:
        """Return the papers on tuning by a metric, intervals and tests."""
        return (*self.cites, "bisani2004", "noreen1989") if rows(result, "rates") else ()
