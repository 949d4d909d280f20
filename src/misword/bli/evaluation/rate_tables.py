"""Tables of an evaluation: rates and differences, for the whole gold lexicon and its slices.

A slice has the gold pairs with one value of a column (part of speech, frequency, ...) or one flag
of an audit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.bli.evaluation.gold_ranks import GoldRanks
from misword.bli.evaluation.inputs import EvaluationSettings
from misword.bli.evaluation.rates import HeadwordCounts, PairFlags, Rate, quotient
from misword.bli.flags import FLAGS
from misword.bli.inputs import missing_column
from misword.core.errors import InputError, MismatchError, OptionError
from misword.core.lazy import pl
from misword.io.lexicons import Lexicon
from misword.io.transcripts.columns import typed
from misword.stat.bootstrap import Bootstrap, interval
from misword.stat.paired import holm, paired

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
    if column not in lexicon.columns:
        raise missing_column(lexicon, column)
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


# Slices of a gold lexicon by the flags that `misword audit -o` wrote into its columns.

THRESHOLD = 0.5  # the probability from which a pair has a flag
FIX = "flags are columns of the lexicons that `misword audit -o FILE` writes"


def flag_columns(lexicon: Lexicon) -> tuple[str, ...]:
    """Return the columns of a lexicon that are flags; raise if it has none."""
    known = FLAGS.entries()
    found = tuple(column for column in lexicon.columns if column in known)
    if not found:
        raise OptionError("no flags in the lexicon", where=lexicon.name, fix=FIX)
    return found


def slices_by(lexicon: Lexicon, column: str) -> dict[str, PairFlags]:
    """Return the slices of a column: the pairs with and without a flag, or those of its values.

    A flag that all pairs have, or none, gives one slice.

    >>> gold = Lexicon(("a", "b"), ("x", "y"), (1, 2), columns={"identical": ("0.00", "1.00")})
    >>> {value: pairs.tolist() for value, pairs in slices_by(gold, "identical").items()}
    {'no': [True, False], 'yes': [False, True]}
    """
    if column not in FLAGS.entries() or column not in lexicon.columns:
        return slices_of(lexicon, column)
    try:
        flagged = np.array([float(value or 0) >= THRESHOLD for value in lexicon.columns[column]])
    except ValueError as error:
        raise InputError(
            f"column {column!r} has other values than probabilities: {error}",
            where=lexicon.name,
            fix=FIX,
        ) from None
    slices = {"no": ~flagged, "yes": flagged}
    return {value: pairs for value, pairs in slices.items() if pairs.any()}


# The table of rates: each system, rate and slice of the lexicon, with confidence intervals.


def rate_table(
    systems: Sequence[GoldRanks], slices: Slices, settings: EvaluationSettings
) -> pl.DataFrame:
    """Return a row for each system, slice and rate; `column` is null for the whole lexicon."""
    rows: list[dict[str, Any]] = []
    for ranks in systems:
        whole: dict[str, Any] = {"system": ranks.system, "column": None, "value": None}
        rows += _rate_rows(ranks.counts(settings.k_values), settings, whole)
        for column, values in slices.items():
            for value, pairs in values.items():
                names = whole | {"column": column, "value": value}
                rows += _rate_rows(ranks.counts(settings.k_values, pairs), settings, names)
    return pl.DataFrame(rows, infer_schema_length=None).fill_nan(None)


def _rate_rows(
    counts: HeadwordCounts, settings: EvaluationSettings, names: dict[str, Any]
) -> list[dict[str, Any]]:
    """Return a row for each rate of one system and one slice, which `names` names."""
    rows = []
    for rate in settings.rates:
        terms = rate.terms(counts)
        included = terms[terms[:, 1] > 0]
        low, high = interval(included, quotient, settings.bootstrap)
        part, whole = included.sum(axis=0).tolist()
        row = names | {"metric": rate.name, "kind": rate.kind, "k": rate.k}
        row |= {"rate": part / whole if whole else np.nan, "low": low, "high": high}
        row |= {"part": part, "whole": whole, "headwords": len(included)}
        rows.append(row)
    return rows


# Differences between mappings on the same gold words, with intervals and p-values.


def differences(
    systems: Sequence[GoldRanks], rates: Sequence[Rate], bootstrap: Bootstrap
) -> pl.DataFrame:
    """Compare each system with the first one: a row for each rate and each other system.

    A positive difference is a gain. Both hit rates of a row are over the headwords that count for
    both systems; otherwise each mapping would be tested on other words, those that its vocabulary
    has. `left_out` is the number of headwords that count for one of the two systems only. Precision
    and recall count every gold word, so nothing is left out of them. `better`, `worse` and `same`
    are numbers of headwords. p-values are of a paired permutation test over headwords; `p_holm` is
    corrected for the number of rows.
    """
    return _corrected(_difference_rows(systems, rates, bootstrap))


def slice_differences(
    systems: Sequence[GoldRanks], slices: Slices, rates: Sequence[Rate], bootstrap: Bootstrap
) -> pl.DataFrame:
    """Compare each system with the first one on each slice of the lexicon.

    `column` and `value` name the slice; the other columns are those of `differences`. `p_holm` is
    corrected for the number of rows of the table.
    """
    rows = [
        {"column": column, "value": value} | row
        for column, values in slices.items()
        for value, pairs in values.items()
        for row in _difference_rows(systems, rates, bootstrap, pairs)
    ]
    return _corrected(rows)


def _difference_rows(
    systems: Sequence[GoldRanks],
    rates: Sequence[Rate],
    bootstrap: Bootstrap,
    pairs: PairFlags | None = None,
) -> list[dict[str, Any]]:
    """Return a row for each rate and each system but the first."""
    first, *others = systems
    return [
        {"metric": rate.name, "system": other.system, "baseline": first.system}
        | difference(first, other, rate, bootstrap, pairs)
        for rate in rates
        for other in others
    ]


def _corrected(rows: Sequence[dict[str, Any]]) -> pl.DataFrame:
    """Return the rows as a table, with p-values corrected for their number."""
    table = pl.DataFrame(rows, infer_schema_length=None)
    if not rows:
        return table
    corrected = holm(table["p"].cast(pl.Float64).fill_null(np.nan).to_list())
    return table.with_columns(pl.Series("p_holm", corrected)).fill_nan(None)


def difference(
    first: GoldRanks,
    other: GoldRanks,
    rate: Rate,
    bootstrap: Bootstrap,
    pairs: PairFlags | None = None,
) -> dict[str, Any]:
    """Compute one row of the table of differences, without the names, over all or some `pairs`."""
    if first.lexicon.digest != other.lexicon.digest:
        raise MismatchError(
            f"{first.system} and {other.system} were evaluated on different lexicons",
            fix="compare mappings on one gold lexicon",
        )
    before, after = (rate.terms(ranks.counts([rate.k], pairs)) for ranks in (first, other))
    both = (before[:, 1] > 0) & (after[:, 1] > 0)
    either = (before[:, 1] > 0) | (after[:, 1] > 0)
    before, after = before[both], after[both]
    comparison = paired(before, after, quotient, bootstrap)
    gain = after[:, 0] - before[:, 0]
    return {
        "baseline_rate": comparison.baseline_rate,
        "rate": comparison.rate,
        "difference": comparison.difference,
        "low": comparison.low,
        "high": comparison.high,
        "p": comparison.p,
        "headwords": int(both.sum()),
        "left_out": int((either & ~both).sum()),
        "better": int((gain > 0).sum()),
        "worse": int((gain < 0).sum()),
        "same": int((gain == 0).sum()),
    }
