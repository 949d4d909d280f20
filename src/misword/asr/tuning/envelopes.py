"""Which hypothesis of each list has the highest score along a line, by a compiled kernel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from misword.native.library import INTEGER, array, kernel

Numbers = NDArray[np.float64]
Rows = NDArray[np.int64]

_upper_envelopes = kernel(
    "misword_upper_envelopes", array(np.float64), array(np.float64), array(np.int64), INTEGER,
    array(np.int64, out=True), array(np.float64, out=True), array(np.int64, out=True),
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Envelopes:
    """The highest hypotheses of each list, in the order in which they become the highest.

    List `k` has the rows `rows[at[k]:at[k + 1]]`; each is the highest from its number in `starts`
    to that of the next one. The first of each list has minus infinity.
    """

    rows: Rows
    starts: Numbers
    at: Rows


def upper_envelopes(intercepts: Numbers, slopes: Numbers, offsets: Rows) -> Envelopes:
    """Return the envelopes of lists of lines `intercept + t * slope`.

    List `k` has the lines `offsets[k]` to `offsets[k + 1] - 1`. Of equal lines the first counts.

    >>> found = upper_envelopes(np.array([0.0, 1, 0]), np.array([0.0, 1, 2]), np.array([0, 3]))
    >>> found.rows.tolist(), found.starts.tolist()
    ([0, 1, 2], [-inf, -1.0, 1.0])
    """
    if not (len(intercepts) == len(slopes) == (offsets[-1] if len(offsets) else -1)):
        raise ValueError(f"{len(intercepts)} intercepts, {len(slopes)} slopes, offsets {offsets}")
    if offsets[0] or (np.diff(offsets) < 1).any():
        raise ValueError("each list must have at least one line")
    if not (np.isfinite(intercepts).all() and np.isfinite(slopes).all()):
        raise ValueError("lines must be finite")
    count = len(intercepts)
    rows, starts = np.empty(count, np.int64), np.empty(count, np.float64)
    at = np.empty(len(offsets), np.int64)
    _upper_envelopes(intercepts, slopes, offsets, len(offsets) - 1, rows, starts, at)
    return Envelopes(rows[: at[-1]], starts[: at[-1]], at)
