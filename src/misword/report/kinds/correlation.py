"""The page of correlations: between metrics, and of metrics with downstream scores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from misword.core.formatting import counted, is_number, listed, number
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
from misword.report.markup import Markup, element, joined, paragraph, without_direction_marks
from misword.report.packing import Data, packed
from misword.report.rates import UtteranceRates, positions
from misword.report.sections.metric_correlations import heatmap
from misword.report.tables import page_cells
from misword.stat.descriptions.people import blocks_table, downstream_table
from misword.stat.descriptions.result_access import (
    Row,
    Titles,
    confidence,
    rows,
    table,
    titles,
    unique,
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
        f"{title(row['metric'])} and {series(row)} {number(row['pearson'], 3)}" for row in shown
    )
    return Figure(
        "downstream",
        f"Correlation with downstream scores, {confidence(result)} intervals",
        f"Pearson correlation over blocks of utterances: {text}.",
        spec,
        *page_cells(None, replace(downstream_table(result), rows=shown)),
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
        *page_cells(None, blocks_table(result, labels, score)),
        panels=230,
    )


def _downstream_point(row: Row, metric: str, series: str) -> Spec:
    ends = (row["pearson"], row.get("pearson_low"), row.get("pearson_high"))
    x, low, high = scaled_interval(*ends, scale=1)
    shown = number(row["pearson"], 3)
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
