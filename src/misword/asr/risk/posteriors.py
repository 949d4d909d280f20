"""Posterior probabilities of the hypotheses of N-best lists, from their scores.

The posterior of a hypothesis is its share in the list: exp(scale * score), divided by the sum over
the list. A constant that is added to all scores of a list changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from misword.asr.choosing.lists import HypothesisLists
from misword.core.errors import InputError, OptionError
from misword.core.formatting import counted

if TYPE_CHECKING:
    import polars as pl

Values = NDArray[np.float64]

SCORE = "score"
# A list in which the hypotheses have nearly equal posteriors: its effective number of hypotheses is
# more than this share of their number.
NEARLY_UNIFORM = 0.95
# A list in which one hypothesis has nearly the whole posterior.
NEARLY_ONE = 1.05


@dataclass(frozen=True, slots=True)
class WeightedFeatures:
    """The features whose weighted sum is the score of a hypothesis.

    >>> WeightedFeatures.of("score,lm", [1, 0.5]).weights
    (1.0, 0.5)
    """

    names: tuple[str, ...] = (SCORE,)
    weights: tuple[float, ...] = (1.0,)

    @classmethod
    def of(
        cls, features: str | Sequence[str] | None, weights: Sequence[float] | None
    ) -> WeightedFeatures:
        """Check names and weights; without weights, each is 1."""
        split = features.split(",") if isinstance(features, str) else features or (SCORE,)
        names = tuple(name.strip() for name in split)
        if "" in names or len(set(names)) < len(names):
            raise OptionError(
                f"features are {', '.join(map(repr, names))}", fix="name each column once"
            )
        values = tuple(map(float, weights)) if weights is not None else (1.0,) * len(names)
        if len(values) != len(names):
            raise OptionError(
                f"{counted(len(values), 'weight')} for {counted(len(names), 'feature')}",
                fix="give one weight for each feature",
            )
        if not all(map(isfinite, values)):
            raise OptionError(f"weights are {values}", fix="use finite numbers")
        return cls(names, values)

    def scores(self, table: pl.DataFrame, lists: HypothesisLists) -> Values | None:
        """Return the score of each row of a table of hypotheses; None if it has no scores.

        Raises if a column is missing, or a value of a list with several hypotheses.
        """
        if self.names == (SCORE,) and table[SCORE].null_count() == len(table):
            return None
        total = np.zeros(len(table))
        several = np.repeat(lists.lengths > 1, lists.lengths)
        for name, weight in zip(self.names, self.weights, strict=True):
            total += weight * np.where(several, _column(table, name, several), 0.0)
        return total


def _column(table: pl.DataFrame, name: str, needed: NDArray[np.bool_]) -> Values:
    """Return the numbers of a column; raise if one of the needed ones is missing."""
    import polars as pl

    own = {"utt", "system", "rank", "text"}
    if name not in table.columns or name in own or not table[name].dtype.is_numeric():
        known = [c.name for c in table.get_columns() if c.dtype.is_numeric() and c.name not in own]
        raise OptionError(
            f"the lists have no column {name!r} with numbers",
            fix=f"they have: {', '.join(known) or 'none'}",
        )
    values = table[name].cast(pl.Float64).fill_null(np.nan).to_numpy()
    wrong = np.flatnonzero(needed & ~np.isfinite(values))
    if len(wrong):
        row = table.row(int(wrong[0]), named=True)
        what = "missing" if row[name] is None else "not finite"
        raise InputError(
            f"{name} is {what} in {counted(len(wrong), 'row')}, the first of utterance "
            f"{row['utt']!r}, rank {row['rank']}",
            fix="give each hypothesis a finite number, or name other columns by --features",
        )
    return values


def posteriors(lists: HypothesisLists, scores: Values | None, scales: Sequence[float]) -> Values:
    """Return the posterior of each hypothesis (rows) at each scale (columns).

    Without scores, the hypotheses of a list are equally probable.

    >>> lists = HypothesisLists.of(np.array([1, 2, 1]))
    >>> posteriors(lists, np.array([np.log(3.0), 0.0, 7.0]), [0, 1]).round(2).tolist()
    [[0.5, 0.75], [0.5, 0.25], [1.0, 1.0]]
    """
    values = np.zeros(len(lists.rows)) if scores is None else scores
    exponents = np.outer(values, scales)
    starts = lists.offsets[:-1]
    exponents -= np.repeat(np.maximum.reduceat(exponents, starts), lists.lengths, axis=0)
    shares = np.exp(exponents)
    return np.asarray(shares / np.repeat(np.add.reduceat(shares, starts), lists.lengths, axis=0))


def effective_numbers(lists: HypothesisLists, posterior: Values) -> Values:
    """Return the effective number of hypotheses of each list: exp of the posterior's entropy.

    It is the number of hypotheses if these are equally probable, and 1 if one is certain.

    >>> lists = HypothesisLists.of(np.array([1, 2, 1]))
    >>> effective_numbers(lists, np.array([0.5, 0.5, 1.0])).round(2).tolist()
    [2.0, 1.0]
    """
    logs = np.log(posterior, out=np.zeros_like(posterior), where=posterior > 0)
    return np.asarray(np.exp(-np.add.reduceat(posterior * logs, lists.offsets[:-1])))


def notes_on_scores(lists: HypothesisLists, scores: Values | None) -> Iterator[str]:
    """Yield what is unusual about the scores, whatever the scale is."""
    several = lists.lengths > 1
    count = int(several.sum())
    if not count:
        yield "each list has one hypothesis, so there is nothing to choose"
        return
    if scores is None:
        yield "the lists have no scores: their hypotheses are taken as equally probable"
        return
    constant = int((several & (lists.spread(scores) == 0)).sum())
    if constant:
        yield (
            f"the score is the same for all hypotheses of {constant:,} of {count:,} lists: they "
            "are taken as equally probable"
        )
    highest = np.maximum.reduceat(scores, lists.offsets[:-1])
    lower = int((several & (scores[lists.offsets[:-1]] < highest)).sum())
    if 2 * lower > count:
        yield (
            f"in {lower:,} of {count:,} lists rank 1 does not have the highest score; a higher "
            "score must be better (--scale may be negative)"
        )


def notes_on_posterior(lists: HypothesisLists, posterior: Values) -> Iterator[str]:
    """Yield a note if the posterior says almost nothing, or leaves nothing to choose."""
    several = lists.lengths > 1
    if not several.any():
        return
    numbers, lengths = effective_numbers(lists, posterior)[several], lists.lengths[several]
    if np.median(numbers / lengths) > NEARLY_UNIFORM:
        yield (
            f"the posterior is nearly uniform: {numbers.mean():.1f} of {lengths.mean():.1f} "
            "hypotheses are effective, on average; scores that are divided by the length need a "
            "higher --scale"
        )
    elif np.median(numbers) < NEARLY_ONE:
        yield (
            "in most lists one hypothesis has nearly the whole posterior, so it is chosen; a lower "
            "--scale lets the others count"
        )
