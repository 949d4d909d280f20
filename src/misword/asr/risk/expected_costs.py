"""The expected cost of each hypothesis of N-best lists under the posterior of its list.

Every hypothesis is scored against every other one of its list, as if that were the reference. Texts
that a list has several times are scored once. Lists are scored in groups, so that memory does not
grow with their number.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from misword.asr.choosing.lists import HypothesisLists, Rows
from misword.asr.metrics import Metric, statistics_of
from misword.asr.metrics.edit_rate import EditRate
from misword.asr.pairs import EquivalentClasses, Pairs
from misword.asr.risk.posteriors import Values
from misword.asr.score import prepare_with
from misword.asr.scoring_options import ScoringOptions
from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.progress import progress
from misword.core.types import Corpus

ERRORS, RATE = "errors", "rate"
COSTS = (ERRORS, RATE)
# Pairs of hypotheses that are scored at once, unless one list has more.
PAIRS = 1 << 18


@dataclass(frozen=True, slots=True, eq=False)
class DistinctTexts:
    """The texts of each list, each once.

    `text_of` has the number of the text of each row; the texts of a list have successive numbers.
    `rows` has the first row of each text, `offsets` where the texts of each list begin.
    """

    text_of: Rows
    rows: Rows
    offsets: Rows

    @classmethod
    def of(cls, lists: HypothesisLists, texts: list[str]) -> DistinctTexts:
        """Number the texts of the lists; `texts` has a text for each row.

        >>> lists = HypothesisLists.of(np.array([1, 2, 3, 1]))
        >>> DistinctTexts.of(lists, ["a", "b", "a", "a"]).text_of.tolist()
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
    """What a hypothesis costs if another text is the reference.

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
                f"--preset {preset.name} changes pairs of texts, which hypotheses are not",
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
    import polars as pl

    column = pl.Series("text", texts, pl.String)
    ids = pl.int_range(len(texts), eager=True).cast(pl.String).alias("utt")
    return Corpus.of(pl.DataFrame([ids, column]), {"hypothesis": column})


def expected_costs(
    lists: HypothesisLists, texts: list[str], posterior: Values, cost: PairCost
) -> Values:
    """Return the expected cost of each row under each posterior (a column each).

    `texts` and `posterior` have a row for each hypothesis of the lists.
    """
    distinct = DistinctTexts.of(lists, texts)
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
