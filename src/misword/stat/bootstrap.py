"""The settings of a bootstrap: the number of resamples, the confidence, the seed."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import OptionError


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """The settings of a bootstrap, checked when the object is created.

    `times` is the number of resamples (0: no intervals), `confidence` the share that an interval
    covers, `seed` the start of the random numbers.

    >>> Bootstrap(confidence=95)
    Traceback (most recent call last):
    misword.core.errors.OptionError: confidence is 95
      use a share such as 0.95
    """

    times: int = 1000
    confidence: float = 0.95
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.confidence < 1:
            raise OptionError(f"confidence is {self.confidence}", fix="use a share such as 0.95")
        if self.times < 0:
            raise OptionError(f"bootstrap is {self.times}", fix="use 0 or more resamples")
        if self.seed < 0:
            raise OptionError(f"seed is {self.seed}", fix="use 0 or more")

    def percentiles(self, values: NDArray[Any]) -> tuple[float, float]:
        """Return the percentile interval of resampled values; nan values are left out.

        >>> Bootstrap(confidence=0.5).percentiles(np.array([1.0, 2, 3, 4, 5, np.nan]))
        (2.0, 4.0)
        """
        defined = values[~np.isnan(values)]
        if not len(defined):
            return nan, nan
        tail = (1 - self.confidence) / 2
        low, high = np.quantile(defined, [tail, 1 - tail])
        return float(low), float(high)


DEFAULT = Bootstrap()
