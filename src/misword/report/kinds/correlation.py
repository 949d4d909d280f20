"""How correlations are shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import ClassVar

import numpy as np

from misword.core.formatting import (
    count,
    counted,
    interval_in_sentence,
    is_number,
    listed,
    number,
    number_span,
    percent,
)
from misword.core.lazy import pl
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.charts import (
    FREE_SCALE,
    Figure,
    Spec,
    color_and_shape,
    interval_plot,
    quantitative,
    scaled_interval,
    small_multiples,
    tooltip,
)
from misword.report.explorer.data import MAXIMAL_UTTERANCES
from misword.report.kinds import Kind
from misword.report.markup import (
    Cell,
    Markup,
    element,
    joined,
    number_cell,
    paragraph,
    text_cell,
    without_direction_marks,
)
from misword.report.packing import Data, packed
from misword.report.rates import UtteranceRates, positions
from misword.report.sections.metric_correlations import COEFFICIENTS, correlation_cell, heatmap
from misword.stat.descriptions.result_access import (
    Row,
    Titles,
    confidence,
    rows,
    table,
    titles,
    unique,
)

# The headline of correlations.


def correlation_headline(result: Result) -> str:
    """Return which metrics are most and least alike, and which follows a downstream score best."""
    pairs = [row for row in rows(result, "metrics") if row["a"] != row["b"]]
    pairs = [row for row in pairs if is_number(row["pearson"])]
    clauses = [_between_metrics(pairs, titles(result)), _with_downstream_score(result)]
    sentence = "; ".join(clause for clause in clauses if clause)
    return f"{sentence}." if sentence else ""


def _between_metrics(pairs: list[Row], title: Titles) -> str:
    """Return the closest pair, and the metric with the lowest mean correlation."""
    if not pairs:
        return ""
    labels = unique(name for row in pairs for name in (row["a"], row["b"]))
    closest = max(pairs, key=lambda row: row["pearson"])
    names = listed([title(closest["a"]), title(closest["b"])])
    if len(labels) == 2:
        return f"{names} have a Pearson correlation of {number(closest['pearson'])}"
    means = {
        label: fmean(row["pearson"] for row in pairs if label in (row["a"], row["b"]))
        for label in labels
    }
    farthest = min(labels, key=lambda label: means[label])
    return (
        f"{names} are most alike (Pearson {number(closest['pearson'])}); {title(farthest)} is "
        f"least like the others ({number(means[farthest])} on average)"
    )


def _with_downstream_score(result: Result) -> str:
    """Return the metric with the strongest correlation with the first downstream score."""
    shown = [row for row in rows(result, "downstream") if is_number(row["pearson"])]
    if not shown:
        return ""
    shown = [row for row in shown if row["score"] == shown[0]["score"]]
    title = titles(result)
    # Metrics are error rates. A metric follows a score of which higher is better if it is low
    # where the score is high: their correlation is negative.
    better = result.provenance.get("better", {}).get(shown[0]["score"], "higher")
    sign = -1 if better == "higher" else 1
    best = max(shown, key=lambda row: sign * row["pearson"])
    span = number_span(best.get("pearson_low"), best.get("pearson_high"))
    follows = "follows" if len(unique(row["metric"] for row in shown)) == 1 else "best follows"
    several = len(unique(row["system"] for row in shown)) > 1
    of_system = f" of {best['system']}" if several else ""
    return (
        f"{title(best['metric'])} {follows} {title(best['score'])}: Pearson "
        f"{number(best['pearson'])}{interval_in_sentence(confidence(result), span)} over "
        f"{counted(best['blocks'], 'block')}{of_system}"
    )


# Metrics against scores of a later step, such as the BLEU of the translated transcripts.

# A scatter plot has at most this many panels.
PANELS = 12


def _downstream_section(article: Article) -> Markup:
    return article.figures([downstream_plot(article.result), *block_plots(article.result)])


DOWNSTREAM = Section(
    "downstream", "Downstream", "Do the metrics follow downstream scores?", _downstream_section
)


def downstream_plot(result: Result) -> Figure | None:
    """Return the correlation of each metric with each score, with its interval."""
    shown = [row for row in rows(result, "downstream") if is_number(row["pearson"])]
    if not shown:
        return None
    title = titles(result)
    several = len(unique(row.get("system") for row in shown)) > 1

    def series(row: Row) -> str:
        return title(row["score"]) + (f", {row['system']}" if several else "")

    spec = interval_plot(
        [_downstream_point(row, title(row["metric"]), series(row)) for row in shown],
        unique(series(row) for row in shown),
        title="Pearson correlation over blocks",
        line=0 if _reaches_zero(shown) else None,
        fields=tooltip(row="metric", series="score", shown="Pearson"),
    )
    text = "; ".join(
        f"{title(row['metric'])} and {series(row)} {number(row['pearson'])}" for row in shown
    )
    return Figure(
        "downstream",
        f"Correlation with downstream scores, {confidence(result)} intervals",
        f"Pearson correlation over blocks of utterances: {text}.",
        spec,
        ["metric", "score", *(name.capitalize() for name in COEFFICIENTS), "blocks"],
        [
            [
                text_cell(title(row["metric"])),
                text_cell(series(row)),
                *(correlation_cell(row, name) for name in COEFFICIENTS),
                number_cell(row["blocks"], count(row["blocks"])),
            ]
            for row in shown
        ],
    )


def _reaches_zero(shown: Sequence[Row]) -> bool:
    """Return whether zero is within the range of the values and their intervals."""
    names = ("pearson", "pearson_low", "pearson_high")
    ends: list[float] = [row[name] for row in shown for name in names if is_number(row.get(name))]
    return min(ends) <= 0 <= max(ends)


def block_plots(result: Result) -> list[Figure]:
    """Return for each score the scatter plots of the blocks of utterances, a panel per metric."""
    downstream = rows(result, "downstream")
    labels = unique(row["metric"] for row in downstream)[:PANELS]
    scores = unique(row["score"] for row in downstream)
    figures = [_block_plot(result, labels, score, place) for place, score in enumerate(scores)]
    return [figure for figure in figures if figure is not None]


def _block_plot(result: Result, labels: list[str], score: str, place: int) -> Figure | None:
    blocks, title = rows(result, "blocks"), titles(result)
    points = _block_points(blocks, labels, score, title)
    if not points:
        return None
    systems = unique(row["system"] for row in blocks)
    return Figure(
        f"scatter-{place}",
        f"{title(score)} of blocks of utterances",
        f"Each point is a block of utterances of {listed(systems)}: {title(score)} against the "
        f"rate of a metric, in {len(labels)} panels. The correlations are in the figure before.",
        _scatter_spec(points, systems, title(score)),
        ["system", "block", *(f"{title(label)}, %" for label in labels), title(score)],
        [
            [
                text_cell(row["system"]),
                text_cell(row["block"]),
                *(_cell(row.get(label), is_rate=True) for label in labels),
                _cell(row.get(score), is_rate=False),
            ]
            for row in blocks
        ],
        panels=230,
    )


def _downstream_point(row: Row, metric: str, series: str) -> Spec:
    ends = (row["pearson"], row.get("pearson_low"), row.get("pearson_high"))
    x, low, high = scaled_interval(*ends, scale=1)
    shown = number(row["pearson"])
    return {"row": metric, "series": series, "x": x, "low": low, "high": high, "shown": shown}


def _block_points(
    blocks: Sequence[Row], labels: Sequence[str], score: str, title: Titles
) -> list[Spec]:
    return [
        {
            "order": order,
            "panel": f"{title(label)}, %",
            "series": row["system"],
            "x": 100 * row[label],
            "y": row[score],
            "block": row["block"],
        }
        for order, label in enumerate(labels)
        for row in blocks
        if is_number(row.get(label)) and is_number(row.get(score))
    ]


def _scatter_spec(points: Sequence[Spec], systems: Sequence[str], score: str) -> Spec:
    encoding = {
        "x": quantitative("x", scale=FREE_SCALE),
        "y": quantitative("y", title=score, scale=FREE_SCALE),
        **color_and_shape("series", systems),
        "tooltip": tooltip(block="block", series="system", panel="metric", x="rate, %", y=score),
    }
    spec = small_multiples(points, 160, {"type": "point", "size": 30}, encoding)
    # The name of a panel stands below it, as the title of its horizontal axis.
    spec["facet"]["header"] = {"labelOrient": "bottom", "labelLimit": 280}
    return spec


def _cell(value: float | None, *, is_rate: bool) -> Cell:
    return number_cell(value, percent(value) if is_rate else number(value))


# Two metrics, utterance by utterance: a scatter plot with axes to choose and dots to click.
#
# The script `scatter.js` draws it. Utterances at nearly the same place are one dot, so that a page
# with tens of thousands of them stays quick.

SCATTER_NOTE = (
    "Each dot is an utterance, or several at nearly the same place; a larger dot has more of them. "
    "A click on a dot shows its utterances. The arrow keys move from dot to dot."
)


def _scatter_section(article: Article) -> Markup:
    rates = article.rates
    if rates is None or len(rates.labels) < 2:
        return Markup()
    block = article.add_data("scatter", scatter_data(article.result, rates))
    place = element("div", class_="scatter", id=article.id("dots"), data_scatter=block)
    cut = len(rates.ids) - MAXIMAL_UTTERANCES
    left_out = f" The last {cut:,} utterances are left out." if cut > 0 else ""
    return joined([paragraph(SCATTER_NOTE + left_out, "note"), place])


SCATTER = Section("scatter", "Scatter", "Two metrics, utterance by utterance", _scatter_section)


def scatter_data(result: Result, rates: UtteranceRates) -> Data:
    """Return rates and texts as data for the script; no texts for a result without them."""
    ids, title = rates.ids[:MAXIMAL_UTTERANCES], titles(result)
    texts = table(result, "texts")
    references: list[str] = []
    hypotheses: list[list[str]] = []
    if texts is not None:
        of_systems = [_of_utterances(texts.filter(system=name), ids) for name in rates.systems]
        references = of_systems[0]["reference"].to_list()
        hypotheses = [frame["hypothesis"].to_list() for frame in of_systems]
    return {
        "ids": ids,
        "systems": rates.systems,
        "metrics": [title(label) for label in rates.labels],
        "rates": packed(rates.rates[:, :, : len(ids)].astype(np.float32)),
        "references": references,
        "hypotheses": hypotheses,
    }


def _of_utterances(texts: pl.DataFrame, ids: list[str]) -> pl.DataFrame:
    """Return the texts of the utterances in their order; empty where an utterance has none."""
    places = pl.Series(positions(pl.Series(ids, dtype=pl.String), texts["utt"].cast(pl.String)))
    found = texts.select("reference", "hypothesis")[places.replace(-1, None)]
    return found.fill_null("")


@dataclass(frozen=True)
class CorrelationPage(Kind):
    """Correlations between metrics, and of metrics with scores of the translated transcripts."""

    name = "correlation"
    sections: ClassVar[tuple[Section, ...]] = (SCATTER, DOWNSTREAM)

    def headline(self, result: Result) -> str:
        """Return which metrics are most alike, and which one follows a downstream score best."""
        return correlation_headline(result)

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return the size of the data and the correlations between metrics."""
        result = article.result
        text = without_direction_marks(" ".join(_introduction(result)))
        return paragraph(text, "introduction"), article.figure(
            heatmap(result, rows(result, "metrics"))
        )

    def citations(self, result: Result) -> Iterable[str]:
        """Return the paper on correlation with translation scores, where there are any."""
        return ("le2016",) if table(result, "downstream") is not None else ()


def _introduction(result: Result) -> Iterable[str]:
    """Yield sentences on the size of the data and of its blocks."""
    provenance = result.provenance
    if "utterances" not in provenance:
        return
    systems = counted(len(provenance.get("systems", ())), "system")
    yield f"{systems}, {counted(provenance['utterances'], 'utterance')}."
    if provenance.get("block_size"):
        yield f"Blocks of {counted(provenance['block_size'], 'utterance')}."
