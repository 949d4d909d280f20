"""The page of agreement with people: whether metrics prefer the transcripts that people prefer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.core.formatting import is_number, percent
from misword.core.lazy import pl
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.charts import Figure, Spec, interval_plot, rate_point, tooltip
from misword.report.explorer.data import MAXIMAL_UTTERANCES, add_aligned_words
from misword.report.explorer.section import marks_legend
from misword.report.kinds import Kind
from misword.report.markup import Markup, element, joined, paragraph
from misword.report.packing import Data, packed
from misword.report.tables import page_cells, page_table
from misword.stat.descriptions.people import (
    agreement_table,
    mean_ratings_table,
    reliability_table,
)
from misword.stat.descriptions.result_access import (
    Row,
    Titles,
    confidence,
    forgiving_families,
    metrics,
    rows,
    table,
    titles,
    unique,
)

# The chart of agreement with people: a row for each metric, the best one first.

# The share of triplets, in percent, in which a coin agrees with people.
CHANCE = 50


def agreement_plot(result: Result) -> Figure | None:
    """Return how often each metric prefers what people prefer, by level of consensus.

    The metric that agrees most often at the first level comes first.
    """
    shown = _sorted([row for row in rows(result, "agreement") if is_number(row["agreed"])])
    if not shown:
        return None
    title = titles(result)
    points = [agreement_point(row, title) for row in shown]
    series = unique(point["series"] for point in points)
    fields = tooltip(row="metric", series="people", shown="agreed", interval="interval, %")
    text = "; ".join(
        f"{title(row['metric'])} {percent(row['agreed'], 1)} % (consensus {row['consensus']})"
        for row in shown
    )
    return Figure(
        "agreement",
        f"Agreement with people, {confidence(result)} intervals",
        f"Share of triplets in which the metric prefers what most people chose, ties counted as "
        f"wrong, the metric that agrees most often first: {text}. The dashed line at {CHANCE} % is "
        "what a coin would get.",
        with_chance(
            interval_plot(points, series, title="triplets agreed, %", line=CHANCE, fields=fields)
        ),
        *page_cells(None, replace(agreement_table(result), rows=shown)),
    )


def _sorted(shown: Sequence[Row]) -> list[Row]:
    """Return the rows of each metric together, by its agreement at the first level."""
    order = {row["metric"]: -row["agreed"] for row in reversed(shown)}
    return sorted(shown, key=lambda row: order[row["metric"]])


def with_chance(spec: Spec) -> Spec:
    """Return the plot with a name above the line of chance."""
    label = {
        "mark": {"type": "text", "baseline": "bottom", "dy": -4},
        "encoding": {
            "x": {"datum": CHANCE},
            "y": {"value": 0},
            "text": {"value": f"chance, {CHANCE} %"},
        },
        "data": {"values": [{}]},
    }
    return spec | {"layer": [*spec["layer"], label]}


def agreement_point(row: Row, title: Titles) -> Spec:
    """Return the point of a metric at a level of consensus."""
    level = f"consensus {row['consensus']}"
    return rate_point(title(row["metric"]), level, row["agreed"], row["low"], row["high"], 1)


# All triplets with the verdict of each metric; the script `triplets.js` makes the list.

# What a metric says of a triplet; `triplets.js` has the same names.
RIGHT, WRONG, TIE, NO_MAJORITY = range(4)
# Rates that differ by less are equal: the same costs were added in another order.
TOLERANCE = 1e-9
SIDES = ("a", "b")
TRIPLETS_NOTE = (
    "A metric is right if it gives the lower rate to the hypothesis that most people chose, wrong "
    "if it gives it the higher one. Choose a metric in the filter to see the triplets that it got "
    "wrong. A tie counts as wrong in the chart above."
)


def _triplets_section(article: Article) -> Markup:
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
    parts = [
        paragraph(
            TRIPLETS_NOTE + (f" The last {cut:,} triplets are left out." if cut else ""), "note"
        )
    ]
    if words is not None:
        forgiving = bool(forgiving_families(article.result))
        parts.append(marks_legend(forgiving=forgiving, costs=False))
    return joined([*parts, place])


TRIPLETS = Section(
    "people", "Triplets", "Which metric is wrong on which triplet?", _triplets_section
)


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


@dataclass(frozen=True)
class AgreementPage(Kind):
    """How often each metric agrees with people, and the triplets on which metrics do not."""

    name = "agreement"
    cites = ("hats2023",)
    sections: ClassVar[tuple[Section, ...]] = (TRIPLETS,)

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return the chart of agreement; of ratings, also correlations and reliability."""
        result = article.result
        return (
            article.figure(agreement_plot(result)),
            page_table(article, mean_ratings_table(result), "ratings"),
            page_table(article, reliability_table(result), "reliability"),
        )
