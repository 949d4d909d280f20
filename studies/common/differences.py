"""Differences of rates that were measured on different items."""

from __future__ import annotations

from collections.abc import Mapping
from math import hypot
from typing import Any, NamedTuple


class SeparateDifference(NamedTuple):
    """The difference of two rates of independent samples, with its interval."""

    difference: float
    low: float
    high: float


def separate_difference(first: Mapping[str, Any], second: Mapping[str, Any]) -> SeparateDifference:
    """Return the second rate minus the first, with an interval from the intervals of both.

    The distances of both rates from the ends of their intervals are combined as the sides of a
    right triangle (method of variance estimates recovery). Reference: G. Y. Zou, A. Donner,
    Construction of confidence limits about effect measures, Statistics in Medicine 27, 2008.

    >>> one, other = {"rate": 0.5, "low": 0.4, "high": 0.6}, {"rate": 0.8, "low": 0.8, "high": 0.8}
    >>> [round(value, 6) for value in separate_difference(one, other)]
    [0.3, 0.2, 0.4]
    """
    difference = second["rate"] - first["rate"]
    below = hypot(second["rate"] - second["low"], first["high"] - first["rate"])
    above = hypot(second["high"] - second["rate"], first["rate"] - first["low"])
    return SeparateDifference(difference, difference - below, difference + above)
