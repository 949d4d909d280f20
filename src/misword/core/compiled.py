"""Functions compiled on first use, kept on disk where a folder can be written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile without the interpreter lock; without a cache where none can be kept.

    numba refuses to cache where neither the package's folder nor the user's can be written, as in
    some containers: then every process compiles for itself.
    """
    try:
        return njit(nogil=True, cache=True)(function)
    except RuntimeError:
        return njit(nogil=True)(function)
