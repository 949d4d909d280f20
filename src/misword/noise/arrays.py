"""Types of the arrays that error models and corrupted texts are made of."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Numbers of words, rows or places, and counts; -1 stands for "none".
Ints = NDArray[np.int64]
# Weights, probabilities, ranks and distances.
Floats = NDArray[np.float64]
# One truth value for each word, row or utterance.
Flags = NDArray[np.bool_]
