"""A lexicon cut by what its file says of each pair: part of speech, frequency, ..."""

from __future__ import annotations

import numpy as np

from misword.bli.evaluation.gold_ranks import Flags
from misword.core.errors import OptionError
from misword.io.lexicons import Lexicon
from misword.io.transcripts.columns import typed

BANDS = 4
MANY = 12  # more different numbers than this are cut into bands


def cuts(lexicon: Lexicon, column: str) -> dict[str, Flags]:
    """Which pairs have each value of a column, in order of appearance.

    Each part is a lexicon of its own: a headword is in it with the pairs that it has there. Numbers
    of more than a dozen values are cut into four bands with about as many pairs each.

    >>> kinds = {"pos": ("N", "V", "N")}
    >>> gold = Lexicon(("a", "b", "b"), ("x", "y", "z"), (1, 2, 3), columns=kinds)
    >>> {value: pairs.tolist() for value, pairs in cuts(gold, "pos").items()}
    {'N': [True, False, True], 'V': [False, True, False]}
    """
    import polars as pl

    if column not in lexicon.columns:
        known = ", ".join(lexicon.columns) or "none beside the two of words"
        raise OptionError(
            f"no column {column!r} in the lexicon", where=lexicon.name, fix=f"it has: {known}"
        )
    values = typed(pl.Series(lexicon.columns[column], dtype=pl.String))
    if values.dtype.is_numeric() and values.n_unique() > MANY:
        return _bands(values.cast(pl.Float64).to_numpy())
    texts = values.cast(pl.String).fill_null("").to_list()
    names = [text.strip() or "none" for text in texts]
    return {name: np.array([one == name for one in names]) for name in dict.fromkeys(names)}


def _bands(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> dict[str, Flags]:
    """Bands with about as many numbers each, the greatest first."""
    given = ~np.isnan(values)
    edges = np.unique(np.quantile(values[given], np.linspace(0, 1, BANDS + 1)[1:-1]))
    band = np.where(given, np.searchsorted(edges, np.nan_to_num(values), side="left"), -1)
    found: dict[str, Flags] = {}
    for number in sorted(set(band.tolist()), reverse=True):
        inside = band == number
        if number < 0:
            found["none"] = inside
        else:
            low, high = values[inside].min(), values[inside].max()
            found[f"{low:,g} to {high:,g}"] = inside
    return found
