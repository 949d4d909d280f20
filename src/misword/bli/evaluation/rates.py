"""Counts for each headword of a gold lexicon, from which every rate is computed.

A headword is a source word of the lexicon with all its gold pairs. Counts are additive: a rate is a
quotient of their sums, and the bootstrap resamples headwords.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from misword.bli.options import OOV_RULES, OovRule, explained
from misword.core.errors import OptionError
from misword.core.parts import Settings
from misword.core.types import Statistics
from misword.stat.measure import ratio

Counts = NDArray[np.int64]
PairFlags = NDArray[np.bool_]  # one truth value for each pair of a lexicon


@dataclass(frozen=True, slots=True, eq=False)
class HeadwordCounts:
    """Counts of some headwords, one entry for each.

    `headwords` are their numbers in the lexicon. `known` is 1 if the headword has a vector, else 0.
    `pairs` is the number of its gold pairs, `reachable` the number of its pairs of which both words
    have a vector, `listed` the number of its candidates, `found[k]` the number of its pairs found
    among the first k candidates, and `right[k]` the number of candidates among the first k that
    count as right (see `right_candidates`); only lemmas can make it smaller than `found[k]`.
    """

    headwords: Counts
    known: Counts
    pairs: Counts
    reachable: Counts
    listed: Counts
    found: dict[int, Counts]
    right: dict[int, Counts]

    def __len__(self) -> int:
        return len(self.headwords)


# How gold words without a vector (out-of-vocabulary words) count in each rate.
#
# A headword without a vector has no candidates. A gold translation without a vector cannot be
# among the candidates. In a file of candidates, a headword without any is such a word; all
# translations of the other headwords could have been found.
#
# - `hit@k`: the rule is an option, `oov` (see `OOV_RULES`).
# - `precision@k`: a headword without a vector counts as one wrong candidate, because its candidate
#   list is one empty row (Denisová and Rychlý 2023).
# - `recall@k`: every gold pair counts, whether its words have vectors or not (Denisová and Rychlý).

# The rules of precision and recall, as signatures name them.
PRECISION_RULE, RECALL_RULE = "one-row", "in-gold"


def check_oov_rule(rule: str) -> OovRule:
    """Return the rule, or raise if there is no such rule."""
    for name in OOV_RULES:
        if name == rule:
            return name
    raise OptionError(
        f"no rule {rule!r} for words out of the vocabulary", fix=f"use {explained(OOV_RULES)}"
    )


def headwords_in_hit_rate(counts: HeadwordCounts, rule: OovRule) -> NDArray[np.bool_]:
    """Return which headwords count in `hit@k`.

    With `drop` these are the headwords that have at least one gold pair of which both words have a
    vector; with `source` the headwords that have a vector themselves; with `error` all headwords.
    """
    if rule == "drop":
        return counts.reachable > 0
    if rule == "source":
        return counts.known > 0
    return np.ones(len(counts), np.bool_)


def candidate_rows(counts: HeadwordCounts, k: int) -> Counts:
    """Return the number of candidates of each headword in `precision@k`.

    It is k for a headword with a vector, or fewer if a file of candidates has fewer, and 1, an
    empty row, for a headword without a vector.
    """
    return np.where(counts.known > 0, np.minimum(counts.listed, k), 1)


# Hit rate, precision and recall on a gold lexicon.
#
# Papers use the name P@k both for the hit rate and for precision; here each has its own name.

RateKind = Literal["hit", "precision", "recall"]
RATE_KINDS: tuple[RateKind, ...] = get_args(RateKind)


@dataclass(frozen=True, slots=True)
class Rate:
    """`hit@k`, `precision@k` or `recall@k`.

    - `hit@k`: the share of headwords for which at least one of k candidates is a gold translation.
      `oov` is the rule that says which headwords count (see `OOV_RULES`): those with at
      least one pair of which both words have a vector (`drop`: MUSE, VecMap, Kementchedjhieva et
      al.), those that have a vector themselves (`source`), or all of them (`error`: RCSLS).
    - `precision@k`: the number of right candidates among k candidates, divided by the number of all
      candidates: k for each headword with a vector, and one (an empty row) for each headword
      without a vector (Denisová). With lemmas a candidate counts for one gold pair only.
    - `recall@k`: the number of gold pairs found among k candidates, divided by the number of all
      gold pairs, out of vocabulary or not (Denisová).

    References: A. Conneau et al., Word translation without parallel data, ICLR 2018;
    Y. Kementchedjhieva et al., Lost in evaluation, EMNLP 2019; M. Denisová, P. Rychlý, Evaluation
    of the cross-lingual embedding models from the lexicographic perspective, 2023.
    """

    revision: ClassVar[int] = 1  # raised when a change of the code can change a rate

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
            return np.column_stack([counts.right[self.k], candidate_rows(counts, self.k)])
        included = headwords_in_hit_rate(counts, self.oov)
        return np.column_stack([(found > 0) & included, included]).astype(np.int64)


def rates_of(k_values: Sequence[int], oov: str = "drop") -> tuple[Rate, ...]:
    """Return all three rates for each number of candidates."""
    rule = check_oov_rule(oov)
    return tuple(Rate(kind, k, rule) for kind in RATE_KINDS for k in k_values)


def quotient(terms: Statistics) -> Statistics:
    """Return the rate of summed terms; nan where the denominator is 0."""
    return ratio(terms[..., 0], terms[..., 1])
