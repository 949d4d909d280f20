"""The three rates of a lexicon, by name: two different things are called P@k."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from misword.bli.evaluation.gold_ranks import Counts, Tally
from misword.core.errors import OptionError
from misword.stat.resampling import Statistics, ratio

Oov = Literal["drop", "source", "error"]
Kind = Literal["hit", "precision", "recall"]
KINDS: tuple[Kind, ...] = get_args(Kind)
OOV: dict[str, str] = {
    "drop": "headwords without a pair of known words are left out, as MUSE and VecMap do",
    "source": "headwords without a vector are left out",
    "error": "every headword counts, as RCSLS has it",
}


@dataclass(frozen=True, slots=True)
class Rate:
    """`hit@k`, `precision@k` or `recall@k`.

    - `hit@k`: the share of headwords for which at least one of k candidates is a gold translation.
      `oov` says which headwords count: those with at least one pair of which both words have a
      vector (`drop`: MUSE, VecMap, Kementchedjhieva et al.), those that have a vector themselves
      (`source`), or all of them (`error`: RCSLS).
    - `precision@k`: gold pairs found within k, of all candidates: k for each headword with a
      vector, and one (an empty row) for each without (Denisová).
    - `recall@k`: gold pairs found within k, of all gold pairs, out of vocabulary or not (Denisová).

    References: A. Conneau et al., Word translation without parallel data, ICLR 2018;
    Y. Kementchedjhieva et al., Lost in evaluation, EMNLP 2019; M. Denisová, P. Rychlý, Evaluation
    of the cross-lingual embedding models from the lexicographic perspective, 2023.
    """

    kind: Kind
    k: int
    oov: Oov = "drop"

    @property
    def name(self) -> str:
        """Such as `hit@10`."""
        return f"{self.kind}@{self.k}"

    @property
    def settings(self) -> tuple[tuple[str, str], ...]:
        """What a signature says of it; precision and recall have their own rule for OOV words."""
        rule = {"hit": self.oov, "precision": "one-row", "recall": "in-gold"}
        return (("oov", rule[self.kind]),)

    def terms(self, tally: Tally) -> Counts:
        """Numerator and denominator of each headword; they add up."""
        found = tally.found[self.k]
        if self.kind == "recall":
            return np.column_stack([found, tally.pairs])
        if self.kind == "precision":
            return np.column_stack([found, np.where(tally.known > 0, self.k, 1)])
        counted = {
            "drop": tally.reachable > 0,
            "source": tally.known > 0,
            "error": np.ones(len(tally), np.bool_),
        }[self.oov]
        return np.column_stack([(found > 0) & counted, counted]).astype(np.int64)


def rates_of(within: Sequence[int], oov: str = "drop") -> tuple[Rate, ...]:
    """All three rates for each number of candidates."""
    if oov not in OOV:
        known = "; ".join(f"{name}: {about}" for name, about in OOV.items())
        raise OptionError(f"no rule {oov!r} for words out of the vocabulary", fix=f"use {known}")
    rule: Oov = oov  # type: ignore[assignment]
    return tuple(Rate(kind, k, rule) for kind in KINDS for k in within)


def quotient(terms: Statistics) -> Statistics:
    """The rate of summed terms; nan where nothing counts."""
    return ratio(terms[..., 0], terms[..., 1])


def percent(part: int, whole: int, *, truncate: bool = False) -> str:
    """A share in percent with two decimals, rounded, or cut off as Denisová's tables are.

    >>> percent(718, 1158), percent(718, 1158, truncate=True), percent(0, 0)
    ('62.00', '62.00', 'undefined')
    >>> percent(2, 3), percent(2, 3, truncate=True)
    ('66.67', '66.66')
    """
    if not whole:
        return "undefined"
    cents = 10_000 * part // whole if truncate else (20_000 * part + whole) // (2 * whole)
    return f"{cents // 100}.{cents % 100:02d}"
