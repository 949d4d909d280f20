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
    return _compile(function)


def reordered(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile as `compiled` does, and let sums be taken in any order.

    Only for sums that are exact in every order, so that the order cannot be seen in the result, or
    of which no more is said than of BLAS: the last bits may differ on another machine.
    """
    return _compile(function, fastmath={"reassoc", "contract"})


def _compile(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    made: Callable[..., Any]
    try:
        made = njit(nogil=True, cache=True, **options)(function)
    except RuntimeError:
        made = njit(nogil=True, **options)(function)
    return made
