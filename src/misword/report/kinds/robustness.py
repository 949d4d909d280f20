"""How the robustness of encoders is shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from misword.core.formatting import (
    counted,
    interval_in_sentence,
    is_number,
    number,
    number_span,
    percent,
    span,
)
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.charts import FREE_SCALE, Figure, Spec, line_plot, scaled_interval, tooltip
from misword.report.kinds import Kind
from misword.report.markup import (
    Cell,
    Markup,
    data_table,
    element,
    joined,
    number_cell,
    text_cell,
    without_direction_marks,
)
from misword.stat.descriptions.result_access import Row, Titles, confidence, rows, titles, unique

# The headline of a study of robustness.


def robustness_headline(result: Result) -> str:
    """Return which encoder loses most of its correlation with people at the highest error rate.

    The second clause names the encoder that loses least, and the one that follows people's scores
    best under this noise.
    """
    levels = [row for row in rows(result, "levels") if is_number(row["pearson"])]
    if not levels:
        return ""
    wer, title = max(row["wer"] for row in levels), titles(result)
    clean = {row["encoder"]: row["pearson"] for row in levels if not row["wer"]}
    noisy = [row for row in levels if row["wer"] == wer]
    best = max(noisy, key=lambda row: row["pearson"])
    losses = [row for row in noisy if is_number(row.get("ratio")) and row["encoder"] in clean]
    start = f"At {percent(wer, 0)} % WER"
    if not wer or not losses:
        superlative = " best" if len(noisy) > 1 else ""
        name = title(best["encoder"])
        return f"{start} {name} follows people's scores{superlative}: {_pearson(best)}."
    worst, *others = sorted(losses, key=lambda row: row["ratio"])
    if worst["ratio"] >= 1:
        nobody = "no encoder loses any" if others else f"{title(worst['encoder'])} loses nothing"
        return f"{start} {nobody} of its correlation with people's scores."
    most = f" {_verb(worst, others)}" if others else ""
    before = clean[worst["encoder"]]
    sentence = (
        f"{start} {title(worst['encoder'])} loses{most} {_loss(worst, confidence(result))} of its "
        f"correlation with people's scores (Pearson x 100 {percent(before, 1)} without noise, "
        f"{percent(worst['pearson'], 1)} with it)"
    )
    return f"{sentence}{_least(worst, others, best, title)}."


def _pearson(row: Row) -> str:
    return f"Pearson x 100 {percent(row['pearson'], 1)}"


def _verb(worst: Row, others: Sequence[Row]) -> str:
    """Return `most:`, or `as much as any:` where another encoder loses the same."""
    return "most:" if worst["ratio"] < others[0]["ratio"] else "as much as any:"


def _loss(row: Row, share: str) -> str:
    """Return the share of the correlation that is lost, with its interval."""
    low, high = row.get("ratio_low"), row.get("ratio_high")
    interval = span(1 - high, 1 - low, 0) if is_number(low) and is_number(high) else ""
    return f"{percent(1 - row['ratio'], 0)} %{interval_in_sentence(share, interval)}"


def _least(worst: Row, others: Sequence[Row], best: Row, title: Titles) -> str:
    """Return a clause on the encoder that loses least and on the one that is best under noise."""
    if not others:
        return ""
    least = others[-1]
    follows = f"follows people's scores best ({percent(best['pearson'], 1)})"
    if least["ratio"] == worst["ratio"]:
        return f"; {title(best['encoder'])} {follows}"
    overlap = ""
    if is_number(worst.get("ratio_high")) and is_number(least.get("ratio_low")):
        overlap = ", the intervals overlap" if least["ratio_low"] <= worst["ratio_high"] else ""
    clause = (
        f"; {title(least['encoder'])} loses least ({percent(1 - least['ratio'], 0)} %{overlap})"
    )
    follows = f"follows people's scores best ({percent(best['pearson'], 1)})"
    if best["encoder"] == least["encoder"]:
        return f"{clause} and {follows}"
    return f"{clause}; {title(best['encoder'])} {follows}"


# Line plots of encoders over the word error rate.

SIMILARITY = ("similarity", "similarity_low", "similarity_high")
PEARSON = ("pearson", "pearson_low", "pearson_high")
PEARSON_OVER_PAIRS = ("pearson_pairs_low", "pearson_pairs_high")
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
        "Mean similarity of each sentence with its noisy self; 1 without noise. By straight lines: "
        f"{'; '.join(lines)}. {SIDE_BY_SIDE}",
        _spec(points, "mean similarity with the clean sentence"),
        ["encoder", "WER, %", "similarity", "from", "to"],
        [
            [
                text_cell(title(row["encoder"])),
                number_cell(row["realised"], percent(row["realised"])),
                *(number_cell(row[name], number(row[name], 4)) for name in SIMILARITY),
            ]
            for row in shown
        ],
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
    columns = (*PEARSON, *PEARSON_OVER_PAIRS)
    return Figure(
        "correlation",
        f"Correlation with people's scores, {confidence(result)} intervals over trials",
        "Pearson correlation x 100 of the similarity of two sentences with people's scores: "
        f"{text}. {SIDE_BY_SIDE}",
        _spec(points, "Pearson correlation with people, x 100"),
        ["encoder", "WER, %", "Pearson x 100", "from", "to", "from, over pairs", "to, over pairs"],
        [
            [
                text_cell(title(row["encoder"])),
                number_cell(row["realised"], percent(row["realised"])),
                *(number_cell(row.get(name), percent(row.get(name))) for name in columns),
            ]
            for row in shown
        ],
    )


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


# The table of encoders: correlations at each word error rate, and the slope of similarity.


def encoder_table(result: Result) -> Markup:
    """Return a row for each encoder.

    The columns are the correlation at each error rate, its ratio to that without noise, and the
    straight line of similarity over error rate.
    """
    levels, title = rows(result, "levels"), titles(result)
    if not levels:
        return Markup()
    rates = unique(row["wer"] for row in levels)
    noisy = [rate for rate in rates if rate]
    header = [
        "encoder",
        *(f"Pearson at {percent(rate, 0)} %" for rate in rates),
        *(f"left at {percent(rate, 0)} %, %" for rate in noisy),
        "Similarity a point",
        f"{confidence(result)} interval",
        "R2",
    ]
    lines = {row["encoder"]: row for row in rows(result, "lines")}
    body = []
    for label in unique(row["encoder"] for row in levels):
        by_rate = {row["wer"]: row for row in levels if row["encoder"] == label}
        body.append(
            [
                text_cell(title(label)),
                *(_percent_cell(by_rate.get(rate), "pearson") for rate in rates),
                *(_percent_cell(by_rate.get(rate), "ratio", interval=True) for rate in noisy),
                *_line_cells(lines.get(label, {})),
            ]
        )
    return data_table(header, body, label="encoders under noise")


def _percent_cell(row: Row | None, name: str, *, interval: bool = False) -> Cell:
    """Return a cell of a number in percent, with its interval if `interval` is set."""
    if row is None:
        return number_cell(None, "")
    ends = span(row.get(f"{name}_low"), row.get(f"{name}_high"), 1) if interval else ""
    return number_cell(row[name], percent(row[name], 1) + (f" ({ends})" if ends else ""))


def _line_cells(line: Row) -> list[Cell]:
    """Return the slope for one point of word error rate, its interval, and R2."""
    slope, low, high = (line.get(name) for name in ("slope", "slope_low", "slope_high"))
    r2 = line.get("r2")
    interval = number_span(_per_point(low), _per_point(high), 4)
    return [
        number_cell(slope, number(_per_point(slope), 4)),
        number_cell(low, interval),
        number_cell(r2, number(r2, 3)),
    ]


def _per_point(slope: float | None) -> float | None:
    return slope / 100 if is_number(slope) else None


def _examples(article: Article) -> Markup:
    """Return some sentences with their noisy versions."""
    examples = rows(article.result, "examples")
    if not examples:
        return Markup()
    body = [
        [
            text_cell(row["sentence"]),
            number_cell(row["wer"], percent(row["wer"], 0)),
            text_cell(row["heard"]),
        ]
        for row in examples
    ]
    return data_table(["said", "WER, %", "heard"], body, label="examples", tall=True)


EXAMPLES = Section("heard", "Heard", "What was heard", _examples)


@dataclass(frozen=True)
class RobustnessPage(Kind):
    """Correlation with people's scores and similarity with the clean sentence, by error rate."""

    name = "robustness"
    cites = ("voleti2019",)
    sections: ClassVar[tuple[Section, ...]] = (EXAMPLES,)

    def headline(self, result: Result) -> str:
        """Return the encoder that follows people's scores best at the highest error rate."""
        return robustness_headline(result)

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return how the study was made, the table of encoders and both charts."""
        result = article.result
        return (
            _introduction(result),
            encoder_table(result),
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
