"""Arrays in NumPy's file format, checked before memory is allocated.

A header may claim any shape. It is compared with the number of bytes that are there, and arrays of
Python objects are refused, because reading them would run code from the file. All functions raise
a ValueError if an array is refused.

Reference: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
"""

from __future__ import annotations

import math
import mmap
from io import BytesIO
from pathlib import Path
from tokenize import TokenError
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

PLAIN_KINDS = "biufSU"  # truth values, numbers and texts; no objects, records or dates


class NpyHeader(NamedTuple):
    """Shape, order and type of an array in a file."""

    shape: tuple[int, ...]
    columns_first: bool
    dtype: np.dtype[Any]

    @property
    def size(self) -> int:
        """The number of bytes of the array's elements."""
        return math.prod(self.shape) * self.dtype.itemsize


def read_npy_header(file: BinaryIO) -> NpyHeader:
    """Read the header of an array; the file is then at the first element."""
    version = npy.read_magic(file)
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    try:
        header = NpyHeader(*read(file))
    except (
        SyntaxError, TokenError, TypeError, RecursionError, MemoryError, OverflowError,
    ) as error:  # fmt: skip
        raise ValueError(f"no header of an array ({type(error).__name__})") from None
    if any(length < 0 for length in header.shape):
        raise ValueError("a negative length")
    return header


def read_npy(data: bytes) -> NDArray[Any]:
    """Return the array in the bytes of a `.npy` file, as a copy that can be changed."""
    file = BytesIO(data)
    header = read_npy_header(file)
    check_header(header, len(data) - file.tell())
    return _array(data, header, file.tell()).copy()


def map_npy(path: Path) -> NDArray[Any]:
    """Return the array in a `.npy` file, memory-mapped."""
    with path.open("rb") as file:
        header = read_npy_header(file)
        start = file.tell()
        check_header(header, path.stat().st_size - start)
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return _array(mapped, header, start)


def check_header(header: NpyHeader, size: int) -> None:
    """Raise unless a header has a plain type and claims exactly `size` bytes."""
    if header.dtype.kind not in PLAIN_KINDS:
        raise ValueError(f"an array of type {header.dtype}")
    if header.size != size:
        raise ValueError(f"{header.size} bytes of numbers are claimed, {size} are there")


def _array(data: bytes | mmap.mmap, header: NpyHeader, start: int) -> NDArray[Any]:
    order: Any = "F" if header.columns_first else "C"
    if not header.size:
        return np.empty(header.shape, header.dtype)
    count = math.prod(header.shape)
    return np.frombuffer(data, header.dtype, count, start).reshape(header.shape, order=order)
