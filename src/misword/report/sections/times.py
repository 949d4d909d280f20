"""The sections on times: errors of begins and ends, recordings most off, and latencies."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from misword.core.formatting import count, number, percent
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.charts import (
    Figure,
    Spec,
    chart,
    color_and_shape,
    panels,
    quantitative,
    tooltip,
)
from misword.report.markup import Cell, Markup, joined, number_cell, paragraph, text_cell
from misword.report.rates import overall_rows
from misword.report.tables import page_table
from misword.stat.descriptions.result_access import lead_metric, rows, table, titles, unique
from misword.stat.descriptions.scores import (
    latency_table,
    partials_table,
    recording_times_table,
    segment_times_table,
    word_times_table,
)
from misword.stat.score_tables import (
    FINAL_SEGMENT,
    LATENCY,
    PARTIALS,
    RECORDING_SEGMENTS,
    RECORDING_TIMES,
    SEGMENT_TIME_ERRORS,
    SEGMENT_TIMES,
    WORD_TIME_ERRORS,
    WORD_TIMES,
)

NOTE = (
    "Words are aligned by their texts; the times of right words are compared where both sides have "
    "them. Positive errors are late."
)
SEGMENT_NOTE = (
    "The begin of a segment is compared if its first word is right and begins a segment on both "
    "sides; its end likewise by its last word."
)
# Bins of the histogram, in milliseconds; errors beyond its ends are in the bins at the ends.
WIDTH, FARTHEST = 50, 500
MOST_PANELS = 12
PANEL_HEIGHT = 140


def histogram(result: Result, record: str, what: str) -> Figure | None:
    """Return the shares of errors of begins and of ends by their size, for each system."""
    found = table(result, record)
    if found is None or not found.height:
        return None
    points: list[Spec] = []
    cells: list[list[Cell]] = []
    for system in found["system"].unique(maintain_order=True)[: MOST_PANELS // 2]:
        for side in ("begin", "end"):
            errors = 1000 * found.filter(system=system)[side].drop_nulls().to_numpy()
            if not len(errors):
                continue
            places = np.clip(np.rint(errors / WIDTH), -FARTHEST // WIDTH, FARTHEST // WIDTH)
            bins, sizes = np.unique(places.astype(np.int64), return_counts=True)
            panel = f"{system}: {side}s"
            for place, size in zip(bins.tolist(), sizes.tolist(), strict=True):
                share = size / len(errors)
                name = _bin_name(place)
                points.append(
                    {"panel": panel, "order": len(cells), "x": place * WIDTH, "y": 100 * share,
                     "shown": f"{percent(share, 1)} %", "bin": name}
                )  # fmt: skip
                cells.append(
                    [text_cell(system), text_cell(side), text_cell(name),
                     number_cell(size, count(size))]
                )  # fmt: skip
    if not points:
        return None
    mark = {"type": "bar", "size": 9}
    encoding = {
        "x": quantitative("x", title="later than in the reference, ms"),
        "y": quantitative("y", title="% of those compared"),
        "tooltip": tooltip(bin="ms later", shown="share"),
    }
    return Figure(
        f"histogram-{record.replace('_', '-')}",
        f"Errors of the times of {what}",
        f"Bars are {WIDTH} ms wide; those at the ends have all errors beyond {FARTHEST} ms.",
        panels(points, PANEL_HEIGHT, {"mark": mark, "encoding": encoding}),
        ["system", "of", "ms later", what],
        cells,
    )


def _bin_name(place: int) -> str:
    edge = FARTHEST // WIDTH
    if abs(place) == edge:
        return f"{'over' if place > 0 else 'below -'}{' ' if place > 0 else ''}{FARTHEST}"
    return f"about {place * WIDTH}"


def _times_section(article: Article) -> Markup:
    return joined(_parts(article))


def _parts(article: Article) -> Iterator[Markup]:
    result = article.result
    if rows(result, WORD_TIME_ERRORS):
        yield paragraph(NOTE, "note")
        yield page_table(article, word_times_table(result), WORD_TIME_ERRORS)
        yield article.figure(histogram(result, WORD_TIMES, "words"))
        yield page_table(article, recording_times_table(result), RECORDING_TIMES)
    if rows(result, SEGMENT_TIME_ERRORS):
        yield paragraph(SEGMENT_NOTE, "note")
        yield page_table(article, segment_times_table(result), SEGMENT_TIME_ERRORS)
        yield article.figure(histogram(result, SEGMENT_TIMES, "segments"))
        worst = recording_times_table(result, RECORDING_SEGMENTS)
        yield page_table(article, worst, RECORDING_SEGMENTS)


TIMES = Section("times", "Times", "How far are the times off?", _times_section)


# Latencies of streams.

LATENCY_NOTE = (
    "Latencies are in seconds from the end of a word or segment in the speech until it is first "
    "shown, and until it is final. Revised words are those of partial results that were taken back."
)


def accuracy_figure(result: Result) -> Figure | None:
    """Return the error rate of each system beside its latency."""
    label, title = lead_metric([m for m in unique(_labels(result)) if _is_rate(m)]), titles(result)
    rates = {row["system"]: row for row in overall_rows(result) if row["metric"] == label}
    final = {row["system"]: row for row in rows(result, LATENCY) if row["of"] == FINAL_SEGMENT}
    shown = [name for name in rates if name in final and rates[name]["rate"] is not None]
    if not shown:
        return None
    points = [
        {
            "series": name,
            "x": final[name]["p50"],
            "x2": final[name]["p95"],
            "y": 100 * rates[name]["rate"],
            "half": f"{number(final[name]['p50'])} s",
            "most": f"{number(final[name]['p95'])} s",
            "rate": f"{percent(rates[name]['rate'])} %",
        }
        for name in shown
    ]
    across, up = "time to the final segment, s: p50 (point) to p95", f"{title(label)}, %"
    colors = color_and_shape("series", shown) if len(shown) <= 6 else {}
    color = {name: encoding for name, encoding in colors.items() if name == "color"}
    place = {"x": quantitative("x", title=across), "y": quantitative("y", title=up)}
    fields = tooltip(series="system", half="p50", most="p95", rate=title(label))
    span = {**place, "x2": {"field": "x2"}, **color}
    spec = chart(
        points,
        height=260,
        layer=[
            {"mark": {"type": "rule", "strokeWidth": 2}, "encoding": span},
            {
                "mark": {"type": "point", "filled": True, "size": 90, "opacity": 1},
                "encoding": {**place, **colors, "tooltip": fields},
            },
        ],
    )
    return Figure(
        "accuracy-latency",
        f"{title(label)} beside latency",
        "Down and to the left is better. "
        + "; ".join(f"{p['series']}: {p['rate']}, {p['half']} (p95 {p['most']})" for p in points),
        spec,
        ["system", title(label), "p50 s", "p95 s"],
        [
            [
                text_cell(name),
                number_cell(rates[name]["rate"], percent(rates[name]["rate"])),
                *(number_cell(final[name][p], number(final[name][p])) for p in ("p50", "p95")),
            ]
            for name in shown
        ],
    )


def _labels(result: Result) -> list[str]:
    return [row["metric"] for row in overall_rows(result)]


def _is_rate(label: str) -> bool:
    return label.partition(":")[0] not in ("latency", "word-times", "segment-times")


def partials_figure(result: Result) -> Figure | None:
    """Return the error rate of partial results by how long before the final one they came."""
    found = [row for row in rows(result, PARTIALS) if row["rate"] is not None]
    if len(found) < 2:
        return None
    order = unique(row["before"] for row in found)
    order.sort(key=lambda name: (name != "final", name.startswith("over"), _edge(name)))
    order.reverse()
    points = [
        {"series": row["system"], "x": row["before"], "y": 100 * row["rate"],
         "shown": f"{percent(row['rate'], 1)} %", "results": count(row["results"])}
        for row in found
    ]  # fmt: skip
    series = unique(row["system"] for row in found)
    encoding = {
        "x": {"field": "x", "type": "nominal", "sort": order, "title": "before the final result",
              "axis": {"labelAngle": 0}},
        "y": quantitative("y", title="WER of the results, %"),
        **(color_and_shape("series", series) if len(series) <= 6 else {}),
        "tooltip": tooltip(series="system", x="before", shown="WER", results="results"),
    }  # fmt: skip
    mark = {"type": "line", "point": {"filled": True, "size": 60}}
    return Figure(
        "partials",
        "Errors of partial results over time",
        "Results from the left to the right come nearer to the final one. "
        + "; ".join(f"{p['series']}, {p['x']}: {p['shown']}" for p in points),
        chart(points, height=220, mark=mark, encoding=encoding),
        ["system", "before", "results", "WER %"],
        [
            [
                *(text_cell(row[name]) for name in ("system", "before")),
                number_cell(row["results"], count(row["results"])),
                number_cell(row["rate"], percent(row["rate"])),
            ]
            for row in found
        ],
    )


def _edge(name: str) -> float:
    numbers = [float(part) for part in name.split() if part.replace(".", "").isdecimal()]
    return numbers[0] if numbers else 0.0


def _latency_section(article: Article) -> Markup:
    result = article.result
    if not rows(result, LATENCY):
        return Markup()
    return joined(
        [
            paragraph(LATENCY_NOTE, "note"),
            page_table(article, latency_table(result), LATENCY),
            article.figure(accuracy_figure(result)),
            article.figure(partials_figure(result)),
            page_table(article, partials_table(result), PARTIALS),
        ]
    )


LATENCIES = Section("latency", "Latency", "How late are the results?", _latency_section)
