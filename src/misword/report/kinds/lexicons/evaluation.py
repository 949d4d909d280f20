"""The page of an evaluation: rates, differences, coverage, slices, calibration, entries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.core.formatting import count, counted, is_number, percent, span
from misword.core.lazy import pl
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.charts import (
    Figure,
    Spec,
    interval_plot,
    line_plot,
    rate_point,
    scaled_interval,
    tooltip,
)
from misword.report.kinds import Kind
from misword.report.markup import Markup, element, joined, paragraph
from misword.report.packing import Data, by_rank, coded, distinct_words, packed, word_numbers
from misword.report.rates import positions
from misword.report.sections.confidences import reliability_figure, reliability_point
from misword.report.tables import page_cells, page_table
from misword.stat.descriptions.lexicons import (
    bins_table,
    calibration_table,
    coverage_table,
    differences_table,
    on_slices,
    rates_by_kind,
    rates_table,
    thresholds_table,
    whole_lexicon,
)
from misword.stat.descriptions.result_access import Row, confidence, rows, table, unique

# Hit rate, precision and recall over the whole lexicon, and on other lexicons.

LEXICONS_NOTE = "The other sections of this page are about the first lexicon."


def rate_figure(result: Result) -> Figure | None:
    """Return the chart of all rates: a row for each rate, a point for each system."""
    all_rates = whole_lexicon(result)
    names = unique(row["metric"] for row in all_rates)
    shown = [row for row in all_rates if is_number(row["rate"])]
    if not shown:
        return None
    shown.sort(key=lambda row: names.index(row["metric"]))
    series = unique(row["system"] for row in all_rates)
    fields = tooltip(row="rate", series="system", shown="share", interval="interval, %")
    text = "; ".join(f"{row['system']}: {row['metric']} {percent(row['rate'])} %" for row in shown)
    return Figure(
        "hits",
        f"Rates with {confidence(result)} intervals",
        f"Hit rate, precision and recall of each system: {text}.",
        interval_plot(
            [_point(row, row["metric"]) for row in shown], series, title="%", fields=fields
        ),
        *page_cells(None, rates_table(result, shown).without("k")),
    )


def _point(row: Row, name: str) -> Spec:
    """Return the point of a rate in the row of a chart that has this name."""
    return rate_point(name, row["system"], row["rate"], row["low"], row["high"])


def _by_lexicon(article: Article) -> Markup:
    """Return the rates on each gold lexicon."""
    rates = rows(article.result, "gold_sets")
    if not rates:
        return Markup()
    shown = rates_by_kind(rates_table(article.result, rates, gold="gold lexicon"), "gold")
    table = page_table(article, shown, "gold lexicons")
    return joined([paragraph(LEXICONS_NOTE, "note"), table])


LEXICONS = Section("lexicons", "Lexicons", "Is it the same on other lexicons?", _by_lexicon)


# Differences of mappings and retrievers against the first system.

DIFFERENCES_NOTE = (
    "Positive is better. p by paired permutation test over headwords, corrected for the number of "
    "comparisons (Holm). Hit rates are compared on the headwords that count for both."
)


def _differences_section(article: Article) -> Markup:
    table = page_table(article, differences_table(article.result), "differences", tall=False)
    return joined([element("p", DIFFERENCES_NOTE, class_="note"), table]) if table else table


DIFFERENCES = Section(
    "compared", "Differences", "Is one better than the first?", _differences_section
)


# How much of the gold lexicon the vocabularies of each mapping cover.


def _coverage_section(article: Article) -> Markup:
    return page_table(article, coverage_table(article.result), "coverage", tall=False)


COVERAGE = Section("coverage", "Coverage", "How much of the lexicon is covered", _coverage_section)


# Rates on slices of the lexicon by its columns, such as the part of speech.

# The chart has at most this many slices of a column, the largest ones.
SLICES_SHOWN = 30
COLUMNS_NOTE = (
    "Each system against the first on the same slice. p by paired permutation test over headwords, "
    "corrected for all comparisons on slices (Holm)."
)


def slice_figure(result: Result, column: str, name: str) -> Figure | None:
    """Return the hit rate of each slice of one column: a row for each, a point for each system.

    The slice with the highest rate of the first system comes first. `name` is that of the figure.
    """
    rates = on_slices(result, column)
    hit_rates = [row for row in rates if row["kind"] == "hit" and is_number(row["rate"])]
    if not hit_rates:
        return None
    metric = hit_rates[0]["metric"]
    shown = [row for row in hit_rates if row["metric"] == metric]
    order, sizes, left_out = _ordered(shown)
    shown = sorted(
        (row for row in shown if row["value"] in order), key=lambda row: order.index(row["value"])
    )
    fields = tooltip(row=column, series="system", shown=metric, interval="interval, %")
    text = "; ".join(
        f"{row['value']}, {row['system']}: {percent(row['rate'])} % of {count(row['whole'])}"
        for row in shown
    )
    rest = f" {left_out} smaller slices are in the table only." if left_out else ""
    return Figure(
        name,
        f"{metric} by {column}, {confidence(result)} intervals",
        f"{metric} of each system on each slice, the slice with the highest rate first; numbers in "
        f"brackets are headwords: {text}.{rest}",
        interval_plot(
            [_point(row, f"{row['value']} ({count(sizes[row['value']])})") for row in shown],
            unique(row["system"] for row in rates),
            title=f"{metric}, %",
            fields=fields,
        ),
        *page_cells(None, rates_table(result, shown, value=column).without("k")),
    )


def _ordered(hit_rates: Sequence[Row]) -> tuple[list[str], dict[str, int], int]:
    """Return the largest slices by the rate of the first system, their sizes, and how many more.

    Systems with different vocabularies answer different numbers of headwords: the largest counts.
    """
    sizes: dict[str, int] = {}
    rates: dict[str, float] = {}
    for row in hit_rates:
        sizes[row["value"]] = max(row["whole"], sizes.get(row["value"], 0))
        rates.setdefault(row["value"], row["rate"])
    largest = sorted(sizes, key=lambda value: -sizes[value])[:SLICES_SHOWN]
    order = sorted(largest, key=lambda value: -rates[value])
    return order, sizes, len(sizes) - len(largest)


def _by_column(article: Article) -> Markup:
    """Return the rates for each value of each column of the lexicon, and their differences."""
    result, parts = article.result, []
    columns = (row["column"] for row in rows(result, "rates") if row["column"] is not None)
    for place, column in enumerate(unique(columns)):
        sliced = rates_table(result, on_slices(result, column), value=column)
        parts += [
            element("h4", column),
            article.figure(slice_figure(result, column, f"slices-{place}")),
            page_table(article, rates_by_kind(sliced, "value"), column),
        ]
        differences = differences_table(result, column)
        if differences.rows:
            parts += [
                paragraph(COLUMNS_NOTE, "note"),
                page_table(article, differences, differences.name),
            ]
    return joined(parts)


COLUMNS = Section("columns", "Columns", "Which words, by the columns of the lexicon", _by_column)


# Candidates with probabilities: precision and recall by threshold, and calibration.

THRESHOLD_NOTE = (
    "A candidate is taken if its probability is at least p. Precision: the share of these "
    "candidates that are gold translations; recall: the share of all gold pairs that are among "
    "them."
)
CALIBRATION_NOTE = (
    "Candidates are divided into bins by their probability. If probabilities are right, candidates "
    "with the probability 0.3 are right in 30 % of the cases. The calibration error is the mean "
    "difference of both over all candidates; by chance, right probabilities too have an error of "
    "about the size in the last column."
)


def threshold_figure(result: Result) -> Figure | None:
    """Return the curve of precision and recall over the probability."""
    shown = [row for row in rows(result, "thresholds") if is_number(row["precision"])]
    if not shown:
        return None
    fields = tooltip(series="system", p="p", shown="precision, recall", interval="precision")
    text = "; ".join(
        f"{row['system']} at {row['threshold']:.1f}: precision {percent(row['precision'], 1)} %, "
        f"recall {percent(row['recall'], 1)} %"
        for row in shown
    )
    return Figure(
        "thresholds",
        f"Precision and recall over the probability, {confidence(result)} intervals",
        f"Each point is a threshold of the probability. {text}.",
        line_plot(
            [_threshold_point(row) for row in shown],
            unique(row["system"] for row in shown),
            x="recall, %",
            y="precision, %",
            fields=fields,
        ),
        *page_cells(None, replace(thresholds_table(result), rows=shown)),
    )


def _threshold_point(row: Row) -> Spec:
    y, low, high = scaled_interval(row["precision"], row["precision_low"], row["precision_high"])
    return {
        "series": row["system"],
        "x": 100 * row["recall"],
        "y": y,
        "low": low,
        "high": high,
        "p": f"{row['threshold']:.1f}",
        "shown": f"{percent(row['precision'], 1)} %, {percent(row['recall'], 1)} %",
        "interval": span(row["precision_low"], row["precision_high"], 1),
    }


def calibration_figure(result: Result) -> Figure | None:
    """Return the share of right candidates in each bin, beside the diagonal of right shares."""
    shown = [row for row in rows(result, "calibration") if row["candidates"] == "all"]
    if not shown:
        return None
    points = [
        reliability_point(row["system"], row["probability"], row["right"], row["cases"])
        for row in shown
    ]
    title = "Probabilities and shares of right candidates"
    numbers = page_cells(None, bins_table(result))
    return reliability_figure(
        "calibration", title, points, numbers, what="probability", cases="candidates"
    )


def _thresholds(article: Article) -> Markup:
    figure = threshold_figure(article.result)
    if figure is None:
        return Markup()
    return joined([paragraph(THRESHOLD_NOTE, "note"), article.figure(figure)])


def _calibration(article: Article) -> Markup:
    figure = calibration_figure(article.result)
    if figure is None:
        return Markup()
    note = paragraph(CALIBRATION_NOTE, "note")
    errors = page_table(article, calibration_table(article.result), "calibration errors")
    return joined([note, errors, article.figure(figure)])


THRESHOLDS = Section("thresholds", "Probability", "Which probability is high enough?", _thresholds)
CALIBRATION = Section("calibration", "Calibration", "Are the probabilities right?", _calibration)


# All headwords of the lexicon, found and not found, with the candidates of each system.
#
# The script `lexicon.js` makes the list with its search and filters.

# Candidates of a headword on the page.
MOST_CANDIDATES = 10
# What became of a headword; `lexicon.js` has the same names.
FOUND, NOT_FOUND, NO_SOURCE, NO_TARGET = range(4)
ENTRIES_NOTE = (
    "Every headword of the lexicon. Found: a gold translation is among the candidates. Not found: "
    "none is, though the headword and a gold translation have a vector. Otherwise the headword, or "
    f"all its gold translations, are out of the vocabulary. At most {MOST_CANDIDATES} candidates "
    "of a system are shown."
)


def _entries_section(article: Article) -> Markup:
    data = entry_data(article.result)
    if data is None:
        return Markup()
    block = article.add_data("entries", data)
    place = element("div", class_="entries", id=article.id("lexicon"), data_lexicon=block)
    return joined([paragraph(ENTRIES_NOTE, "note"), place])


ENTRIES = Section("entries", "Entries", "All entries, found and not found", _entries_section)


def entry_data(result: Result) -> Data | None:
    """Return the headwords as data for the script; None for a result without gold pairs.

    Words are numbers in the list `targets`; 0 stands for no word. Gold pairs are in the order of
    their headwords.
    """
    pairs, predictions = table(result, "pairs"), table(result, "predictions")
    if pairs is None or predictions is None:
        return None
    systems = pairs["system"].unique(maintain_order=True).to_list()
    words = pairs["source"].unique(maintain_order=True)
    targets = distinct_words(pairs["target"], predictions["candidate"])
    gold = pairs.filter(system=systems[0])
    headword = positions(gold["source"], words)
    order = np.argsort(headword, kind="stable")
    deepest = int(predictions["rank"].max() or 0)  # type: ignore[arg-type]
    width = min(deepest, MOST_CANDIDATES)
    return {
        "words": words.to_list(),
        "targets": targets.to_list(),
        "width": width,
        "lengths": packed(np.bincount(headword, minlength=len(words))),
        "gold": packed(word_numbers(gold["target"], targets)[order]),
        "columns": _columns(result, gold, order),
        "systems": [
            {
                "name": system,
                **_outcomes(pairs.filter(system=system), headword, order, len(words)),
                **_candidates(predictions.filter(system=system), words, targets, width),
            }
            for system in systems
        ],
    }


def _outcomes(
    pairs: pl.DataFrame, headword: NDArray[np.int64], order: NDArray[np.int64], size: int
) -> Data:
    """Return what became of each headword, and the rank of each gold pair (0: not found)."""
    ranks = pairs["rank"].fill_null(0).to_numpy()

    def any_of(flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
        return np.bincount(headword[flags], minlength=size) > 0

    known, reachable = (pairs[name].to_numpy() for name in ("source_known", "both_known"))
    outcomes = np.select(
        [any_of(ranks > 0), ~any_of(known), ~any_of(reachable)],
        [FOUND, NO_SOURCE, NO_TARGET],
        NOT_FOUND,
    )
    return {"outcomes": packed(outcomes), "ranks": packed(ranks[order])}


def _candidates(
    predictions: pl.DataFrame, words: pl.Series, targets: pl.Series, width: int
) -> Data:
    """Return the candidates of each headword by rank, and which of them are right."""
    listed = predictions.filter(pl.col("candidate").is_not_null())
    at = (positions(listed["word"], words), listed["rank"].to_numpy())
    empty = np.zeros((len(words), width), np.int64)
    numbers = by_rank(*at, word_numbers(listed["candidate"], targets), empty)
    right = by_rank(*at, listed["right"].to_numpy().astype(np.int64), empty)
    return {"candidates": packed(numbers.ravel()), "right": packed(right.ravel())}


def _columns(result: Result, gold: pl.DataFrame, order: NDArray[np.int64]) -> list[Data]:
    """Return the columns that divide the lexicon, with the value of each gold pair."""
    slices = table(result, "slices")
    if slices is None:
        return []
    columns = []
    for column in slices["column"].unique(maintain_order=True).to_list():
        values = gold.join(
            slices.filter(column=column), on=["source", "target"], how="left", maintain_order="left"
        )["value"].fill_null("")
        columns.append({"name": column, **coded(values.gather(order).to_list())})
    return columns


@dataclass(frozen=True)
class EvaluationPage(Kind):
    """Hit rate, precision and recall of each mapping and retriever on a gold lexicon."""

    name = "evaluation"
    content = "lexicon"
    cites = ("conneau2018", "kementchedjhieva2019", "denisova2023", "bisani2004")
    sections: ClassVar[tuple[Section, ...]] = (
        DIFFERENCES, ENTRIES, COLUMNS, LEXICONS, THRESHOLDS, CALIBRATION, COVERAGE,
    )  # fmt: skip

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return the definitions of the rates, their table and their chart."""
        result = article.result
        return (
            _introduction(result),
            page_table(
                article,
                rates_by_kind(rates_table(result, whole_lexicon(result))),
                "rates",
                tall=False,
            ),
            article.figure(rate_figure(result)),
        )

    def citations(self, result: Result) -> Iterable[str]:
        """Return the papers on the rates and, where systems were compared, on the correction."""
        compared = table(result, "compared") is not None
        return (*self.cites, "holm1979") if compared else self.cites


def _introduction(result: Result) -> Markup:
    """Return the size of the lexicon and the definitions of the rates."""
    coverage = rows(result, "coverage")
    size = coverage[0] if coverage else {"pairs": 0, "headwords": 0}
    text = (
        f"{counted(len(result.provenance.get('systems', ())), 'system')} on "
        f"{counted(size['pairs'], 'gold pair')} of {counted(size['headwords'], 'headword')}. "
        "hit@k: headwords with a gold translation among k candidates (rule for words out of the "
        f"vocabulary: {result.provenance.get('oov', 'drop')}); precision@k: candidates that are "
        "gold; recall@k: gold pairs that are found. Intervals are "
        f"{confidence(result)}, by bootstrap over headwords."
    )
    return element("p", text, class_="introduction")
