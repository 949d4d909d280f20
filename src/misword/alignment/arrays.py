"""Types of the arrays that costs of edits are made of."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Prices = NDArray[np.float64]
Index = NDArray[np.int64]
Units = NDArray[np.float32]
