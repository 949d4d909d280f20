"""Arrays as text for the page's scripts: little-endian numbers in base64, read by `corpus.js`."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import numpy as np
from numpy.typing import NDArray

# A value as JSON can hold it.
Data = dict[str, Any]


def packed(values: NDArray[Any]) -> Data:
    """Return an array as base64; whole numbers take the fewest bytes that hold the largest one."""
    if values.dtype.kind == "f":
        kind = f"f{values.dtype.itemsize}"
    else:
        largest = int(values.max(initial=0))
        kind = "u1" if largest < 1 << 8 else "u2" if largest < 1 << 16 else "u4"
    data = np.ascontiguousarray(values.astype(f"<{kind}")).tobytes()
    return {"type": kind, "data": b64encode(data).decode("ascii")}
