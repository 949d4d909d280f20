"""How well probabilities fit what happened: calibration, normalised cross entropy, and AUC.

- Calibration: do events that were given the probability p happen in a share p of the cases?
  Probabilities are divided into bins of equal width. In each bin, the mean probability is compared
  with the share of events that happened. The expected calibration error (ECE) is the mean of the
  absolute differences, weighted by the number of cases.
- Normalised cross entropy (NCE): the share of the uncertainty about which words are right that the
  confidences remove. 1 is perfect; 0 is what the same confidence for all words gives, if it is the
  share of right words; below 0 the confidences are worse than that.
- Area under the curve (AUC): how often a right word has a higher confidence than a wrong one; equal
  confidences count half.

Known problems: with few cases, the ECE of a perfectly calibrated model is above 0 too: about 0.025
for 1,000 cases with probabilities of all sizes. `chance_error` estimates this size.

References: M. P. Naeini, G. F. Cooper, M. Hauskrecht, Obtaining well calibrated probabilities using
Bayesian binning, AAAI 2015; C. Guo et al., On calibration of modern neural networks, ICML 2017;
M. Siu, H. Gish, F. Richardson, Improved estimation, evaluation and applications of confidence
measures for speech recognition, Eurospeech 1997 (NCE); J. A. Hanley, B. J. McNeil, The meaning and
use of the area under a receiver operating characteristic curve, Radiology, 1982.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.stat.correlation import RankedColumn

BINS = 10

Probabilities = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Bin:
    """The cases with probabilities from `low` to below `high`; the last bin includes `high`.

    `mean` is the mean probability, `share` the share of cases that happened.
    """

    low: float
    high: float
    cases: int
    mean: float
    share: float

    @property
    def error(self) -> float:
        """The standard deviation of the share, if the probabilities are right."""
        return float(np.sqrt(self.mean * (1 - self.mean) / self.cases))


def calibration_bins(probabilities: Probabilities, happened: Flags, bins: int = BINS) -> list[Bin]:
    """Return the bins that have cases, in ascending order.

    >>> found = calibration_bins(np.array([0.1, 0.3, 0.9]), np.array([False, True, True]), 2)
    >>> [(each.low, each.cases, round(each.mean, 2), each.share) for each in found]
    [(0.0, 2, 0.2, 0.5), (0.5, 1, 0.9, 1.0)]
    """
    numbers = np.minimum((probabilities * bins).astype(np.int64), bins - 1)
    made = []
    for number in np.unique(numbers).tolist():
        inside = numbers == number
        mean, share = float(probabilities[inside].mean()), float(happened[inside].mean())
        low, high = number / bins, (number + 1) / bins
        made.append(Bin(low, high, int(np.count_nonzero(inside)), mean, share))
    return made


def expected_calibration_error(bins: list[Bin]) -> float:
    """Return the mean difference of probability and share over all cases; nan without cases.

    >>> expected_calibration_error([Bin(0.0, 0.5, 3, 0.2, 0.4), Bin(0.5, 1.0, 1, 0.9, 1.0)])
    0.175
    """
    cases = sum(each.cases for each in bins)
    off = sum(each.cases * abs(each.mean - each.share) for each in bins)
    return round(off / cases, 12) if cases else float("nan")


def chance_error(bins: list[Bin]) -> float:
    """Return about the error that is expected if all probabilities are right.

    The difference in a bin is then nearly normal, and its mean size is sqrt(2 / pi) times its
    standard deviation.

    >>> round(chance_error([Bin(0.4, 0.5, 100, 0.5, 0.5)]), 4)
    0.0399
    """
    cases = sum(each.cases for each in bins)
    off = sum(each.cases * each.error for each in bins)
    return float(np.sqrt(2 / np.pi) * off / cases) if cases else float("nan")


# Confidences of 0 and 1 are moved by this much for NCE, which would else be minus infinity.
LEAST = 1e-6


def normalised_cross_entropy(confidences: Probabilities, right: Flags) -> float | None:
    """Return the NCE; None if all words are right or none is.

    >>> flags = np.array([True, True, True, False])
    >>> normalised_cross_entropy(np.full(4, 0.75), flags)
    0.0
    """
    share = float(right.mean()) if len(right) else 0.0
    if share in (0.0, 1.0):
        return None
    inside = np.clip(confidences, LEAST, 1 - LEAST)
    said = np.log2(np.where(right, inside, 1 - inside)).mean()
    entropy = -(share * np.log2(share) + (1 - share) * np.log2(1 - share))
    return float((entropy + said) / entropy)


def area_under_curve(confidences: Probabilities, right: Flags) -> float | None:
    """Return the AUC, from the sum of the ranks of right words; None if one kind is missing.

    >>> area_under_curve(np.array([0.9, 0.4, 0.5]), np.array([True, True, False]))
    0.5
    """
    some = int(right.sum())
    others = len(right) - some
    if not some or not others:
        return None
    ranks = RankedColumn.of(confidences).ranks()[right].sum()
    return float((ranks - some * (some + 1) / 2) / (some * others))


# Agreement of two annotators beyond chance.


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
