"""Pages of results about noise: corrupted texts, realism of channels, robustness of encoders."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar

from misword.core.formatting import counted, is_number, number, number_span, percent
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.charts import FREE_SCALE, Figure, Spec, line_plot, scaled_interval, tooltip
from misword.report.kinds import Kind
from misword.report.markup import Cell, Markup, element, joined, without_direction_marks
from misword.report.tables import page_cells, page_table
from misword.stat.descriptions.noise import (
    channels_table,
    corruption_table,
    downstream_table,
    encoders_table,
    error_spans_table,
    frequent_errors_table,
    judged_errors_table,
    levels_table,
    noisy_sentences_table,
    noisy_texts_table,
    run_lengths_table,
)
from misword.stat.descriptions.result_access import Row, Titles, confidence, rows, titles, unique


def _frequent_errors(article: Article) -> Markup:
    return page_table(article, frequent_errors_table(article.result))


FREQUENT_ERRORS = Section("errors", "Errors", "The most frequent errors", _frequent_errors)


@dataclass(frozen=True)
class CorruptionPage(Kind):
    """The noisy texts of `misword corrupt`: their error rates, and the most frequent errors."""

    name = "corruption"
    sections: ClassVar[tuple[Section, ...]] = (FREQUENT_ERRORS,)

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return the table of error rates."""
        return (page_table(article, corruption_table(article.result), "noisy texts", tall=False),)


def _real_errors(article: Article) -> Markup:
    return page_table(article, judged_errors_table(article.result))


REAL_ERRORS = Section("errors", "Errors", "Real errors, and their bits", _real_errors)


def run_lengths_plot(result: Result) -> Figure | None:
    """Return how long the runs of errors are: of the recogniser and of each channel."""
    shown = [row for row in rows(result, "runs") if is_number(row["share"])]
    if not shown:
        return None
    series = unique(row["channel"] for row in shown)
    points = [
        {
            "series": row["channel"],
            "x": row["length"],
            "y": 100 * row["share"],
            "low": 100 * row["share"],
            "high": 100 * row["share"],
            "shown": percent(row["share"], 1),
        }
        for row in shown
    ]
    single = [row for row in shown if row["length"] == 1]
    spec = line_plot(
        points,
        series,
        x="errors in a run (the last point: and more)",
        y="share of all runs, %",
        fields=tooltip(series="errors of", x="errors in a run", shown="share, %"),
    )
    lengths = sorted({row["length"] for row in shown})
    for layer in spec["layer"]:
        layer["encoding"]["x"] |= {"axis": {"values": lengths, "format": "d"}}
    return Figure(
        "runs",
        "Length of runs of errors, real and simulated",
        "Share of runs that have one error: "
        + "; ".join(f"{row['channel']} {percent(row['share'], 1)} %" for row in single)
        + ".",
        spec,
        *page_cells(None, run_lengths_table(result)),
    )


@dataclass(frozen=True)
class RealismPage(Kind):
    """The realism of channels: bits for each real error, and the errors themselves."""

    name = "realism"
    sections: ClassVar[tuple[Section, ...]] = (REAL_ERRORS,)

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return the tables of spans, texts and channels, and the chart of texts."""
        result = article.result
        if not rows(result, "spans"):
            return (page_table(article, channels_table(result), "channels", tall=False),)
        return (
            page_table(article, error_spans_table(result), "error spans", tall=False),
            page_table(article, noisy_texts_table(result), "real and simulated errors", tall=False),
            article.figure(run_lengths_plot(result)),
            page_table(article, channels_table(result), "substitutions", tall=False),
        )


@dataclass(frozen=True)
class DownstreamPage(Kind):
    """The scores of a task under noise."""

    name = "downstream"

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return the table of scores."""
        return (page_table(article, downstream_table(article.result), "scores", tall=False),)


# Line plots of encoders over the word error rate.

SIMILARITY = ("similarity", "similarity_low", "similarity_high")
PEARSON = ("pearson", "pearson_low", "pearson_high")
# The points of one error rate take at most this share of the gap between two rates; two of them are
# at most this share of the axis apart.
GROUP_WIDTH, MOST_STEP = 0.6, 0.02
SIDE_BY_SIDE = "Points of one error rate are side by side."


def similarity_plot(result: Result) -> Figure | None:
    """Return the mean similarity of noisy and clean sentences over the word error rate."""
    shown = [row for row in rows(result, "levels") if is_number(row["similarity"])]
    if not shown:
        return None
    title = titles(result)
    lines = [
        f"{title(row['encoder'])} {number(row['slope'] / 100, 4)} a point of WER"
        + (f" (R2 {number(row['r2'], 3)})" if is_number(row["r2"]) else "")
        for row in rows(result, "lines")
        if is_number(row["slope"])
    ]
    points = [_point(row, SIMILARITY, title, scale=1, digits=3) for row in shown]
    return Figure(
        "similarity",
        f"Similarity with the clean sentence, {confidence(result)} intervals over trials",
        "Mean similarity of each sentence with its noisy version; 1 without noise. By straight "
        f"lines: {'; '.join(lines)}. {SIDE_BY_SIDE}",
        _spec(points, "mean similarity with the clean sentence"),
        *_cells(result, shown, "similarity"),
    )


def correlation_plot(result: Result) -> Figure | None:
    """Return the correlation of similarities with people's scores over the word error rate."""
    shown = [row for row in rows(result, "levels") if is_number(row["pearson"])]
    if not shown:
        return None
    title, highest = titles(result), max(row["wer"] for row in shown)
    text = "; ".join(
        f"{title(row['encoder'])} {percent(row['pearson'], 1)} at {percent(row['wer'], 0)} %"
        for row in shown
        if row["wer"] in (0, highest)
    )
    points = [_point(row, PEARSON, title, scale=100, digits=2) for row in shown]
    return Figure(
        "correlation",
        f"Correlation with people's scores, {confidence(result)} intervals over trials",
        "Pearson correlation x 100 of the similarity of two sentences with people's scores: "
        f"{text}. {SIDE_BY_SIDE}",
        _spec(points, "Pearson correlation with people, x 100"),
        *_cells(result, shown, "pearson"),
    )


def _cells(
    result: Result, shown: Sequence[Row], name: str
) -> tuple[Sequence[str], Sequence[Sequence[Cell]]]:
    """Return the numbers of a chart: those columns of the levels whose key has this name."""
    levels = levels_table(result)
    kept = [column for column in levels.columns[2:] if column.key.startswith(name)]
    return page_cells(None, replace(levels, columns=[*levels.columns[:2], *kept], rows=shown))


def _point(
    row: Row, columns: tuple[str, str, str], title: Titles, *, scale: float, digits: int
) -> Spec:
    """Return a point of a line; `columns` are the value and the ends of its interval."""
    value, low, high = (row[name] for name in columns)
    y, bottom, top = scaled_interval(value, low, high, scale)
    bounded = is_number(low) and is_number(high)
    return {
        "series": title(row["encoder"]),
        "level": 100 * row["wer"],
        "wer": percent(row["realised"], 1),
        "x": 100 * row["realised"],
        "y": y,
        "low": bottom,
        "high": top,
        "shown": number(y, digits),
        "interval": number_span(bottom, top, digits) if bounded else "",
    }


def _spec(points: Sequence[Spec], y: str) -> Spec:
    series = unique(point["series"] for point in points)
    spec = line_plot(
        side_by_side(points, series),
        series,
        x="word error rate, %",
        y=y,
        fields=tooltip(series="encoder", wer="WER, %", shown="value", interval="interval"),
    )
    ticks = {"values": sorted({point["level"] for point in points})}
    for layer in spec["layer"]:
        layer["encoding"]["x"] |= {
            "axis": ticks,
            "scale": {**FREE_SCALE, "nice": False, "padding": 12},
        }
    return spec


def side_by_side(points: Sequence[Spec], series: Sequence[str]) -> list[Spec]:
    """Return the points with those of one error rate side by side, so that no interval is hidden.

    The middle of each group is its error rate; groups stay apart.
    """
    rates = sorted({point["level"] for point in points})
    gaps = [right - left for left, right in pairwise(rates)]
    if not gaps:
        return list(points)
    step = min(GROUP_WIDTH * min(gaps) / len(series), MOST_STEP * (rates[-1] - rates[0]))
    middle = (len(series) - 1) / 2
    return [
        point | {"x": point["x"] + step * (series.index(point["series"]) - middle)}
        for point in points
    ]


def _examples(article: Article) -> Markup:
    return page_table(article, noisy_sentences_table(article.result))


EXAMPLES = Section("noisy", "Sentences", "Noisy sentences", _examples)


@dataclass(frozen=True)
class RobustnessPage(Kind):
    """Correlation with people's scores and similarity with the clean sentence, by error rate."""

    name = "robustness"
    cites = ("voleti2019",)
    sections: ClassVar[tuple[Section, ...]] = (EXAMPLES,)

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return how the study was made, the table of encoders and both charts."""
        result = article.result
        return (
            _introduction(result),
            page_table(article, encoders_table(result), "encoders under noise", tall=False),
            article.figure(correlation_plot(result)),
            article.figure(similarity_plot(result)),
        )


def _introduction(result: Result) -> Markup:
    """Return how the study was made, its intervals and its notes."""
    provenance = result.provenance
    if not rows(result, "levels"):
        return Markup()
    corpus = "each noisy corpus" if provenance.get("refit") else "the clean sentences"
    text = (
        f"{counted(provenance.get('pairs', 0), 'pair')} of sentences, "
        f"{counted(provenance.get('trials', 0), 'trial')} at each word error rate; channel "
        f"{provenance.get('channel', '')}. Encoders that learn from a corpus learnt from {corpus}. "
        f"Intervals are {confidence(result)}, Student's, over trials."
    )
    paragraphs = [
        (text, "introduction"),
        *((str(note), "note") for note in provenance.get("notes", ())),
    ]
    return joined(
        element("p", without_direction_marks(words), class_=kind) for words, kind in paragraphs
    )
