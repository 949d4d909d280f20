"""Types of the arrays that bilingual mappings are made of."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Vectors (a row for each word), cosines and mapping matrices.
Float32Array = NDArray[np.float32]
# Sums over many words, and matrices before they are rounded: double precision.
Float64Array = NDArray[np.float64]
# The row number of each word, -1 for a word without a row.
RowNumbers = NDArray[np.int64]
# A row for each pair of words: the row of the source word, the row of the target word.
RowPairs = NDArray[np.int64]
