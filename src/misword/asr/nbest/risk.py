"""Posteriors of N-best lists, expected costs under them, and the scale of the posterior."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, isfinite, log2

import numpy as np
from numpy.typing import NDArray

from misword.asr.measuring import prepare_with
from misword.asr.metrics import Metric, statistics_of
from misword.asr.metrics.edit_rate import EditRate
from misword.asr.nbest.choice import JudgedHypotheses
from misword.asr.nbest.lists import HypothesisLists, Rows
from misword.asr.options import ScoringOptions
from misword.asr.pairs import EquivalentClasses, Pairs
from misword.asr.people.learning import splits
from misword.core.context import Context
from misword.core.errors import InputError, OptionError
from misword.core.formatting import counted
from misword.core.lazy import pl
from misword.core.progress import progress
from misword.core.types import Corpus

# Posterior probabilities of the hypotheses of N-best lists, from their scores.
#
# The posterior of a hypothesis is its share in the list: exp(scale * score), divided by the sum
# over the list. A constant that is added to all scores of a list changes nothing.

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
    """Yield notes on unusual scores; they do not depend on the scale."""
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
    """Yield a note if the posterior is nearly uniform, or concentrated on one hypothesis."""
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


# The expected cost of each hypothesis of N-best lists under the posterior of its list.
#
# Every hypothesis is scored against every other one of its list, as if that were the reference.
# Texts that a list has several times are scored once. Lists are scored in groups, so that memory
# does not grow with their number.

ERRORS, RATE = "errors", "rate"
COSTS = (ERRORS, RATE)
# Pairs of hypotheses that are scored at once, unless one list has more.
PAIRS = 1 << 18


@dataclass(frozen=True, slots=True, eq=False)
class ListTexts:
    """The texts of each list, each once.

    `text_of` has the number of the text of each row; the texts of a list have successive numbers.
    `rows` has the first row of each text, `offsets` where the texts of each list begin.
    """

    text_of: Rows
    rows: Rows
    offsets: Rows

    @classmethod
    def of(cls, lists: HypothesisLists, texts: list[str]) -> ListTexts:
        """Number the texts of the lists; `texts` has a text for each row.

        >>> lists = HypothesisLists.of(np.array([1, 2, 3, 1]))
        >>> ListTexts.of(lists, ["a", "b", "a", "a"]).text_of.tolist()
        [0, 1, 0, 2]
        """
        owner = np.repeat(np.arange(len(lists)), lists.lengths).tolist()
        numbers: dict[tuple[int, str], int] = {}
        keys = zip(owner, texts, strict=True)
        text_of = np.array([numbers.setdefault(key, len(numbers)) for key in keys], np.int64)
        _, rows = np.unique(text_of, return_index=True)
        return cls(text_of, rows, np.searchsorted(rows, lists.offsets))

    def groups(self, limit: int) -> Iterator[tuple[int, int]]:
        """Yield the first list of each group and the one after its last; `limit` counts pairs."""
        pairs = np.cumsum(np.diff(self.offsets) ** 2)
        start, before = 0, 0
        while start < len(pairs):
            end = max(start + 1, int(np.searchsorted(pairs, before + limit, side="right")))
            yield start, end
            start, before = end, int(pairs[end - 1])

    def pairs(self, start: int, end: int, *, once: bool) -> NDArray[np.int64]:
        """Return all pairs of different texts within lists, `once` or in both orders.

        Texts are numbered from the first one of list `start`.
        """
        sizes = np.diff(self.offsets[start : end + 1])
        first = np.repeat(self.offsets[start:end] - self.offsets[start], sizes)
        width = np.repeat(sizes, sizes)
        left = np.repeat(np.arange(len(width)), width)
        before = np.cumsum(width) - width
        right = np.arange(len(left)) - np.repeat(before - first, width)
        kept = left < right if once else left != right
        return np.stack([left[kept], right[kept]], axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class PairCost:
    """The cost of a hypothesis if another text of its list were the reference.

    `kind` is `errors`, the numerator of the metric's rate (errors or their prices), or `rate`, the
    rate of the single pair. A rate that is undefined, as for an empty reference, counts as 1.
    """

    metric: Metric
    kind: str
    options: ScoringOptions
    equivalents: EquivalentClasses
    context: Context

    @classmethod
    def of(
        cls,
        metric: Metric,
        kind: str | None,
        options: ScoringOptions,
        equivalents: EquivalentClasses,
        context: Context,
    ) -> PairCost:
        """Check the kind of the cost and the preset; without a kind, it is `errors` if possible."""
        chosen = kind or (ERRORS if metric.is_quotient else RATE)
        if chosen not in COSTS:
            raise OptionError(f"cost is {chosen!r}", fix=f"use one of: {', '.join(COSTS)}")
        if chosen == ERRORS and not metric.is_quotient:
            raise OptionError(f"{metric.name} has no number of errors", fix="use --cost rate")
        preset = options.preset
        if preset.changes_rows or preset.rewrites(context):
            raise OptionError(
                f"--preset {preset.name} changes pairs of reference and hypothesis; here, both "
                "are hypotheses",
                fix="leave the preset out, and name normalizers by --normalize",
            )
        # A hypothesis that stands for the reference has no alternatives.
        return cls(metric, chosen, replace(options, alternatives=False), equivalents, context)

    @property
    def is_symmetric(self) -> bool:
        """Whether two texts have the same cost in both orders: the least number of edits."""
        metric = self.metric
        return (
            self.kind == ERRORS
            and isinstance(metric, EditRate)
            and type(metric).measure is EditRate.measure
            and type(metric).terms is EditRate.terms
            and metric.aligned_by(self.context) is None
            and metric.merged is None
            and metric.ties != "sclite"
            and not self.options.forgive
            and not self.equivalents
        )

    def of_pairs(self, texts: list[str], index: NDArray[np.int64]) -> Values:
        """Return the cost of each pair: a reference and a hypothesis, as numbers of texts."""
        prepared = prepare_with(self.options, _corpus(texts), self.equivalents, self.context)
        reader = replace(prepared.reader, index=index)
        pairs: Pairs = replace(prepared, reader=reader, _cache={})
        terms = self.metric.terms(statistics_of(self.metric, pairs))
        if self.kind == ERRORS:
            return terms[:, 0].astype(np.float64)
        return np.nan_to_num(self.metric.rate(terms), nan=1.0)


def _corpus(texts: list[str]) -> Corpus:
    """Return a corpus in which each text is a reference, and its own hypothesis."""

    column = pl.Series("text", texts, pl.String)
    ids = pl.int_range(len(texts), eager=True).cast(pl.String).alias("utt")
    return Corpus.of(pl.DataFrame([ids, column]), {"hypothesis": column})


def expected_costs(
    lists: HypothesisLists, texts: list[str], posterior: Values, cost: PairCost
) -> Values:
    """Return the expected cost of each row under each posterior (a column each).

    `texts` and `posterior` have a row for each hypothesis of the lists.
    """
    distinct = ListTexts.of(lists, texts)
    count = len(distinct.rows)
    shares: Values = np.stack(
        [np.bincount(distinct.text_of, column, count) for column in posterior.T], axis=1
    ).astype(np.float64)
    expected = np.zeros_like(shares)
    # A fitted metric learns from all texts, so that it cannot be computed in groups.
    limit = int(np.sum(np.diff(distinct.offsets) ** 2)) if cost.metric.fitted else PAIRS
    with progress("expected costs", len(lists)) as step:
        for start, end in distinct.groups(limit):
            own = slice(int(distinct.offsets[start]), int(distinct.offsets[end]))
            some = [texts[row] for row in distinct.rows[own].tolist()]
            pairs = distinct.pairs(start, end, once=cost.is_symmetric)
            if len(pairs):
                expected[own] = _sums(pairs, cost.of_pairs(some, pairs), shares[own], cost)
            step(end - start)
    return np.asarray(expected[distinct.text_of])


def _sums(
    pairs: NDArray[np.int64], costs: Values, shares: Values, cost: PairCost
) -> NDArray[np.float64]:
    """Return the sum over references of their share times the cost, for each hypothesis."""
    references, hypotheses = pairs.T
    columns = []
    for share in shares.T:
        total = np.bincount(hypotheses, share[references] * costs, len(shares))
        if cost.is_symmetric:
            total += np.bincount(references, share[hypotheses] * costs, len(shares))
        columns.append(total)
    return np.stack(columns, axis=1)


# The choice with the least expected cost from N-best lists, at several scales.


@dataclass(frozen=True, slots=True, eq=False)
class RiskChoices:
    """The hypotheses of N-best lists, and the choice from them at each scale.

    `posterior` and `expected` have a row for each hypothesis and a column for each scale; `rows`
    has the chosen hypothesis of each list, for each scale. `scores` is None if there are none.
    """

    table: pl.DataFrame
    lists: HypothesisLists
    scores: Values | None
    scales: tuple[float, ...]
    posterior: Values
    expected: Values
    rows: tuple[Rows, ...]

    @classmethod
    def of(
        cls,
        table: pl.DataFrame,
        lists: HypothesisLists,
        scores: Values | None,
        scales: Sequence[float],
        cost: PairCost,
    ) -> RiskChoices:
        """Choose at each scale; of equally good hypotheses the first is taken."""
        posterior = posteriors(lists, scores, scales)
        expected = expected_costs(lists, table["text"].to_list(), posterior, cost)
        rows = tuple(lists.with_least(column).first for column in expected.T)
        return cls(table, lists, scores, tuple(scales), posterior, expected, rows)

    def chosen(self, scale: int) -> pl.DataFrame:
        """Return the table of chosen hypotheses at the scale of this number."""

        rows, expected = self.rows[scale], self.expected[:, scale]
        shares = self.table.select("utt", "text", share=pl.Series(self.posterior[:, scale]))
        same = shares.select(pl.col("share").sum().over("utt", "text")).to_series()
        columns = [
            pl.Series("expected", expected[rows]),
            pl.Series("expected_first", expected[self.lists.first]),
            same.gather(rows).alias("posterior"),
            pl.Series("hypotheses", self.lists.lengths),
        ]
        return self.table[rows].select("utt", "system", "rank", "text").hstack(columns)

    def effective(self, scale: int) -> float:
        """Return the mean effective number of hypotheses at the scale of this number."""
        return float(effective_numbers(self.lists, self.posterior[:, scale]).mean())

    def notes(self, scale: int, *, fixed: bool) -> Iterator[str]:
        """Yield notes on the scores, and on the posterior at the scale of this number.

        Notes on the posterior are given only for a scale that the user fixed.
        """
        yield from notes_on_scores(self.lists, self.scores)
        if self.scores is not None and fixed:
            yield from notes_on_posterior(self.lists, self.posterior[:, scale])


def lists_with_scores(
    corpus: Corpus, features: WeightedFeatures
) -> tuple[HypothesisLists, Values | None]:
    """Return the lists of a corpus whose rows are in order, and the score of each hypothesis."""
    lists = HypothesisLists.of(corpus.hypotheses["rank"].to_numpy().astype(np.int64))
    return lists, features.scores(corpus.hypotheses, lists)


# The scale of the posterior: candidates, and the choice among them by cross-validation.

# Scales are tried at which the highest score of the median list exceeds its lowest by these logs of
# odds: from nearly uniform posteriors to those of one hypothesis.
SMALLEST, LARGEST = 0.25, 256.0


def candidate_scales(lists: HypothesisLists, scores: Values | None) -> list[float]:
    """Return the scales that are tried: 0, and powers of two that fit the range of the scores.

    >>> lists = HypothesisLists.of(np.array([1, 2]))
    >>> candidate_scales(lists, np.array([-1.0, -33.0]))[:3]
    [0.0, 0.0078125, 0.015625]
    """
    spread = np.zeros(0) if scores is None else lists.spread(scores)
    spread = spread[spread > 0]
    if not len(spread):
        return [0.0]
    middle = float(np.median(spread))
    powers = range(ceil(log2(SMALLEST / middle)), floor(log2(LARGEST / middle)) + 1)
    return [0.0, *(2.0**power for power in powers)]


@dataclass(frozen=True, slots=True, eq=False)
class ChosenScale:
    """The best of several scales on all lists, and the choices on lists that were left out.

    `rates` has the rate of each scale on all lists; `folds` says how many folds chose each scale;
    `held_out` are the rows that were chosen from each list by the scale that is best on the lists
    of the other folds.
    """

    best: int
    rates: tuple[float, ...]
    folds: tuple[int, ...]
    held_out: Rows


def choose_scale(
    choices: Sequence[Rows], judged: JudgedHypotheses, folds: int, seed: int
) -> ChosenScale:
    """Choose a scale by the rate of its choices; `choices` has the chosen rows of each scale.

    Of equally good scales the largest is taken: it is the nearest to the highest score.
    """
    table = np.stack(choices)
    count = table.shape[1]
    if not 2 <= folds <= count:
        raise OptionError(
            f"{folds} folds of {count} lists", fix="use from 2 folds to the number of lists"
        )
    held_out = np.empty(count, np.int64)
    times = [0] * len(table)
    for learn, test in splits(np.arange(count), folds, np.random.default_rng(seed)):
        best = _lowest([judged.rate(rows[learn]) for rows in table])
        held_out[test] = table[best][test]
        times[best] += 1
    rates = tuple(judged.rate(rows) for rows in table)
    return ChosenScale(_lowest(rates), rates, tuple(times), held_out)


def _lowest(rates: Sequence[float]) -> int:
    """Return the place of the lowest rate, the last one of equal rates; undefined rates are high.

    >>> _lowest([0.2, 0.1, 0.1, float("nan")])
    2
    """
    values = np.nan_to_num(np.array(rates), nan=np.inf)
    return len(values) - 1 - int(np.argmin(values[::-1]))
