"""Compiled merge of products into the running lists of the nearest rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from misword.native.library import INTEGER, array, kernel

_merge_nearest = kernel(
    "misword_merge_nearest", array(np.float32), INTEGER, INTEGER, INTEGER, INTEGER,
    array(np.uint64, out=True),
)  # fmt: skip


def merge(products: NDArray[np.float32], first: int, best: NDArray[np.uint64]) -> None:
    """Merge products into the running lists of the best keys; the first column is row `first`.

    After the first blocks hardly any product is above the worst of its list, so one comparison
    decides most products. The keys are those of `neighbors.pack_keys`.
    """
    queries, width = products.shape
    if len(best) != queries or first < 0 or first + width > 0xFFFFFFFF:
        raise ValueError("the products do not fit the lists, or a row number is too large")
    _merge_nearest(products, queries, width, first, best.shape[1], best)
