"""How well confidences tell right words from wrong ones.

- Normalised cross entropy (NCE): the share of the uncertainty about which words are right that the
  confidences remove. 1 is perfect; 0 is what the same confidence for all words gives, if it is the
  share of right words; below 0 the confidences are worse than that.
- Calibration error (ECE): see `stat/calibration.py`.
- Area under the curve (AUC): how often a right word has a higher confidence than a wrong one; equal
  confidences count half.

References: M. Siu, H. Gish, F. Richardson, Improved estimation, evaluation and applications of
confidence measures for speech recognition, Eurospeech 1997 (NCE); J. A. Hanley, B. J. McNeil, The
meaning and use of the area under a receiver operating characteristic curve, Radiology, 1982.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from misword.stat.weighted_correlation import RankedColumn

# Confidences of 0 and 1 are moved by this much for NCE, which would else be minus infinity.
LEAST = 1e-6

Confidences = NDArray[np.float64]
Flags = NDArray[np.bool_]


def normalised_cross_entropy(confidences: Confidences, right: Flags) -> float | None:
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


def area_under_curve(confidences: Confidences, right: Flags) -> float | None:
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
