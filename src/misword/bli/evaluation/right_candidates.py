"""Which candidates count as right, so that no candidate is counted for two gold translations.

Without lemmas a candidate is one gold translation. By its lemma it can be several: the forms of a
gold word that a dictionary lists one by one. Precision counts candidates: each for at most one gold
pair, and each gold pair for at most one candidate (a greatest matching of the two). Recall counts
the gold pairs of which any candidate is right.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from misword.bli.arrays import RowNumbers

RightPairs = NDArray[np.bool_]  # a row for each gold pair, a column for each rank of a candidate


def right_candidates(headword_of: RowNumbers, right: RightPairs) -> tuple[RowNumbers, RowNumbers]:
    """Return the headword and the rank of each candidate that counts as right.

    `headword_of` has the headword of each gold pair; `right` says by which candidates of its
    headword the pair is found. For each k, as many candidates of the first k count as can be
    matched with gold pairs.

    >>> forms = np.array([[True, False], [True, True]])  # one candidate is right for both pairs
    >>> [found.tolist() for found in right_candidates(np.array([0, 0]), forms)]
    [[0, 0], [1, 2]]
    >>> [found.tolist() for found in right_candidates(np.array([0, 0]), forms[:, :1])]
    [[0], [1]]
    """
    pairs, columns = np.nonzero(right)
    candidates, times = np.unique(headword_of[pairs] * right.shape[1] + columns, return_counts=True)
    contested = np.unique(candidates[times > 1] // max(1, right.shape[1]))
    # Where no candidate is right for two pairs, the first candidate of each pair counts.
    alone = right.any(axis=1) & ~np.isin(headword_of, contested)
    headwords, ranks = [headword_of[alone]], [right[alone].argmax(axis=1) + 1]
    order = np.argsort(headword_of, kind="stable")
    starts, ends = (
        np.searchsorted(headword_of, contested, side=side, sorter=order)
        for side in ("left", "right")
    )
    for headword, start, end in zip(contested, starts, ends, strict=True):
        matched = _matched_columns(right[order[start:end]])
        headwords.append(np.full(len(matched), headword))
        ranks.append(np.array(matched, np.int64) + 1)
    return np.concatenate(headwords), np.concatenate(ranks)


def _matched_columns(right: RightPairs) -> list[int]:
    """Return the columns of a greatest matching, in which earlier columns come first."""
    column_of: dict[int, int] = {}  # by row

    def match(column: int, tried: set[int]) -> bool:
        """Match a column, and give others another row where that makes room for it."""
        for row in np.flatnonzero(right[:, column]).tolist():
            if row not in tried:
                tried.add(row)
                if row not in column_of or match(column_of[row], tried):
                    column_of[row] = column
                    return True
        return False

    return [column for column in range(right.shape[1]) if match(column, set())]
