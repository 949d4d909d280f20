"""Two metrics, utterance by utterance: a scatter plot with axes to choose and dots to click.

The script `scatter.js` draws it. Utterances at nearly the same place are one dot, so that a page
with tens of thousands of them stays quick.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.explorer.data import MAXIMAL_UTTERANCES
from misword.report.explorer.packing import Data, packed
from misword.report.html.markup import Markup, element, joined, paragraph
from misword.report.result_access import table, titles
from misword.report.utterance_rates import UtteranceRates, positions

NOTE = (
    "Each dot is an utterance, or several at nearly the same place; a larger dot has more of them. "
    "A click on a dot shows its utterances. The arrow keys move from dot to dot."
)


def _section(article: Article) -> Markup:
    rates = article.rates
    if rates is None or len(rates.labels) < 2:
        return Markup()
    block = article.add_data("scatter", scatter_data(article.result, rates))
    place = element("div", class_="scatter", id=article.id("dots"), data_scatter=block)
    cut = len(rates.ids) - MAXIMAL_UTTERANCES
    left_out = f" The last {cut:,} utterances are left out." if cut > 0 else ""
    return joined([paragraph(NOTE + left_out, "note"), place])


SCATTER = Section("scatter", "Scatter", "Two metrics, utterance by utterance", _section)


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
