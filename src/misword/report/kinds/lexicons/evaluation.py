"""How an evaluation of mappings is shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.core.formatting import (
    count,
    counted,
    interval_in_sentence,
    is_number,
    listed,
    number,
    p_in_sentence,
    percent,
    probability,
    signed,
    signed_span,
    span,
)
from misword.core.lazy import pl
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.charts import Figure, Spec, interval_plot, line_plot, scaled_interval, tooltip
from misword.report.kinds import Kind
from misword.report.markup import (
    Cell,
    Markup,
    data_table,
    element,
    joined,
    number_cell,
    paragraph,
    text_cell,
)
from misword.report.packing import Data, by_rank, coded, distinct_words, packed, word_numbers
from misword.report.rates import positions
from misword.report.sections.confidences import reliability_plot, reliability_point
from misword.stat.descriptions.result_access import (
    VERDICT_TEXTS,
    Row,
    Verdict,
    confidence,
    deciding_p,
    rows,
    table,
    unique,
    verdict,
)
from misword.stat.paired import SIGNIFICANCE_LEVEL

# Hit rate, precision and recall over the whole lexicon, and on other lexicons.

NAMES = {"metric": "rate"}
LEXICONS_NOTE = "The other sections of this page are about the first lexicon."


def whole_lexicon(result: Result) -> list[Row]:
    """Return the rates over the whole lexicon."""
    return [row for row in rows(result, "rates") if row["column"] is None]


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
            [rate_point(row, row["metric"]) for row in shown], series, title="%", fields=fields
        ),
        ["rate", "system", "%", "from", "to", "found", "of"],
        [number_cells(row, row["metric"]) for row in shown],
    )


def rate_point(row: Row, name: str) -> Spec:
    """Return the point of a rate in the row of a chart that has this name."""
    x, low, high = scaled_interval(row["rate"], row["low"], row["high"])
    return {
        "row": name,
        "series": row["system"],
        "x": x,
        "low": low,
        "high": high,
        "shown": f"{percent(row['rate'])} %",
        "interval": span(row["low"], row["high"]),
    }


def number_cells(row: Row, name: str) -> list[Cell]:
    """Return the cells of a rate in the numbers of a chart."""
    return [
        text_cell(name),
        text_cell(row["system"]),
        *(number_cell(row[key], percent(row[key])) for key in ("rate", "low", "high")),
        *(number_cell(row[key], count(row[key])) for key in ("part", "whole")),
    ]


def rate_table(
    rates: Sequence[Row], share: str, names: Mapping[str, str] = NAMES, *, label: str = "rates"
) -> Markup:
    """Return a table with a row for each rate, in which the systems stand side by side.

    `names` are the columns of the rows that name a line, with their headings. Where there are other
    names than that of the rate, the number that the rate is a share of is in the table too.
    """
    systems, sizes = unique(row["system"] for row in rates), names is not NAMES
    header = [*names.values(), *(["of"] if sizes else [])]
    header += [heading for system in systems for heading in (f"{system}, %", f"{share} interval")]
    lines: dict[tuple[object, ...], dict[str, Row]] = {}
    for row in rates:
        lines.setdefault(tuple(row[name] for name in names), {})[row["system"]] = row
    body = [
        [
            *map(text_cell, key),
            *([_size_cell(of_line.values())] if sizes else []),
            *(cell for system in systems for cell in _rate_cells(of_line.get(system))),
        ]
        for key, of_line in lines.items()
    ]
    return data_table(header, body, label=label, tall=sizes)


def _rate_cells(row: Row | None) -> tuple[Cell, Cell]:
    if row is None:
        return number_cell(None, ""), number_cell(None, "")
    return (
        number_cell(row["rate"], percent(row["rate"]) or "undefined"),
        number_cell(row["low"], span(row["low"], row["high"])),
    )


def _size_cell(of_line: Iterable[Row]) -> Cell:
    """Return the number that a rate is a share of; a range where the systems differ in it."""
    sizes = [row["whole"] for row in of_line]
    low, high = min(sizes), max(sizes)
    return number_cell(high, count(high) if low == high else f"{count(low)} to {count(high)}")


def _by_lexicon(article: Article) -> Markup:
    """Return the rates on each gold lexicon."""
    rates = rows(article.result, "gold_sets")
    if not rates:
        return Markup()
    names = {"gold": "gold lexicon", **NAMES}
    table = rate_table(rates, confidence(article.result), names, label="gold lexicons")
    return joined([paragraph(LEXICONS_NOTE, "note"), table])


LEXICONS = Section("lexicons", "Lexicons", "Is it the same on other lexicons?", _by_lexicon)


# The headline of an evaluation of mappings.

# The sentence names at most this many systems.
NAMED = 3
# The headwords that hit@k is a share of, by the rule for words out of the vocabulary: a column of
# the table `coverage`.
COUNTED_HEADWORDS = {"drop": "answerable", "source": "source_known"}


def evaluation_headline(result: Result) -> str:
    """Return the hit rate of one system, or the system with the highest and its differences."""
    hit_rates = [row for row in whole_lexicon(result) if row["kind"] == "hit"]
    if not hit_rates:
        return ""
    name = hit_rates[0]["metric"]
    of_systems = [row for row in hit_rates if row["metric"] == name]
    defined = [row for row in of_systems if is_number(row["rate"])]
    if not defined:
        return f"{name} is undefined: no headword can be answered."
    if len(of_systems) == 1:
        only = of_systems[0]
        return f"{only['system']}: {name} {_rate(only, result)}{_left_out(result)}."
    if len({row["whole"] for row in defined}) > 1:
        return _of_different_words(defined, result, name)
    best = max(defined, key=lambda row: row["rate"])
    tied = [row["system"] for row in defined if row["rate"] == best["rate"]]
    verb = "have" if len(tied) > 1 else "has"
    highest = f"{listed(tied)} {verb} the highest {name}: {_rate(best, result)}"
    return f"{highest}{_left_out(result)}; {_against_first(result, name)}."


def _of_different_words(defined: Sequence[Row], result: Result, name: str) -> str:
    """Return the tested differences only, since rates over different headwords have no order."""
    sizes = [row["whole"] for row in defined]
    return (
        f"{name} is of {min(sizes):,} to {max(sizes):,} headwords, since the systems know "
        f"different words; on those that both know, {_against_first(result, name)}."
    )


def _rate(row: Row, result: Result) -> str:
    interval = interval_in_sentence(confidence(result), span(row["low"], row["high"], 1))
    return f"{percent(row['rate'], 1)} %{interval} of {counted(row['whole'], 'headword')}"


def _left_out(result: Result) -> str:
    """Return how many headwords the hit rate leaves out."""
    coverage = rows(result, "coverage")
    column = COUNTED_HEADWORDS.get(result.provenance.get("oov", ""))
    if not coverage or column is None:
        return ""
    left_out = coverage[0]["headwords"] - coverage[0][column]
    return f", {count(left_out)} left out" if left_out else ""


def _against_first(result: Result, name: str) -> str:
    """Return a clause on how the other systems differ from the first."""
    differences = [row for row in rows(result, "compared") if row["metric"] == name]
    if not differences:
        return "nothing tested"
    changes = ", ".join(f"{row['system']} {_change(row)}" for row in differences[:NAMED])
    more = len(differences) - NAMED
    rest = f", and {more} more" if more > 0 else ""
    return f"against {differences[0]['baseline']}: {changes}{rest}"


def _change(row: Row) -> str:
    if not is_number(row["difference"]):
        return "undefined"
    p = deciding_p(row)
    points = f"{signed(row['difference'], 1)} points"
    if p is None:
        return points
    unclear = "not distinguishable, " if p >= SIGNIFICANCE_LEVEL else ""
    return f"{points} ({unclear}{p_in_sentence(p)})"


# Differences of mappings and retrievers against the first system.

DIFFERENCES_NOTE = (
    "Positive is better. p by paired permutation test over headwords, corrected for the number of "
    "comparisons (Holm). Hit rates are compared on the headwords that count for both."
)


def _differences_section(article: Article) -> Markup:
    differences = rows(article.result, "compared")
    if not differences:
        return Markup()
    table = difference_table(differences, confidence(article.result))
    return joined([element("p", DIFFERENCES_NOTE, class_="note"), table])


def difference_table(
    differences: Sequence[Row], share: str, column: str = "", *, label: str = "differences"
) -> Markup:
    """Return the table of differences; with `column`, of slices, whose values come first."""
    header = [*([column] if column else []), "rate", "system", "verdict",
              f"{differences[0]['baseline']}, %", "%", "difference, points", f"{share} interval",
              "p", "headwords", "better", "worse"]  # fmt: skip
    body = [
        [*([text_cell(row["value"])] if column else []), *_difference_cells(row)]
        for row in differences
    ]
    faint = [_verdict(row) not in ("better", "worse") for row in differences]
    return data_table(header, body, label=label, faint=faint, tall=bool(column))


DIFFERENCES = Section(
    "compared", "Differences", "Is one better than the first?", _differences_section
)


def _difference_cells(row: Row) -> list[Cell]:
    p = deciding_p(row)
    return [
        text_cell(row["metric"]),
        text_cell(row["system"]),
        text_cell(VERDICT_TEXTS[_verdict(row)]),
        number_cell(row["baseline_rate"], percent(row["baseline_rate"])),
        number_cell(row["rate"], percent(row["rate"])),
        number_cell(row["difference"], signed(row["difference"], 2)),
        number_cell(row["low"], signed_span(row["low"], row["high"], 2)),
        number_cell(p, probability(p)),
        *(number_cell(row[name], count(row[name])) for name in ("headwords", "better", "worse")),
    ]


def _verdict(row: Row) -> Verdict:
    return verdict(row, lower_is_better=False)


# How much of the gold lexicon the vocabularies of each mapping cover.

# Columns of the table and their headings.
COVERAGE_COLUMNS = {
    "headwords": "headwords",
    "source_known": "with a vector",
    "answerable": "answerable",
    "pairs": "gold pairs",
    "pairs_known": "both words known",
    "targets": "translations",
    "target_known": "with a vector",
    "source_beyond": "headwords cut off",
    "target_beyond": "translations cut off",
}
# Columns that are shown if a mapping says what it was trained on.
SHARED = {
    "shared_pairs": "pairs in training",
    "shared_headwords": "headwords in training",
    "shared_lemmas": "headwords in training, by lemma",
}


def _coverage_section(article: Article) -> Markup:
    coverage = rows(article.result, "coverage")
    if not coverage:
        return Markup()
    known = {name for row in coverage for name in SHARED if row.get(name) is not None}
    columns = COVERAGE_COLUMNS | {name: title for name, title in SHARED.items() if name in known}
    body = [
        [
            text_cell(row["mapping"]),
            *(number_cell(row[name], _count(row[name])) for name in columns),
        ]
        for row in coverage
    ]
    return data_table(["mapping", *columns.values()], body, label="coverage")


COVERAGE = Section("coverage", "Coverage", "How much of the lexicon is covered", _coverage_section)


def _count(number: int | None) -> str:
    return "not known" if number is None else count(number)


# Rates on slices of the lexicon by its columns, such as the part of speech.

# The chart has at most this many slices of a column, the largest ones.
SLICES_SHOWN = 30
COLUMNS_NOTE = (
    "Each system against the first on the same slice. p by paired permutation test over headwords, "
    "corrected for all comparisons on slices (Holm)."
)


def slice_figure(rates: Sequence[Row], name: str, share: str) -> Figure | None:
    """Return the hit rate of each slice of one column: a row for each, a point for each system.

    The slice with the highest rate of the first system comes first. `name` is that of the figure.
    """
    hit_rates = [row for row in rates if row["kind"] == "hit" and is_number(row["rate"])]
    if not hit_rates:
        return None
    metric, column = hit_rates[0]["metric"], hit_rates[0]["column"]
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
        f"{metric} by {column}, {share} intervals",
        f"{metric} of each system on each slice, the slice with the highest rate first; numbers in "
        f"brackets are headwords: {text}.{rest}",
        interval_plot(
            [rate_point(row, f"{row['value']} ({count(sizes[row['value']])})") for row in shown],
            unique(row["system"] for row in rates),
            title=f"{metric}, %",
            fields=fields,
        ),
        [column, "system", f"{metric}, %", "from", "to", "found", "of"],
        [number_cells(row, row["value"]) for row in shown],
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
    sliced = [row for row in rows(article.result, "rates") if row["column"] is not None]
    differences = rows(article.result, "compared_slices")
    share, parts = confidence(article.result), []
    for place, column in enumerate(unique(row["column"] for row in sliced)):
        of_column = [row for row in sliced if row["column"] == column]
        names = {"value": column, "metric": "rate"}
        parts += [
            element("h4", column),
            article.figure(slice_figure(of_column, f"slices-{place}", share)),
            rate_table(of_column, share, names, label=column),
        ]
        compared = [row for row in differences if row["column"] == column]
        if compared:
            parts += [
                paragraph(COLUMNS_NOTE, "note"),
                difference_table(compared, share, column, label=f"differences by {column}"),
            ]
    return joined(parts)


COLUMNS = Section("columns", "Columns", "Which words, by the columns of the lexicon", _by_column)


# Candidates with probabilities: precision and recall by threshold, and calibration.

DIAGONAL = "probability = share"
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
        ["system", "p", "candidates", "headwords", "precision, %", "", "recall, %", ""],
        [_threshold_cells(row) for row in shown],
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


def _threshold_cells(row: Row) -> list[Cell]:
    cells = [text_cell(row["system"]), number_cell(row["threshold"], f"{row['threshold']:.1f}")]
    cells += [number_cell(row[name], count(row[name])) for name in ("candidates", "headwords")]
    for name in ("precision", "recall"):
        low, high = row[f"{name}_low"], row[f"{name}_high"]
        cells += [number_cell(row[name], percent(row[name])), number_cell(low, span(low, high))]
    return cells


def calibration_figure(result: Result) -> Figure | None:
    """Return the share of right candidates in each bin, beside the diagonal of right shares."""
    every = rows(result, "calibration")
    shown = [row for row in every if row["candidates"] == "all"]
    if not shown:
        return None
    points = [
        reliability_point(row["system"], row["probability"], row["right"], row["cases"])
        for row in shown
    ]
    fields = tooltip(series="system", said="probability", shown="right", cases="candidates")
    text = "; ".join(f"{point['series']}: {point['said']} is {point['shown']}" for point in points)
    return Figure(
        "calibration",
        "Probabilities and shares of right candidates",
        "A point on the diagonal is a probability that is right; its vertical line contains 95 % "
        f"of the shares that chance allows. {text}.",
        reliability_plot(
            points,
            DIAGONAL,
            x="mean probability of the bin",
            y="share of right candidates",
            fields=fields,
        ),
        ["system", "candidates", "from", "to", "number", "probability", "right"],
        [_bin_cells(row) for row in every],
    )


def _bin_cells(row: Row) -> list[Cell]:
    return [
        text_cell(row["system"]),
        text_cell(row["candidates"]),
        *(number_cell(row[name], number(row[name], 1)) for name in ("low", "high")),
        number_cell(row["cases"], count(row["cases"])),
        *(number_cell(row[name], number(row[name], 3)) for name in ("probability", "right")),
    ]


def _errors(result: Result) -> Markup:
    """Return the table of calibration errors."""
    body = [
        [
            text_cell(row["system"]),
            text_cell(row["candidates"]),
            number_cell(row["cases"], count(row["cases"])),
            *(number_cell(row[name], number(row[name], 4)) for name in ("error", "by_chance")),
        ]
        for row in rows(result, "calibration_errors")
    ]
    header = ["system", "candidates", "number", "calibration error", "by chance"]
    return data_table(header, body, label="calibration errors")


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
    return joined([note, _errors(article.result), article.figure(figure)])


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

    Words are numbers in the list `targets`; 0 is no word. Gold pairs are in the order of their
    headwords.
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
    cites = ("conneau2018", "kementchedjhieva2019", "denisova2023", "bisani2004")
    sections: ClassVar[tuple[Section, ...]] = (
        DIFFERENCES, ENTRIES, COLUMNS, LEXICONS, THRESHOLDS, CALIBRATION, COVERAGE,
    )  # fmt: skip

    def headline(self, result: Result) -> str:
        """Return the hit rate of one system, or the system with the highest."""
        return evaluation_headline(result)

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return the definitions of the rates, their table and their chart."""
        result = article.result
        return (
            _introduction(result),
            rate_table(whole_lexicon(result), confidence(result)),
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
