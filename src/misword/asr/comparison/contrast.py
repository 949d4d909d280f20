"""What do the utterances that got worse have more of than the others?

Roux et al. found that utterances which rescoring made worse had 1.23 times as many marks of
spontaneous speech as the rest. The same question can be put to any column: numbers by their mean,
categories by the share of the utterances that has each value.

Known problems: a contrast is no cause. Worsened utterances may be longer, say, and longer ones have
more of all that is counted. And of many contrasts some look strong by chance: an interval is for
one of them.

Reference: T. Bañeras-Roux et al., Qualitative evaluation of language model rescoring in automatic
speech recognition, Interspeech 2022, section 4.2.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import MismatchError, OptionError
from misword.stat.resampling import resample

if TYPE_CHECKING:
    import polars as pl

Numbers = NDArray[np.float64]
Row = dict[str, Any]

# Values of a category that are shown, the commonest.
VALUES = 20


class Drawing(NamedTuple):
    """How often to draw, for what confidence, and a seed for either group: they are independent."""

    times: int
    confidence: float
    seeds: tuple[int, int]


def contrast(
    utterances: pl.DataFrame,
    worse: NDArray[np.bool_],
    columns: Sequence[str],
    *,
    times: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
) -> pl.DataFrame:
    """Compare the `worse` utterances with the others in each column, the strongest contrast first.

    A row per column of numbers (its means) and per value of a category (its shares; at most the 20
    commonest values), with the `ratio` of the two and its interval. Missing and infinite values are
    left out: `worsened_n` and `others_n` say how many utterances have one. Columns that `unfit`
    names have no rows.

    The ratio is null where the others have 0, and of numbers below 0, where it would say nothing.
    Means are resampled in both groups; there is no interval if one of them does not vary. Shares
    are drawn from Jeffreys' posterior, which comes to the same for common values and does not take
    what one group happens to lack for impossible.

    >>> import polars as pl
    >>> table = pl.DataFrame({"pauses": [3, 2, 1, 2, 1, 1], "noise": ["street"] * 2 + ["none"] * 4})
    >>> worse = np.array([True, True, False, False, False, False])
    >>> contrast(table, worse, ["pauses"]).select("worsened", "others", "ratio").rows()
    [(2.5, 1.25, 2.0)]
    """
    import polars as pl

    if len(worse) != len(utterances):
        raise MismatchError(f"{len(utterances)} utterances, {len(worse)} marks of which got worse")
    first, second = np.random.SeedSequence(seed).generate_state(2).tolist()
    drawing = Drawing(times, confidence, (first, second))
    left_out = unfit(utterances, columns)
    rows: list[Row] = []
    for name in columns:
        if name not in left_out:
            values = utterances[name]
            rows += (_means if values.dtype.is_numeric() else _shares)(values, worse, drawing)
    table = pl.DataFrame(rows, schema=_schema())
    low, high, ratio = pl.col("low"), pl.col("high"), pl.col("ratio")
    beside = pl.when(low > 1).then(low.log()).when(high < 1).then(-high.log()).otherwise(0.0)
    order = [beside, ratio.log().abs()]  # so that twice and half as much are equally strong
    return table.sort(order, descending=True, nulls_last=True, maintain_order=True)


def unfit(utterances: pl.DataFrame, columns: Sequence[str]) -> dict[str, str]:
    """Which columns cannot be contrasted, and why.

    >>> import polars as pl
    >>> unfit(pl.DataFrame({"file": ["a", "b"], "year": [1999, 1999], "age": [30, 40]}), ["file"])
    {'file': 'each utterance has its own, like an id'}
    """
    found = {}
    for name in columns:
        if name not in utterances.columns:
            known = ", ".join(utterances.columns)
            raise OptionError(f"no column {name!r}", fix=f"there are: {known}")
        if reason := _reason(utterances[name]):
            found[name] = reason
    return found


def _schema() -> dict[str, pl.DataType]:
    import polars as pl

    texts = dict.fromkeys(("column", "value"), pl.String())
    rates = dict.fromkeys(("worsened", "others", "ratio", "low", "high"), pl.Float64())
    return {**texts, **rates, **dict.fromkeys(("worsened_n", "others_n"), pl.Int64())}


def _reason(values: pl.Series) -> str:
    """Why a column cannot be contrasted; empty if it can."""
    import polars as pl

    category = values.dtype in (pl.String, pl.Boolean, pl.Categorical, pl.Enum)
    if not category and not values.dtype.is_numeric() and values.dtype != pl.Null:
        return f"{values.dtype} is neither a number nor a category"
    given = _given(values)
    distinct = given.n_unique()
    if distinct < 2:
        return "all utterances have the same" if distinct else "no utterance has a value"
    if category and distinct == len(given):
        return "each utterance has its own, like an id"
    return ""


def _given(values: pl.Series) -> pl.Series:
    """The values that are there."""
    return values.filter(values.is_finite() if values.dtype.is_float() else values.is_not_null())


def _means(values: pl.Series, worse: NDArray[np.bool_], drawing: Drawing) -> Iterator[Row]:
    """The row of a column of numbers."""
    import polars as pl

    sides = [_given(values.filter(pl.Series(part))) for part in (worse, ~worse)]
    groups = [side.to_numpy().astype(np.float64) for side in sides]
    means = [float(group.mean()) if len(group) else None for group in groups]
    row = _row(values.name, "", means, [len(group) for group in groups])
    if any((group < 0).any() for group in groups):
        yield row
        return
    drawn = []
    if all(len(group) and np.ptp(group) > 0 for group in groups):
        drawn = [
            resample(group[:, None], drawing.times, seed)[:, 0] / len(group)
            for group, seed in zip(groups, drawing.seeds, strict=True)
        ]
    yield row | _ratio(means, drawn, drawing.confidence)


def _shares(values: pl.Series, worse: NDArray[np.bool_], drawing: Drawing) -> Iterator[Row]:
    """The rows of a category: a row for each of its commonest values."""
    import polars as pl

    given = pl.DataFrame({"value": values.cast(pl.String), "worse": worse}).drop_nulls()
    sizes = [int(given["worse"].sum()), int((~given["worse"]).sum())]
    counted = given.group_by("value", maintain_order=True).agg(
        pl.len(), pl.col("worse").sum(), (~pl.col("worse")).sum().alias("others")
    )
    common = counted.sort("len", descending=True, maintain_order=True).head(VALUES)
    chances = [np.random.default_rng(seed) for seed in drawing.seeds]
    for value, _, *counts in common.iter_rows():
        shares = [n / size if size else None for n, size in zip(counts, sizes, strict=True)]
        drawn = [
            chance.beta(n + 0.5, size - n + 0.5, drawing.times)
            for n, size, chance in zip(counts, sizes, chances, strict=True)
        ]
        yield _row(values.name, value, shares, sizes) | _ratio(shares, drawn, drawing.confidence)


def _row(column: str, value: str, found: Sequence[float | None], sizes: Sequence[int]) -> Row:
    """A row without its ratio."""
    groups = {"worsened": found[0], "others": found[1]}
    counts = {"worsened_n": sizes[0], "others_n": sizes[1]}
    return {"column": column, "value": value, **groups, **counts}


def _ratio(found: Sequence[float | None], drawn: Sequence[Numbers], confidence: float) -> Row:
    """The ratio and its interval, nothing where there is none."""
    worsened, others = found
    if worsened is None or others is None:
        return {}
    row: Row = {"ratio": worsened / others if others else None}
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = drawn[0] / drawn[1] if drawn else np.empty(0)
    if len(ratios := ratios[~np.isnan(ratios)]):
        tail = (1 - confidence) / 2
        # One of those drawn, not a point between two: beside an infinite one that would be none.
        edges = np.quantile(ratios, [tail, 1 - tail], method="inverted_cdf")
        row["low"], row["high"] = (float(edge) if np.isfinite(edge) else None for edge in edges)
    return row
