"""Hit rate, precision and recall on a gold lexicon.

Papers use the name P@k both for the hit rate and for precision; here each has its own name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np

from misword.bli.evaluation.headword_counts import Counts, HeadwordCounts
from misword.bli.evaluation.out_of_vocabulary import (
    PRECISION_RULE,
    RECALL_RULE,
    OovRule,
    candidate_rows,
    check_oov_rule,
    headwords_in_hit_rate,
)
from misword.core.parts.contract import Settings
from misword.core.types import Statistics
from misword.stat.measure import ratio

RateKind = Literal["hit", "precision", "recall"]
RATE_KINDS: tuple[RateKind, ...] = get_args(RateKind)


@dataclass(frozen=True, slots=True)
class Rate:
    """`hit@k`, `precision@k` or `recall@k`.

    - `hit@k`: the share of headwords for which at least one of k candidates is a gold translation.
      `oov` is the rule that says which headwords count (see `out_of_vocabulary`): those with at
      least one pair of which both words have a vector (`drop`: MUSE, VecMap, Kementchedjhieva et
      al.), those that have a vector themselves (`source`), or all of them (`error`: RCSLS).
    - `precision@k`: the number of gold pairs found among k candidates, divided by the number of all
      candidates: k for each headword with a vector, and one (an empty row) for each headword
      without (Denisová).
    - `recall@k`: the number of gold pairs found among k candidates, divided by the number of all
      gold pairs, out of vocabulary or not (Denisová).

    References: A. Conneau et al., Word translation without parallel data, ICLR 2018;
    Y. Kementchedjhieva et al., Lost in evaluation, EMNLP 2019; M. Denisová, P. Rychlý, Evaluation
    of the cross-lingual embedding models from the lexicographic perspective, 2023.
    """

    revision: ClassVar[int] = 1  # raised when a rate can move

    kind: RateKind
    k: int
    oov: OovRule = "drop"

    @property
    def name(self) -> str:
        """The rate's name, such as `hit@10`."""
        return f"{self.kind}@{self.k}"

    @property
    def settings(self) -> Settings:
        """The rule for out-of-vocabulary words, as a signature names it."""
        rules = {"hit": self.oov, "precision": PRECISION_RULE, "recall": RECALL_RULE}
        return (("oov", rules[self.kind]),)

    def terms(self, counts: HeadwordCounts) -> Counts:
        """Return the numerator and the denominator of each headword; both are additive."""
        found = counts.found[self.k]
        if self.kind == "recall":
            return np.column_stack([found, counts.pairs])
        if self.kind == "precision":
            return np.column_stack([found, candidate_rows(counts, self.k)])
        included = headwords_in_hit_rate(counts, self.oov)
        return np.column_stack([(found > 0) & included, included]).astype(np.int64)


def rates_of(k_values: Sequence[int], oov: str = "drop") -> tuple[Rate, ...]:
    """Return all three rates for each number of candidates."""
    rule = check_oov_rule(oov)
    return tuple(Rate(kind, k, rule) for kind in RATE_KINDS for k in k_values)


def quotient(terms: Statistics) -> Statistics:
    """Return the rate of summed terms; nan where the denominator is 0."""
    return ratio(terms[..., 0], terms[..., 1])


def percent_of(part: int, whole: int, *, truncate: bool = False) -> str:
    """Return a share in percent with two decimals, rounded, or truncated as in Denisová's tables.

    >>> percent_of(718, 1158), percent_of(718, 1158, truncate=True), percent_of(0, 0)
    ('62.00', '62.00', 'undefined')
    >>> percent_of(2, 3), percent_of(2, 3, truncate=True)
    ('66.67', '66.66')
    """
    if not whole:
        return "undefined"
    hundredths = 10_000 * part // whole if truncate else (20_000 * part + whole) // (2 * whole)
    return f"{hundredths // 100}.{hundredths % 100:02d}"
