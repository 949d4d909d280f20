"""How tuned weights are shown: rates of the choices, curves of the weights, folds, texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from misword.core.formatting import (
    count,
    is_number,
    p_in_sentence,
    percent,
    probability,
    signed,
    signed_span,
    span,
)
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
    scaled_interval,
    tooltip,
)
from misword.report.kinds import Kind
from misword.report.markup import (
    Cell,
    Markup,
    data_table,
    joined,
    number_cell,
    paragraph,
    text_cell,
    without_direction_marks,
)
from misword.report.sections.translated_choices import TRANSLATED_CHOICES
from misword.stat.descriptions.result_access import Row, Titles, confidence, rows, titles, unique

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


# The choices that show what weights are worth on unseen lists, the best evidence first.
UNSEEN = (("test", "tuned", "On the test lists"), ("tuning", "held out", "Held out"))
# The table of texts has at most this many rows.
TEXTS_SHOWN = 100
LEVEL = 0.05


def tuning_headline(result: Result) -> str:
    """Return what the weights are worth on lists that they were not tuned on."""
    by = str(result.provenance.get("tuned_by", ""))
    known = {
        (row["data"], row["choice"]): row
        for row in rows(result, "rates")
        if row["metric"] == by and is_number(row["rate"])
    }
    metric = titles(result)(by)
    for data, choice, where in UNSEEN:
        row, first = known.get((data, choice)), known.get((data, "rank 1"))
        if row is not None and first is not None:
            return _tuning_sentence(row, first, f"{where}, the tuned weights have {metric}")
    row = known.get(("tuning", "tuned"))
    if row is None:
        return ""
    return (
        f"On the lists that they were tuned on, the weights have {metric} "
        f"{percent(row['rate'])} %; what they are worth on others is not known."
    )


def _tuning_sentence(row: Row, first: Row, begin: str) -> str:
    rates = f"{percent(row['rate'])} %, rank 1 has {percent(first['rate'])} %"
    if not row["difference"]:
        return f"{begin} {rates}: there is nothing to gain."
    if row["difference"] < 0 and not is_number(row["p"]):
        return f"{begin} {rates}; there are too few lists or blocks for a test."
    test = f" ({p_in_sentence(row['p'])})" if is_number(row["p"]) else ""
    better = row["difference"] < 0 and row["p"] < LEVEL
    return f"{begin} {rates}{test}" + ("." if better else ": no gain is shown; keep rank 1.")


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


def _tuned_choices(result: Result) -> Markup:
    """Return the table of choices."""
    title = titles(result)
    header = ("data", "metric", "choice", "rate, %", "interval", "from rank 1", "interval", "p",
              "changed lists")  # fmt: skip
    body = [_choice_cells(row, title) for row in rows(result, "rates")]
    return data_table(header, body, label="choices") if body else Markup()


def _choice_cells(row: Row, title: Titles) -> list[Cell]:
    return [
        text_cell(row["data"]),
        text_cell(title(row["metric"])),
        text_cell(row["choice"]),
        number_cell(row["rate"], percent(row["rate"])),
        text_cell(span(row["low"], row["high"])),
        number_cell(row["difference"], signed(row["difference"], 2)),
        text_cell(signed_span(row["difference_low"], row["difference_high"], 2)),
        number_cell(row["p"], probability(row["p"])),
        number_cell(row["changed"], count(row["changed"])),
    ]


def _weights(article: Article) -> Markup:
    """Return the weights, and how far each may move."""
    names = (("low", "high"), ("noise_low", "noise_high"), ("resampled_low", "resampled_high"),
             ("fold_low", "fold_high"))  # fmt: skip
    body = [
        [
            text_cell(row["feature"]),
            number_cell(row["weight"], f"{row['weight']:.6g}"),
            *(text_cell(_range(row[low], row[high])) for low, high in names),
            number_cell(row["spread"], f"{row['spread']:.4g}"),
        ]
        for row in rows(article.result, "weights")
    ]
    if not body:
        return Markup()
    header = ("feature", "weight", "same rate", "within noise", "resamples", "folds", "spread")
    return joined([data_table(header, body, label="weights"), *_stability(article.result)])


def _range(low: float | None, high: float | None) -> str:
    if not is_number(low) and not is_number(high):
        return ""
    return " to ".join(f"{end:.4g}" if is_number(end) else "..." for end in (low, high))


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
    weights: dict[int, list[str]] = {}
    for row in rows(article.result, "fold_weights"):
        weights.setdefault(row["fold"], []).append(f"{row['feature']} {row['weight']:.4g}")
    body = [
        [
            number_cell(row["fold"], count(row["fold"])),
            number_cell(row["lists"], count(row["lists"])),
            *(number_cell(row[key], percent(row[key])) for key in ("tuned", "held_out", "rank_1")),
            text_cell(", ".join(weights.get(row["fold"], []))),
        ]
        for row in rows(article.result, "folds")
    ]
    header = ("fold", "lists", "tuned on the others, %", "held out, %", "rank 1, %", "weights")
    return data_table(header, body, label="folds") if body else Markup()


def _texts(article: Article) -> Markup:
    """Return texts of unseen lists whose choice is not rank 1."""
    shown = rows(article.result, "chosen")
    for data, choice, _ in UNSEEN:
        body = [
            [text_cell(row["utt"]), number_cell(row["rank"], count(row["rank"])),
             text_cell(row["text"] or "")]
            for row in shown
            if (row["data"], row["choice"]) == (data, choice) and row["rank"] > 1
        ]  # fmt: skip
        if body:
            header = ("utterance", "rank", "text")
            return data_table(header, body[:TEXTS_SHOWN], label="texts", tall=True)
    return Markup()


WEIGHTS = Section("weights", "Weights", "Weights, and how far each may move", _weights)
FOLDS = Section("folds", "Folds", "Each fold, with weights that were tuned on the others", _folds)
TEXTS = Section("texts", "Texts", "Chosen texts that are not of rank 1", _texts)


@dataclass(frozen=True)
class TuningPage(Kind):
    """Weights of N-best lists: what they are worth, and how far each may move."""

    name = "tuning"
    cites = ("och2003",)
    sections: ClassVar[tuple[Section, ...]] = (WEIGHTS, FOLDS, TRANSLATED_CHOICES, TEXTS)

    def headline(self, result: Result) -> str:
        """Return what the weights are worth on unseen lists."""
        return tuning_headline(result)

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return the score's formula, the table of choices and the curves of the weights."""
        result = article.result
        return _introduction(result), _tuned_choices(result), article.figures(curve_figures(result))

    def citations(self, result: Result) -> Iterable[str]:
        """Return the papers on line search, intervals and tests."""
        return (*self.cites, "bisani2004", "noreen1989") if rows(result, "rates") else ()


# How the choice of one of several systems is shown: rates, and how certain the choice is.


def system_headline(result: Result) -> str:
    """Return the choice of each metric, and whether the next system is distinguishable."""
    title = titles(result)
    return " ".join(_system_sentence(row, title) for row in rows(result, "choices"))


def _system_sentence(row: Row, title: Titles) -> str:
    test = f" ({p_in_sentence(row['next_p'])} against {row['next']})" if is_number(
        row["next_p"]) else ""  # fmt: skip
    return f"{title(row['metric'])} chooses {row['system']}, {percent(row['rate'])} %{test}."


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
    points: list[Spec] = []
    for row in shown:
        x, low, high = scaled_interval(row["rate"], row["low"], row["high"])
        points.append({
            "row": row["system"], "series": metric, "x": x, "low": low, "high": high,
            "sure": bool(row["chosen"]), "shown": f"{percent(row['rate'])} %",
            "interval": span(row["low"], row["high"]),
        })  # fmt: skip
    fields = tooltip(row="system", shown="rate", interval="interval, %")
    plot = interval_plot(points, [metric], title=f"{metric}, %", fields=fields, hollow=True)
    header = ("system", "rate, %", "from", "to", "difference from the lowest", "p", "best in, %")
    return Figure(
        f"systems-{number}",
        f"{metric} of each system, {confidence(result)} intervals; the chosen one is filled",
        f"Rates by {metric}: {text}.",
        plot,
        header,
        [_system_cells(row) for row in shown],
    )


def _system_cells(row: Row) -> list[Cell]:
    return [
        text_cell(row["system"]),
        *(number_cell(row[key], percent(row[key])) for key in ("rate", "low", "high")),
        number_cell(row["difference"], signed(row["difference"], 2)),
        number_cell(row["p"], "" if row["chosen"] else probability(row["p"])),
        number_cell(row["best_share"], percent(row["best_share"])),
    ]


def _system_choices(result: Result) -> Markup:
    """Return the choice of each metric, and how certain it is."""
    title = titles(result)
    body = [
        [
            text_cell(title(row["metric"])),
            text_cell(row["system"]),
            number_cell(row["rate"], percent(row["rate"])),
            number_cell(row["held_out"], percent(row["held_out"])),
            text_cell(f"{count(row['same_folds'])} of {count(row['folds'])}"),
            text_cell(row["next"]),
            number_cell(row["next_difference"], signed(row["next_difference"], 2)),
            number_cell(row["next_p"], probability(row["next_p"])),
            number_cell(row["others"], percent(row["others"])),
        ]
        for row in rows(result, "choices")
    ]
    header = ("metric", "chooses", "rate, %", "held out, %", "same in folds", "next",
              "difference", "p", "others in resamples, %")  # fmt: skip
    return data_table(header, body, label="choices") if body else Markup()


def _judged(article: Article) -> Markup:
    """Return what each metric says of the choice of the others."""
    title = titles(article.result)
    body = [
        [
            text_cell(title(row["chosen_by"])),
            text_cell(row["system"]),
            text_cell(title(row["metric"])),
            *(number_cell(row[key], percent(row[key])) for key in ("rate", "lowest")),
        ]
        for row in rows(article.result, "judged")
    ]
    header = ("chosen by", "system", "judged by", "rate, %", "lowest rate, %")
    return data_table(header, body, label="judged choices") if body else Markup()


JUDGED = Section("judged", "Judged", "What each metric says of the choice of the others", _judged)


@dataclass(frozen=True)
class SystemTuningPage(Kind):
    """The system that each metric chooses, and how certain the choice is."""

    name = "system-tuning"
    cites = ("le2016",)
    sections: ClassVar[tuple[Section, ...]] = (JUDGED,)

    def headline(self, result: Result) -> str:
        """Return the choice of each metric."""
        return system_headline(result)

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return the table of choices, and the rates of all systems."""
        return _system_choices(article.result), article.figures(rate_figures(article.result))

    def citations(self, result: Result) -> Iterable[str]:
        """Return the papers on tuning by a metric, intervals and tests."""
        return (*self.cites, "bisani2004", "noreen1989") if rows(result, "rates") else ()
