"""The utterances that a system made worse: their texts, and how they differ from the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import fsum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.asr.comparison.matched_systems import MatchedSystems
from misword.core.errors import MismatchError, OptionError
from misword.core.lazy import pl
from misword.io.transcripts.columns import interpret
from misword.stat.bootstrap import DEFAULT, Bootstrap, distinct, resample
from misword.stat.measure import MetricColumn
from misword.text.disfluencies import disfluencies

# The properties in which utterances that got worse differ from the others.
#
# Bañeras-Roux et al. found that utterances which rescoring made worse had 1.23 times as many marks
# of spontaneous speech as the other utterances. Here the two groups are compared in any column:
# columns of numbers by their means, categories by the share of the utterances that have each
# value.
#
# Known problems: a contrast does not show a cause. Utterances that got worse may be longer, for
# example, and a longer utterance has more of everything that is counted. Each interval is for one
# contrast alone: among many contrasts some look strong by chance.
#
# Reference: T. Bañeras-Roux et al., Qualitative evaluation of language model rescoring in
# automatic speech recognition, Interspeech 2022, section 4.2.

Numbers = NDArray[np.float64]
Row = dict[str, Any]

# The number of values of a category that are shown, the most frequent ones.
VALUES = 20


def contrast(
    utterances: pl.DataFrame,
    worse: NDArray[np.bool_],
    columns: Sequence[str],
    bootstrap: Bootstrap = DEFAULT,
) -> pl.DataFrame:
    """Compare the `worse` utterances with the others in each column, the strongest contrast first.

    The table has a row for each column of numbers (with the means of the two groups) and for each
    value of a category (with the shares; at most the 20 most frequent values), with the `ratio` of
    the two and its interval. Missing and infinite values are left out: `worsened_n` and `others_n`
    count the utterances that have a value. Columns that `unfit` returns have no rows.

    The ratio is null if the mean or share of the others is 0, and for columns with negative
    numbers, where a ratio of means has no meaning. For means, both groups are resampled; there is
    no interval if all numbers of a group are equal. Shares are drawn from Jeffreys' posterior. For
    frequent values this agrees with resampling; a value that one group happens to lack still has a
    positive probability.

    >>> import polars as pl
    >>> table = pl.DataFrame({"pauses": [3, 2, 1, 2, 1, 1], "noise": ["street"] * 2 + ["none"] * 4})
    >>> worse = np.array([True, True, False, False, False, False])
    >>> contrast(table, worse, ["pauses"]).select("worsened", "others", "ratio").rows()
    [(2.5, 1.25, 2.0)]
    """

    if len(worse) != len(utterances):
        raise MismatchError(
            f"{len(utterances)} utterances, {len(worse)} flags for those that got worse"
        )
    left_out = unfit(utterances, columns)
    rows: list[Row] = []
    for name in columns:
        if name not in left_out:
            values = utterances[name]
            compare = _compare_means if values.dtype.is_numeric() else _compare_shares
            rows += compare(values, worse, bootstrap)
    table = pl.DataFrame(rows, schema=_schema())
    low, high, ratio = pl.col("low"), pl.col("high"), pl.col("ratio")
    # Logarithms, so that twice as much and half as much are equally strong.
    beyond_one = pl.when(low > 1).then(low.log()).when(high < 1).then(-high.log()).otherwise(0.0)
    order = [beyond_one, ratio.log().abs()]
    return table.sort(order, descending=True, nulls_last=True, maintain_order=True)


def unfit(utterances: pl.DataFrame, columns: Sequence[str]) -> dict[str, str]:
    """Return the columns that cannot be contrasted, each with the reason.

    >>> import polars as pl
    >>> unfit(pl.DataFrame({"file": ["a", "b"], "year": [1999, 1999], "age": [30, 40]}), ["file"])
    {'file': 'each utterance has its own, like an id'}
    """
    reasons = {}
    for name in columns:
        if name not in utterances.columns:
            names = ", ".join(utterances.columns)
            raise OptionError(f"there is no column {name!r}", fix=f"columns: {names}")
        if reason := _reason(utterances[name]):
            reasons[name] = reason
    return reasons


def _schema() -> dict[str, pl.DataType]:
    texts = dict.fromkeys(("column", "value"), pl.String())
    rates = dict.fromkeys(("worsened", "others", "ratio", "low", "high"), pl.Float64())
    return {**texts, **rates, **dict.fromkeys(("worsened_n", "others_n"), pl.Int64())}


def _reason(values: pl.Series) -> str:
    """Return why a column cannot be contrasted; empty if it can."""

    category = values.dtype in (pl.String, pl.Boolean, pl.Categorical, pl.Enum)
    if not category and not values.dtype.is_numeric() and values.dtype != pl.Null:
        return f"{values.dtype} is neither a number nor a category"
    present = _present(values)
    distinct = present.n_unique()
    if distinct < 2:
        return "all utterances have the same value" if distinct else "no utterance has a value"
    if category and distinct == len(present):
        return "each utterance has its own, like an id"
    return ""


def _present(values: pl.Series) -> pl.Series:
    """Return the values without those that are missing or not finite."""
    return values.filter(values.is_finite() if values.dtype.is_float() else values.is_not_null())


def _group_seeds(bootstrap: Bootstrap) -> list[int]:
    """Return a seed for each of the two groups, so that they are drawn independently."""
    seeds: list[int] = np.random.SeedSequence(bootstrap.seed).generate_state(2).tolist()
    return seeds


def _compare_means(
    values: pl.Series, worse: NDArray[np.bool_], bootstrap: Bootstrap
) -> Iterator[Row]:
    """Yield the row of a column of numbers."""

    sides = [_present(values.filter(pl.Series(part))) for part in (worse, ~worse)]
    groups = [side.to_numpy().astype(np.float64) for side in sides]
    means = [fsum(group) / len(group) if len(group) else None for group in groups]
    row = _row(values.name, "", means, [len(group) for group in groups])
    if any((group < 0).any() for group in groups):
        yield row
        return
    resampled = []
    if all(len(group) and np.ptp(group) > 0 for group in groups):
        resampled = [
            resample(distinct(group[:, None]), replace(bootstrap, seed=seed))[:, 0] / len(group)
            for group, seed in zip(groups, _group_seeds(bootstrap), strict=True)
        ]
    yield row | _ratio(means, resampled, bootstrap)


def _compare_shares(
    values: pl.Series, worse: NDArray[np.bool_], bootstrap: Bootstrap
) -> Iterator[Row]:
    """Yield the rows of a category, one for each of its most frequent values."""

    present = pl.DataFrame({"value": values.cast(pl.String), "worse": worse}).drop_nulls()
    sizes = [int(present["worse"].sum()), int((~present["worse"]).sum())]
    counted = present.group_by("value", maintain_order=True).agg(
        pl.len(), pl.col("worse").sum(), (~pl.col("worse")).sum().alias("others")
    )
    # Equally frequent values are sorted, so that the draws do not depend on the order of the rows.
    frequent = counted.sort("len", "value", descending=[True, False]).head(VALUES)
    generators = [np.random.default_rng(seed) for seed in _group_seeds(bootstrap)]
    for value, _, *counts in frequent.iter_rows():
        shares = [n / size if size else None for n, size in zip(counts, sizes, strict=True)]
        drawn = [
            generator.beta(n + 0.5, size - n + 0.5, bootstrap.times)
            for n, size, generator in zip(counts, sizes, generators, strict=True)
        ]
        yield _row(values.name, value, shares, sizes) | _ratio(shares, drawn, bootstrap)


def _row(column: str, value: str, numbers: Sequence[float | None], sizes: Sequence[int]) -> Row:
    """Return a row without its ratio; `numbers` are the means or shares of the two groups."""
    groups = {"worsened": numbers[0], "others": numbers[1]}
    counts = {"worsened_n": sizes[0], "others_n": sizes[1]}
    return {"column": column, "value": value, **groups, **counts}


def _ratio(numbers: Sequence[float | None], drawn: Sequence[Numbers], bootstrap: Bootstrap) -> Row:
    """Return the ratio of the two groups' numbers and its interval, as far as they are defined."""
    worsened, others = numbers
    if worsened is None or others is None:
        return {}
    row: Row = {"ratio": worsened / others if others else None}
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = drawn[0] / drawn[1] if drawn else np.empty(0)
    if len(ratios := ratios[~np.isnan(ratios)]):
        tail = (1 - bootstrap.confidence) / 2
        # A ratio may be infinite. Interpolating next to an infinite ratio would give nan, so the
        # ends of the interval are two of the drawn ratios.
        ends = np.quantile(ratios, [tail, 1 - tail], method="inverted_cdf")
        row["low"], row["high"] = (float(end) if np.isfinite(end) else None for end in ends)
    return row


# The tables of utterances that got worse.


def worst_utterances(systems: MatchedSystems, column: MetricColumn, number: int) -> pl.DataFrame:
    """Return the `number` utterances of each system with the most added errors, with all texts.

    `errors` is the number of errors (or the sum of distances) that the utterance has more than
    with the baseline. The utterances are sorted by it and not by their rate: a short utterance
    that is all wrong has a high rate but adds few errors.
    """

    tables = []
    for name in systems.others:
        baseline_rates, rates = systems.rates(column, name)
        baseline_terms, terms = systems.terms(column, name)
        baseline_texts, texts = systems.texts(systems.baseline), systems.texts(name)
        table = pl.DataFrame(
            {
                "baseline_rate": baseline_rates,
                "rate": rates,
                "change": rates - baseline_rates,
                "errors": (terms - baseline_terms)[:, 0].astype(np.float64),
            }
        ).with_row_index("row")
        worse = table.fill_nan(None).filter(pl.col("errors") > 0)
        by = ["errors", "change"]
        worst = worse.sort(by, descending=True, nulls_last=True, maintain_order=True).head(number)
        shown = baseline_texts[worst["row"]]  # texts of the rows that are shown alone
        tables.append(
            worst.select(
                pl.lit(column.label).alias("metric"),
                pl.lit(name).alias("system"),
                shown["utt"],
                pl.exclude("row"),
                shown["reference"],
                shown["hypothesis"].alias("baseline_text"),
                texts["hypothesis"][worst["row"]].alias("text"),
            )
        )
    return pl.concat(tables)


def describe_utterances(systems: MatchedSystems, lang: str) -> pl.DataFrame:
    """Return the properties of each utterance: metadata, disfluencies and words of its reference.

    `lang` is the language whose fillers count as disfluencies.
    """

    references = systems.texts(systems.baseline)["reference"]
    counts = [pl.Series(name, values) for name, values in disfluencies(references, lang).items()]
    counts.append(references.str.count_matches(r"\S+").alias("words"))
    baseline = systems.baseline_scores
    metadata = baseline.table.select(baseline.metadata).get_columns()
    columns = [interpret(column) for column in metadata]
    for column in counts:
        name = column.name
        while name in {other.name for other in columns}:
            name += " (counted)"
        columns.append(column.alias(name))
    return pl.DataFrame(columns)


def contrast_worsened(
    systems: MatchedSystems, column: MetricColumn, properties: pl.DataFrame, bootstrap: Bootstrap
) -> tuple[pl.DataFrame, dict[str, str]]:
    """Compare the utterances that got worse with the others, by their properties.

    Returns the table of contrasts, and the reason why each column of `properties` that is not in
    it was left out. An utterance without a rate, such as one with an empty reference, is in
    neither group.
    """

    tables = []
    for name in systems.others:
        directions = systems.directions(column, name)
        defined = ~np.isnan(directions)
        table = contrast(
            properties.filter(defined), directions[defined] > 0, properties.columns, bootstrap
        )
        labels = [pl.lit(name).alias("system"), pl.lit(column.label).alias("metric")]
        tables.append(table.select(*labels, pl.all()))
    return pl.concat(tables), unfit(properties, properties.columns)
