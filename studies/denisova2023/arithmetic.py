"""Which cells of the tables follow from counts: Tables 5 and 6, and recall in Tables 1 to 3."""

from __future__ import annotations

import numpy as np

from misword.bli.evaluation.rates import HeadwordCounts, Rate
from misword.core.formatting import percent_of
from studies.denisova2023.published import (
    GOLD,
    SKETCH_ENGINE_PAIRS,
    TABLE_1,
    TABLE_2,
    TABLE_3,
    UNKNOWN,
    Cell,
    rows_of,
)


def headword_counts(pairs: int, heads: int, unknown: int, correct: int, k: int) -> HeadwordCounts:
    """Return counts of a gold lexicon of which `correct` pairs are found among k candidates."""
    sizes = np.ones(heads, np.int64)
    sizes[unknown] += pairs - heads  # the pairs beyond one for each, at the first known headword
    known = (np.arange(heads) >= unknown).astype(np.int64)
    before = np.cumsum(sizes * known) - sizes * known
    found = np.clip(correct - before, 0, sizes) * known
    listed = k * known
    by_k = {k: found}
    return HeadwordCounts(np.arange(heads), known, sizes, sizes * known, listed, by_k, by_k)


def printed(cell: Cell, correct: int, unknown: int | None = None) -> str:
    """Return what a cell of Table 5 or 6 is if so many pairs are correct.

    `unknown` is the number of headwords out of the vocabulary, if it is not that of the table.

    >>> printed(Cell(5, "MUSE-S", "CZ-SK", 1), 718)
    '62.00/47.96'
    """
    without = UNKNOWN[cell.table][cell.languages] if unknown is None else unknown
    counts = headword_counts(*GOLD[cell.languages], without, correct, cell.k)
    shown = []
    for rate in (Rate("precision", cell.k), Rate("recall", cell.k)):
        part, whole = rate.terms(counts).sum(axis=0).tolist()
        shown.append(percent_of(part, whole, truncate=True))
    return "/".join(shown)


def correct_pairs(cell: Cell, value: str, unknown: int | None = None) -> int | None:
    """Return the number of correct pairs that gives both numbers of a cell; None if none does."""
    pairs = GOLD[cell.languages][0]
    near = round(float(value.partition("/")[2]) * pairs / 100)
    possible = range(max(near - 2, 0), near + 3)
    return next((n for n in possible if printed(cell, n, unknown) == value), None)


def recall_follows(value: str, pairs: int) -> bool:
    """Return whether a recall, truncated to two decimals, is that of some number of pairs.

    >>> recall_follows("27.86", 1500), recall_follows("27.85", 1500)
    (True, False)
    """
    near = round(float(value) * pairs / 100)
    return any(percent_of(n, pairs, truncate=True) == value for n in (near - 1, near, near + 1))


def recall_cells() -> dict[int, list[tuple[str, str, int]]]:
    """Return the cells of Tables 1 to 3: system, recall, and pairs of the gold lexicon."""
    estonian, czech, korean = (GOLD[languages][0] for languages in GOLD)
    sizes = {
        1: [estonian, czech, korean] * 2,
        2: [estonian, estonian, czech, czech] * 2,
        3: [korean, korean, SKETCH_ENGINE_PAIRS, SKETCH_ENGINE_PAIRS],
    }
    texts = {1: list(TABLE_1.values()), 2: [TABLE_2], 3: [TABLE_3]}
    return {
        table: [
            (system, cell, pairs)
            for text in texts[table]
            for system, row in rows_of(text).items()
            for cell, pairs in zip(row, of_columns, strict=True)
        ]
        for table, of_columns in sizes.items()
    }
