"""Slices of a gold lexicon by the values of a column: part of speech, frequency, ..."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from misword.bli.evaluation.headword_counts import PairFlags
from misword.core.errors import OptionError
from misword.io.lexicons import Lexicon
from misword.io.transcripts.columns import typed

# Which pairs are in each slice, by column of the lexicon and value of the column.
Slices = Mapping[str, Mapping[str, PairFlags]]

BANDS = 4
MOST_NUMBERS = 12  # a column with more distinct numbers is divided into bands


def slices_of(lexicon: Lexicon, column: str) -> dict[str, PairFlags]:
    """Return which pairs have each value of a column, in order of appearance.

    Each slice is a lexicon of its own: a headword is in it with the pairs that it has there. A
    column of numbers with more than twelve values is divided into four bands with about the same
    number of pairs.

    >>> columns = {"pos": ("N", "V", "N")}
    >>> gold = Lexicon(("a", "b", "b"), ("x", "y", "z"), (1, 2, 3), columns=columns)
    >>> {value: pairs.tolist() for value, pairs in slices_of(gold, "pos").items()}
    {'N': [True, False, True], 'V': [False, True, False]}
    """
    import polars as pl

    if column not in lexicon.columns:
        columns = ", ".join(lexicon.columns) or "none beside the two of words"
        raise OptionError(
            f"no column {column!r} in the lexicon", where=lexicon.name, fix=f"it has: {columns}"
        )
    values = typed(pl.Series(lexicon.columns[column], dtype=pl.String))
    if values.dtype.is_numeric() and values.n_unique() > MOST_NUMBERS:
        return _bands(values.cast(pl.Float64).to_numpy())
    texts = values.cast(pl.String).fill_null("").to_list()
    labels = [text.strip() or "none" for text in texts]
    return {name: np.array([label == name for label in labels]) for name in dict.fromkeys(labels)}


def _bands(values: NDArray[np.float64]) -> dict[str, PairFlags]:
    """Return bands with about the same number of values, the greatest values first.

    Missing values (nan) are a band of their own, `none`.
    """
    present = ~np.isnan(values)
    edges = np.unique(np.quantile(values[present], np.linspace(0, 1, BANDS + 1)[1:-1]))
    band_of = np.where(present, np.searchsorted(edges, np.nan_to_num(values), side="left"), -1)
    bands: dict[str, PairFlags] = {}
    for band in sorted(set(band_of.tolist()), reverse=True):
        inside = band_of == band
        if band < 0:
            bands["none"] = inside
        else:
            low, high = values[inside].min(), values[inside].max()
            bands[f"{low:,g} to {high:,g}"] = inside
    return bands
