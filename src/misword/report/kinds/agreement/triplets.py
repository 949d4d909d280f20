"""All triplets with the verdict of each metric; the script `triplets.js` makes the list."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.explorer.data import MAXIMAL_UTTERANCES
from misword.report.explorer.packing import Data, packed
from misword.report.explorer.section import marks_legend
from misword.report.html.markup import Markup, element, joined, paragraph
from misword.report.result_access import forgiving_families, metrics, table, titles
from misword.report.sections.aligned_words import add_aligned_words

# What a metric says of a triplet; `triplets.js` has the same names.
RIGHT, WRONG, TIE, NO_MAJORITY = range(4)
# Rates that differ by less are equal: the same costs were added in another order.
TOLERANCE = 1e-9
SIDES = ("a", "b")
NOTE = (
    "A metric is right if it gives the lower rate to the hypothesis that most people chose, wrong "
    "if it gives it the higher one. Choose a metric in the filter to see the triplets that it got "
    "wrong. A tie counts as wrong in the chart above."
)


def _section(article: Article) -> Markup:
    triplets = table(article.result, "triplets")
    if triplets is None:
        return Markup()
    shown = triplets.head(MAXIMAL_UTTERANCES)
    data = triplet_data(article.result, shown)
    if not data["metrics"]:
        return Markup()
    block = article.add_data("triplets", data)
    ids = shown["triplet"].cast(pl.String).to_list()
    words = add_aligned_words(article, "triplet-words", ids, SIDES)
    place = element(
        "div", class_="triplets", id=article.id("choices"), data_triplets=block, data_words=words
    )
    cut = len(triplets) - len(shown)
    parts = [paragraph(NOTE + (f" The last {cut:,} triplets are left out." if cut else ""), "note")]
    if words is not None:
        forgiving = bool(forgiving_families(article.result))
        parts.append(marks_legend(forgiving=forgiving, costs=False))
    return joined([*parts, place])


TRIPLETS = Section("people", "Triplets", "Which metric is wrong on which triplet?", _section)


def triplet_data(result: Result, triplets: pl.DataFrame) -> Data:
    """Return the triplets as data for the script: texts, votes, and each metric's verdict."""
    title = titles(result)
    votes = triplets.select("votes_a", "votes_b").to_numpy()
    labels = [label for label in metrics(result) if f"{label}.a" in triplets.columns]
    return {
        "ids": triplets["triplet"].cast(pl.String).to_list(),
        **{name: triplets[name].fill_null("").to_list() for name in ("reference", *SIDES)},
        "votes": [packed(votes[:, side]) for side in range(2)],
        "metrics": [
            {
                "name": title(label),
                "rates": [packed(rates.astype(np.float32)) for rates in _rates(triplets, label)],
                "verdicts": packed(verdicts(votes, *_rates(triplets, label))),
            }
            for label in labels
        ],
    }


def _rates(triplets: pl.DataFrame, label: str) -> list[NDArray[np.float64]]:
    """Return the rates of both hypotheses; nan where a rate is undefined."""
    columns = (triplets[f"{label}.{side}"].cast(pl.Float64) for side in SIDES)
    return [column.fill_null(float("nan")).to_numpy() for column in columns]


def verdicts(
    votes: NDArray[np.int64], a: NDArray[np.float64], b: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Return what a metric with the rates `a` and `b` says of each triplet.

    >>> votes = np.array([[7, 0], [7, 0], [7, 0], [3, 3]])
    >>> verdicts(votes, np.array([0.1, 0.2, 0.2, 0.1]), np.array([0.2, 0.1, 0.2, 0.2])).tolist()
    [0, 1, 2, 3]
    """
    margin = votes[:, 0].astype(np.int64) - votes[:, 1]
    tied = ~np.isfinite(a - b) | np.isclose(a, b, rtol=TOLERANCE, atol=TOLERANCE)
    right = (a < b) == (margin > 0)
    return np.select([margin == 0, tied, right], [NO_MAJORITY, TIE, RIGHT], WRONG)
