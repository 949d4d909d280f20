"""All headwords of the lexicon, found and not found, with the candidates of each system.

The script `lexicon.js` makes the list with its search and filters.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.explorer.packing import Data, packed
from misword.report.html.markup import Markup, element, joined, paragraph
from misword.report.result_access import table
from misword.report.utterance_rates import positions
from misword.report.word_lists import by_rank, coded, distinct_words, word_numbers

# Candidates of a headword on the page.
MOST_CANDIDATES = 10
# What became of a headword; `lexicon.js` has the same names.
FOUND, NOT_FOUND, NO_SOURCE, NO_TARGET = range(4)
NOTE = (
    "Every headword of the lexicon. Found: a gold translation is among the candidates. Not found: "
    "none is, though the headword and a gold translation have a vector. Otherwise the headword, or "
    f"all its gold translations, are out of the vocabulary. At most {MOST_CANDIDATES} candidates "
    "of a system are shown."
)


def _section(article: Article) -> Markup:
    data = entry_data(article.result)
    if data is None:
        return Markup()
    block = article.add_data("entries", data)
    place = element("div", class_="entries", id=article.id("lexicon"), data_lexicon=block)
    return joined([paragraph(NOTE, "note"), place])


ENTRIES = Section("entries", "Entries", "All entries, found and not found", _section)


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
