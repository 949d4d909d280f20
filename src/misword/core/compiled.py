"""Decorators that compile a function with numba when it is first called.

The machine code is cached on disk, where numba finds a folder that it can write to.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from numba import njit

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def compiled(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Compile a function that runs without the interpreter lock, so that threads run in parallel.

    numba refuses to cache where neither the package's folder nor the user's can be written, as in
    some containers. The function is then compiled again in every process.
    """
    return _compile(function)


def reordered(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Compile as `compiled` does, and let the compiler add floating-point numbers in any order.

    Use it only where every order gives the same sum, or where the last bits may differ between
    machines, as those of BLAS do.
    """
    return _compile(function, fastmath={"reassoc", "contract"})


def _compile(
    function: Callable[Parameters, Result], **options: Any
) -> Callable[Parameters, Result]:
    dispatcher: Callable[Parameters, Result]
    try:
        dispatcher = njit(nogil=True, cache=True, **options)(function)
    except RuntimeError:
        dispatcher = njit(nogil=True, **options)(function)
    return dispatcher
