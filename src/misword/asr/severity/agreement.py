"""Cohen's kappa: the agreement of two annotators beyond chance."""

from __future__ import annotations

from typing import Any

import numpy as np


def kappa(one: Any, other: Any) -> float:
    """Return Cohen's kappa of two lists of labels; nan if chance alone gives full agreement.

    >>> kappa([0, 0, 1, 1], [0, 1, 1, 1])
    0.5

    Reference: J. Cohen, A coefficient of agreement for nominal scales, Educational and
    Psychological Measurement 20, 1960.
    """
    left, right = np.asarray(one), np.asarray(other)
    if not len(left):
        return float("nan")
    labels = np.unique(np.concatenate([left, right]))
    chance = sum(float(np.mean(left == label) * np.mean(right == label)) for label in labels)
    same = float(np.mean(left == right))
    return (same - chance) / (1 - chance) if chance < 1 else float("nan")
