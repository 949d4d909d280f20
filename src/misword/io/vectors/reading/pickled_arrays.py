"""NumPy arrays from the records of a pickle, without NumPy's own functions for pickles.

Those functions take the state of an array as it is in the file. Here type, shape and size are
checked first.
"""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.io.vectors.reading.pickle_machine import Record

NUMBER = re.compile(r"[fiu][1248]")
RECONSTRUCT = ("numpy.core.multiarray._reconstruct", "numpy._core.multiarray._reconstruct")
FROM_BUFFER = ("numpy.core.numeric._frombuffer", "numpy._core.numeric._frombuffer")


def array_of(value: Any) -> NDArray[Any] | None:
    """Return the array of numbers that a record stands for; None if it stands for none.

    A ValueError is raised if the record claims another number of bytes than it has.
    """
    if not isinstance(value, Record):
        return None
    if value.name in RECONSTRUCT and isinstance(value.state, tuple) and len(value.state) == 5:
        _, shape, dtype, columns_first, data = value.state
    elif value.name in FROM_BUFFER and len(value.arguments) == 4:
        data, dtype, shape, order = value.arguments
        columns_first = order == "F"
    else:
        return None
    return _array(data, _dtype(dtype), shape, bool(columns_first))


def _dtype(record: Any) -> np.dtype[Any]:
    """Return the type of numbers that a record of `numpy.dtype` stands for."""
    if not isinstance(record, Record) or record.name != "numpy.dtype" or not record.arguments:
        raise ValueError("no type of numbers")
    code = record.arguments[0]
    if not isinstance(code, str) or not NUMBER.fullmatch(code):
        raise ValueError(f"an array of type {code!r}")
    order = record.state[1] if isinstance(record.state, tuple) and len(record.state) > 1 else "<"
    return np.dtype(code).newbyteorder(">" if order == ">" else "<")


def _array(data: Any, dtype: np.dtype[Any], shape: Any, columns_first: bool) -> NDArray[Any]:
    if isinstance(data, str):  # as Python 2 wrote it
        data = data.encode("latin1")
    sound = isinstance(shape, tuple) and all(type(n) is int and n >= 0 for n in shape)
    if not (isinstance(data, bytes) and sound):
        raise ValueError("no array of numbers")
    if math.prod(shape) * dtype.itemsize != len(data):
        raise ValueError(f"{len(data)} bytes for an array of shape {shape}")
    flat = np.frombuffer(data, dtype)
    return flat.reshape(shape, order="F" if columns_first else "C")
