"""How often blends, metrics and single voters choose as the majority of people does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.asr.blending.judgements import Choices, Rows, Vector
from misword.stat.bootstrap import Bootstrap
from misword.stat.intervals import interval
from misword.stat.measure import ratio_of_terms
from misword.stat.paired import by_block, holm, paired

# Predictions that differ from 0 by less count as ties (see `asr.agree`).
TOLERANCE = 1e-9
BLEND, VOTER = "blend", "one voter"


def majorities(choices: Choices) -> Vector:
    """Return the share of votes for the majority; -1 for equal votes, which no level contains."""
    votes = choices.votes
    shares = votes.max(axis=1) / np.maximum(votes.sum(axis=1), 1)
    return np.where(choices.sides != 0, shares, -1.0)


def credit(predictions: Vector, sides: Vector) -> tuple[Vector, Vector]:
    """Return whether predictions have the side of the majority, and whether they are ties.

    >>> right, tied = credit(np.array([0.2, -0.1, 0.0]), np.array([1.0, 1.0, -1.0]))
    >>> right.tolist(), tied.tolist()
    ([1.0, 0.0, 0.0], [0.0, 0.0, 1.0])
    """
    tied = np.abs(predictions) <= TOLERANCE
    right = ~tied & (np.sign(predictions) == sides)
    return right.astype(np.float64), tied.astype(np.float64)


def agreements(choices: Choices, predictions: Vector, rows: Rows, levels: Vector) -> Vector:
    """Return the share of some rows in which predictions agree with people, for each level.

    `predictions` has a value for each of the rows.
    """
    right, _ = credit(predictions, choices.sides[rows])
    shares = majorities(choices)[rows]
    included = [shares >= max(level, 0.0) for level in levels]
    return np.array([right[rows_in].mean() if rows_in.any() else np.nan for rows_in in included])


def agreement_rows(
    choices: Choices, held_out: Vector, levels: Mapping[str, float], bootstrap: Bootstrap
) -> list[dict[str, Any]]:
    """Return a row for the blend, each metric and one voter, at each level of consensus.

    `held_out` has the predictions of the blend, one row for each repeat; its agreement is the mean
    over repeats. Intervals and tests are over references. `p` is that of the difference from the
    blend, adjusted for the number of metrics.
    """
    sides = choices.sides
    repeated = [credit(values, sides) for values in held_out]
    right, tied = (np.mean([each[at] for each in repeated], axis=0) for at in (0, 1))
    columns = {BLEND: (right, tied)}
    for at, metric in enumerate(choices.metrics):
        columns[metric] = credit(choices.features[:, at], sides)
    rows = []
    for name, least in levels.items():
        included = np.flatnonzero(majorities(choices) >= max(least, 0.0))
        part = _Included(choices.references[included], bootstrap)
        at_level = [
            {
                "metric": metric,
                "consensus": name,
                "least": least,
                **part.shares(r[included], t[included]),
            }
            for metric, (r, t) in columns.items()
        ]
        tests = [
            part.p(right[included], columns[metric][0][included]) for metric in choices.metrics
        ]
        for row, p in zip(at_level, [np.nan, *holm(tests)], strict=True):
            row["p"] = float(p)
        if (voter := voter_credit(choices.votes[included])) is not None:
            shares = part.shares(*voter)
            at_level.append(
                {"metric": VOTER, "consensus": name, "least": least, **shares, "p": np.nan}
            )
        rows += at_level
    return sorted(rows, key=lambda row: [BLEND, *choices.metrics, VOTER].index(row["metric"]))


class _Included:
    """The references of the choices at one level of consensus."""

    def __init__(self, references: Rows, bootstrap: Bootstrap) -> None:
        self.blocks = np.unique(references, return_inverse=True)[1]
        self.bootstrap = bootstrap

    def terms(self, credit: Vector) -> NDArray[np.float64]:
        """Return the sum of a credit and the number of choices, for each reference."""
        return by_block(np.column_stack([credit, np.ones(len(credit))]), self.blocks)

    def shares(self, right: Vector, tied: Vector) -> dict[str, float]:
        """Return the share of agreement with its interval, with half credit for ties, and ties."""
        if not len(right):
            return {
                "choices": 0,
                **dict.fromkeys(("agreed", "low", "high", "half", "ties"), np.nan),
            }
        low, high = interval(self.terms(right), ratio_of_terms, self.bootstrap)
        agreed, ties = float(right.mean()), float(tied.mean())
        return {
            "choices": len(right), "agreed": agreed, "low": low, "high": high,
            "half": agreed + ties / 2, "ties": ties,
        }  # fmt: skip

    def p(self, blend: Vector, other: Vector) -> float:
        """Return the p-value of the difference of two credits."""
        if not len(blend):
            return float("nan")
        no_resamples = Bootstrap(0)
        return paired(self.terms(blend), self.terms(other), ratio_of_terms, no_resamples).p


def voter_credit(votes: NDArray[np.int64]) -> tuple[Vector, Vector] | None:
    """Return how often a random voter agrees with the majority of the others, for each choice.

    The others may be divided equally: this is a tie. The credit of a tie is one half, because a
    voter has to choose; so the first value already contains it. None if a choice has one vote only.

    >>> right, tied = voter_credit(np.array([[4, 3], [7, 0]]))
    >>> right.round(3).tolist(), tied.tolist()
    ([0.286, 1.0], [0.0, 0.0])
    """
    total = votes.sum(axis=1)
    if (total < 2).any():
        return None
    right = np.zeros(len(votes))
    for own, other in ((0, 1), (1, 0)):
        left = votes[:, own] - 1
        credit = (left > votes[:, other]) + 0.5 * (left == votes[:, other])
        right += votes[:, own] / total * credit
    return right, np.zeros(len(votes))
