"""The page of a blend of metrics that was learnt from people's judgements."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp
from typing import ClassVar

from misword.core.formatting import (
    count,
    counted,
    is_number,
    number,
    number_span,
    percent,
    probability,
)
from misword.core.lazy import pl
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.charts import (
    FREE_SCALE,
    LINE_PLOT_HEIGHT,
    Figure,
    Spec,
    chart,
    color_and_shape,
    interval_plot,
    line_plot,
    quantitative,
    scaled_interval,
    tooltip,
)
from misword.report.explorer.data import add_aligned_words
from misword.report.explorer.section import marks_legend
from misword.report.kinds import Kind
from misword.report.kinds.agreement import CHANCE, TOLERANCE, agreement_point, with_chance
from misword.report.markup import (
    Cell,
    Markup,
    element,
    joined,
    number_cell,
    paragraph,
    without_direction_marks,
)
from misword.report.tables import page_cells, page_table
from misword.stat.descriptions.people import (
    blend_weights_table,
    choice_quality_rows,
    choice_quality_table,
    learning_table,
    rating_quality_rows,
    rating_quality_table,
    selection_table,
)
from misword.stat.descriptions.result_access import (
    Row,
    Titles,
    confidence,
    forgiving_families,
    rows,
    table,
    titles,
    unique,
)

# How often the blend, each of its metrics and one voter choose as most people do.


def agreement_plot(result: Result) -> Figure | None:
    """Return how often each chooses as most people do, by level of consensus."""
    shown, title = choice_quality_rows(result), titles(result)
    if not shown:
        return None
    points = [_agreement_point(row, title) for row in shown]
    text = "; ".join(
        f"{title(row['metric'])} {percent(row['agreed'], 1)} % (consensus {row['consensus']})"
        for row in shown
    )
    fields = tooltip(row="metric", series="people", shown="agreed", interval="interval, %", p="p")
    return Figure(
        "agreement",
        f"Agreement with people, {confidence(result)} intervals",
        "Share of choices in which the lower rate is that of the hypothesis that most people "
        "chose, ties counted as wrong; the blend was learnt from other references. One voter is "
        f"compared with the majority of the other voters. {text}. The dashed line is what a coin "
        "would get.",
        with_chance(
            interval_plot(
                points,
                unique(point["series"] for point in points),
                title="choices agreed, %",
                line=CHANCE,
                fields=fields,
            )
        ),
        *page_cells(None, replace(choice_quality_table(result), rows=shown)),
    )


def _agreement_point(row: Row, title: Titles) -> Spec:
    return agreement_point(row, title) | {"p": probability(row["p"])}


# How well the blend and each of its metrics correlate with direct ratings.

# The scatter plot has at most about this many points.
POINTS = 2000
# The numbers below the scatter plot are means over so many equal parts.
PARTS = 10


def correlation_plot(result: Result) -> Figure | None:
    """Return the correlation of the blend and of each metric with the ratings."""
    shown, title = rating_quality_rows(result), titles(result)
    if not shown:
        return None
    text = "; ".join(f"{title(row['metric'])} {number(row['pearson'], 3)}" for row in shown)
    return Figure(
        "correlation",
        f"Correlation with ratings, {confidence(result)} intervals",
        "Pearson correlation of rates and people's ratings; 1 means that the lowest rates have the "
        f"best ratings. The blend was learnt from other references. {text}.",
        interval_plot(
            [_correlation_point(row, title) for row in shown],
            ["Pearson"],
            title="Pearson correlation with ratings",
            fields=tooltip(row="metric", shown="Pearson", interval="interval"),
        ),
        *page_cells(None, replace(rating_quality_table(result), rows=shown)),
    )


def _correlation_point(row: Row, title: Titles) -> Spec:
    ends = (row["pearson"], row.get("pearson_low"), row.get("pearson_high"))
    x, low, high = scaled_interval(*ends, scale=1)
    return {
        "row": title(row["metric"]),
        "series": "Pearson",
        "x": x,
        "low": low,
        "high": high,
        "shown": number(x, 3),
        "interval": number_span(*ends[1:], 3),
    }


def rating_plot(result: Result) -> Figure | None:
    """Return the ratings over the blend's rates."""
    judged = table(result, "judgements")
    if judged is None or "score" not in judged.columns:
        return None
    rated = judged.select("judgement", "score", rate=-judged["blend"]).drop_nulls()
    shown = rated.gather_every(-(-len(rated) // POINTS))
    left_out = "" if len(shown) == len(rated) else f" {len(shown):,} of {len(rated):,} are shown."
    points = [{"series": "rating", **row} for row in shown.to_dicts()]
    encoding = {
        **color_and_shape("series", ["rating"]),
        "x": quantitative("rate", title="rate of the blend, held out", scale=FREE_SCALE),
        "y": quantitative("score", title="rating", scale=FREE_SCALE),
        "tooltip": tooltip(judgement="rating number", rate="rate", score="rating"),
    }
    mark = {"type": "point", "size": 24, "opacity": 0.6}
    return Figure(
        "ratings",
        "Ratings and rates",
        f"Each point is a rated hypothesis.{left_out} The table has means over {PARTS} equal parts "
        "of the hypotheses, from the lowest rate of the blend to the highest.",
        chart(points, height=LINE_PLOT_HEIGHT, mark=mark, encoding=encoding),
        ["part", "hypotheses", "mean rate of the blend", "mean rating"],
        _parts(rated),
    )


def _parts(rated: pl.DataFrame) -> Sequence[Sequence[Cell]]:
    """Return a row for each of several equal parts of the hypotheses, by the blend's rate."""
    number_of_part = pl.int_range(pl.len()) * PARTS // pl.len() + 1
    parts = rated.sort("rate", maintain_order=True).group_by(
        number_of_part.alias("part"), maintain_order=True
    )
    return [
        [
            number_cell(row["part"], count(row["part"])),
            number_cell(row["len"], count(row["len"])),
            *(number_cell(row[name], number(row[name], 3)) for name in ("rate", "score")),
        ]
        for row in parts.agg(pl.len(), pl.mean("rate", "score")).to_dicts()
    ]


# What was learnt: the weights, how many judgements they need, and the sets of metrics tried.

# Points of several measures are drawn side by side: each has the position of the one before times
# this number.
SHIFT = 1.02
SELECTION_NOTE = (
    "Metrics were removed one after the other. The loss is that of folds which were left out; the "
    "smallest set is kept whose loss is shown not to exceed that of the best set by more than one "
    "hundredth of the loss without any metric."
)


def weight_plot(result: Result) -> Figure | None:
    """Return the weight of each metric with its interval, and its influence."""
    shown, title = rows(result, "weights"), titles(result)
    if not shown:
        return None
    text = "; ".join(
        f"{title(row['metric'])} {number(row['weight'], 3)}, influence "
        f"{percent(row['influence'])} %"
        for row in shown
    )
    return Figure(
        "weights",
        f"Weights, {confidence(result)} intervals, and influence",
        "A weight is what a rate is multiplied by; all weights add up to 1. The influence of a "
        "metric is its share in what the blend says: its weight times the size of its differences. "
        f"{text}.",
        interval_plot(
            [point for row in shown for point in _weight_points(row, title)],
            ["weight", "influence"],
            title="share",
            line=0,
            fields=tooltip(row="metric", series="", shown="share", interval="interval"),
        ),
        *page_cells(None, blend_weights_table(result)),
    )


def _weight_points(row: Row, title: Titles) -> list[Spec]:
    """Return the points of the weight and of the influence, which has no interval."""
    spans = {
        "weight": (row["weight"], row["low"], row["high"]),
        "influence": (row["influence"], None, None),
    }
    points = []
    for series, ends in spans.items():
        x, low, high = scaled_interval(*ends, scale=1)
        shown, interval = number(x, 3), number_span(*ends[1:], 3)
        name = title(row["metric"])
        points.append({"row": name, "series": series, "x": x, "low": low, "high": high})
        points[-1] |= {"shown": shown, "interval": interval}
    return points


def curve_plot(result: Result) -> Figure | None:
    """Return the quality of blends that were learnt from fewer judgements."""
    shown = [row for row in rows(result, "curve") if is_number(row["mean"])]
    if not shown:
        return None
    of_choices = "pearson" not in (row["measure"] for row in shown)
    scale, digits = (100, 1) if of_choices else (1, 3)
    measures = unique(row["measure"] for row in shown)
    points = [
        _curve_point(row, measures.index(row["measure"]), scale, digits, of_choices=of_choices)
        for row in shown
    ]
    name = "agreement with people, %" if of_choices else "Pearson correlation with ratings"
    sizes = unique(row["judgements"] for row in shown)
    text = "; ".join(
        f"{point['series']}: {point['shown']} from {count(point['judgements'])} judgements"
        for point in points
    )
    return Figure(
        "curve",
        "Quality after learning from fewer judgements",
        "Weights were learnt from random subsets and tested on all judgements of other references; "
        f"a point is the mean of the subsets, its line contains {confidence(result)} of them. "
        f"{text}.",
        line_plot(
            points,
            unique(point["series"] for point in points),
            x="judgements that the blend was learnt from",
            y=name,
            fields=tooltip(series="", judgements="judgements", shown="mean", interval="subsets"),
            log_ticks=sizes,
        ),
        *page_cells(None, replace(learning_table(result), rows=shown)),
    )


def _curve_point(row: Row, at: int, scale: float, digits: int, *, of_choices: bool) -> Spec:
    """Return a point of the measure with the number `at`, beside those of the other measures."""
    y, low, high = scaled_interval(row["mean"], row["low"], row["high"], scale)
    return {
        "series": f"consensus {row['measure']}" if of_choices else "Pearson",
        "x": row["judgements"] * SHIFT**at,
        "judgements": row["judgements"],
        "y": y,
        "low": low,
        "high": high,
        "shown": number(y, digits),
        "interval": number_span(low, high, digits),
    }


def _selection(article: Article) -> Markup:
    """Return the sets of metrics that were tried, and which one was kept."""
    sets = page_table(article, selection_table(article.result), "sets of metrics")
    return joined([paragraph(SELECTION_NOTE, "note"), sets]) if sets else Markup()


def _weights(article: Article) -> Markup:
    return article.figure(weight_plot(article.result))


def _curve(article: Article) -> Markup:
    return article.figure(curve_plot(article.result))


WEIGHTS = Section("weights", "Weights", "How much each metric counts", _weights)
CURVE = Section("curve", "Learning curve", "How many judgements are enough?", _curve)
SELECTION = Section("selection", "Selection", "The sets of metrics that were tried", _selection)


# The judgements in which the blend and people differ most, with the aligned words.

# Judgements that the section shows.
SHOWN = 20
CHOICES_NOTE = (
    "The share of votes for a hypothesis is compared with the share that is expected from the "
    "difference of the blend's two rates; the largest differences come first. The rates are those "
    "of weights that were learnt from other references."
)
RATINGS_NOTE = (
    "The rank of a rating is compared with the rank of the blend's rate; the largest differences "
    "come first. The rates are those of weights that were learnt from other references."
)


@dataclass(frozen=True, slots=True)
class JudgementDifference:
    """A judgement, how far the blend is from it (0 to 1), and both in words."""

    row: Row
    size: float
    text: str


def choice_differences(result: Result) -> list[JudgementDifference]:
    """Return the choices in which the blend prefers what most people rejected, largest first."""
    blend = result.provenance.get("blend")
    slope = blend.get("slope") if isinstance(blend, dict) else None
    found = []
    for row in rows(result, "judgements"):
        a, b, prefers_a = row["votes_a"], row["votes_b"], row["blend"]
        if not is_number(prefers_a) or abs(prefers_a) <= TOLERANCE or (a - b) * prefers_a >= 0:
            continue
        expected = _logistic((slope if is_number(slope) else 0.0) * prefers_a)
        size = abs(a / (a + b) - expected)
        side, chance = ("a", expected) if prefers_a > 0 else ("b", 1 - expected)
        text = (
            f"a has {counted(a, 'vote')}, b has {counted(b, 'vote')}. The rate of {side} is lower "
            f"by {percent(abs(prefers_a))} points; expected share of votes for {side}: "
            f"{percent(chance, 0)} %."
        )
        found.append(JudgementDifference(row, size, text))
    return sorted(found, key=lambda one: -one.size)


def _logistic(x: float) -> float:
    """Return 1 / (1 + exp(-x)), also for numbers whose exponential is too large."""
    return 1 / (1 + exp(-x)) if x > -700 else 0.0


def rating_differences(result: Result) -> list[JudgementDifference]:
    """Return the ratings whose rank differs from that of the blend's rate, largest first.

    A rank is the share of the hypotheses that are worse; equal ones count one half.
    """
    judged = table(result, "judgements")
    if judged is None:
        return []
    judged = judged.drop_nulls(["score", "blend"])
    lower_is_better = bool(result.provenance.get("lower_is_better"))
    goodness = (-judged["score"] if lower_is_better else judged["score"], judged["blend"])
    shares = [(values.rank() - 0.5) / len(judged) for values in goodness]
    found = []
    for row, rated, predicted in zip(judged.to_dicts(), *shares, strict=True):
        text = (
            f"Rated {number(row['score'])}, better than {percent(rated, 0)} % of the hypotheses. "
            f"The rate of the blend is {percent(-row['blend'], 1)} %, better than "
            f"{percent(predicted, 0)} %."
        )
        found.append(JudgementDifference(row, abs(rated - predicted), text))
    return sorted((one for one in found if one.size > 0), key=lambda one: -one.size)


def _differences_section(article: Article) -> Markup:
    judged = table(article.result, "judgements")
    if judged is None:
        return Markup()
    if "votes_a" not in judged.columns:
        ratings = rating_differences(article.result)
        return _shown(article, "Rating", ratings, RATINGS_NOTE, {"reference": "a", "rated": "b"})
    choices = choice_differences(article.result)
    decided = len(judged.filter(judged["votes_a"] != judged["votes_b"]))
    note = (
        f"In {len(choices):,} of {counted(decided, 'choice')} the blend prefers what most people "
        f"rejected. {CHOICES_NOTE}"
    )
    columns = {"reference": "reference", "a": "a", "b": "b"}
    return _shown(article, "Choice", choices, note, columns)


def _shown(
    article: Article,
    noun: str,
    differences: Sequence[JudgementDifference],
    note: str,
    columns: Mapping[str, str],
) -> Markup:
    """Return the largest differences; `columns` has the column of each text by its name."""
    shown = differences[:SHOWN]
    if not shown:
        return Markup()
    ids = [str(one.row["judgement"]) for one in shown]
    systems = [name for name in columns if name != "reference"]
    block = add_aligned_words(article, "differences", ids, systems)
    parts = [paragraph(note, "note")]
    if block is not None:
        forgiving = bool(forgiving_families(article.result))
        parts.append(marks_legend(forgiving=forgiving, costs=False))
    for utt, one in zip(ids, shown, strict=True):
        texts = {name: str(one.row[column] or "") for name, column in columns.items()}
        parts += [
            element("h4", f"{noun} {utt}"),
            paragraph(one.text, "note"),
            element("div", _texts(texts), data_aligned=block, data_utt=utt if block else None),
        ]
    return joined(parts)


def _texts(texts: Mapping[str, str]) -> Markup:
    """Return texts one below the other; the page's scripts replace them by aligned words."""
    lines = [
        part
        for name, text in texts.items()
        for part in (element("span", name), element("span", text, dir="auto"))
    ]
    return element("div", *lines, class_="texts")


DIFFERENCES = Section(
    "differences", "Differences", "Where the blend and people differ most", _differences_section
)


@dataclass(frozen=True)
class FitPage(Kind):
    """The quality of a blend, its weights, and the judgements that it does not follow."""

    name = "fit"
    sections: ClassVar[tuple[Section, ...]] = (WEIGHTS, CURVE, SELECTION, DIFFERENCES)

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return how the quality was measured, and its chart: agreement, or correlations."""
        result = article.result
        return (
            _introduction(result),
            article.figure(agreement_plot(result)),
            article.figure(correlation_plot(result)),
            article.figure(rating_plot(result)),
        )

    def citations(self, result: Result) -> Iterable[str]:
        """Return the papers on intervals, and on tests of differences in agreement."""
        quality = table(result, "quality")
        if quality is not None:
            yield "bisani2004"
            if "agreed" in quality.columns:
                yield from ("noreen1989", "holm1979")


def _introduction(result: Result) -> Markup:
    """Return how the quality was measured, and the notes of the run."""
    judged, provenance = table(result, "judgements"), result.provenance
    if judged is None:
        return Markup()
    of_choices = "votes_a" in judged.columns
    references = judged["reference" if of_choices else "a"].n_unique()
    start = "equal influence of all metrics"
    if provenance.get("prior", "equal influence") != "equal influence":
        start = f"the weights of {provenance['prior']}"
    folds, repeats = provenance.get("folds", 0), provenance.get("repeats", 0)
    size = counted(len(judged), "choice" if of_choices else "rating")
    text = (
        f"The rate of the blend is {_formula(result)}. {size} of "
        f"{counted(references, 'reference')}. Each is judged by weights that were learnt from "
        f"other references ({counted(folds, 'fold')}, {counted(repeats, 'repeat')}). Weights are "
        f"drawn to {start}."
    )
    notes = [paragraph(without_direction_marks(str(note)), "note") for note in _notes(result)]
    return joined([paragraph(without_direction_marks(text), "introduction"), *notes])


def _formula(result: Result) -> str:
    """Return the weighted sum of the metrics."""
    title = titles(result)
    weights = [row for row in rows(result, "weights") if row["weight"] > 0]
    return " + ".join(f"{number(row['weight'], 3)} {title(row['metric'])}" for row in weights)


def _notes(result: Result) -> Iterable[str]:
    """Return the notes of the run as sentences."""
    return (f"{note}." for note in result.provenance.get("notes", ()))
