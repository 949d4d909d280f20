"""The compiled kernels as Python functions: loading, and checks of the arrays that are passed.

A module that uses a kernel declares it once with the types of its parameters, in the order of
`kernels.h`:

    _scale = kernel("misword_scale_rows", array(np.float32), INTEGER, array(np.float32, out=True))

The declared function checks the type and the memory layout of each array, releases the interpreter
lock while the kernel runs, and raises MemoryError if the kernel could not allocate memory. The
caller checks lengths. A test compares all declarations with the header.

A build for x86-64 has two libraries: one for every such processor and one for processors with AVX2,
which is used where it runs. Both give the same results. The environment variable MISWORD_KERNELS
selects another: `baseline`, `avx2`, or the path of a library.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from misword.core.errors import KernelError
from misword.core.lazy import np

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

FOLDER = Path(__file__).parent
SUFFIX = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")
VARIABLE = "MISWORD_KERNELS"
REPAIR = "install misword again; in a clone: make, or pip install --editable ."

INTEGER, SMALL, REAL, SINGLE = ctypes.c_int64, ctypes.c_int32, ctypes.c_double, ctypes.c_float
WORD = ctypes.c_uint64
# For calls that must cost little: the bytes of an array that the kernel reads, and the address of
# one number that it writes.
BYTES, RESULT = ctypes.c_char_p, ctypes.POINTER(ctypes.c_int64)
OK, NO_MEMORY, TOO_LARGE, FULL, MISMATCH = 0, 1, 2, 3, 4  # as in kernels.h


class ArrayParameter:
    """The type of an array parameter: converts an array to its address, after checks."""

    def __init__(self, dtypes: tuple[np.dtype[Any], ...], out: bool, optional: bool) -> None:
        self.dtypes, self.out, self.optional = dtypes, out, optional

    def from_param(self, values: NDArray[Any] | None) -> ctypes.c_void_p:
        """Return the address of the first item; ctypes calls this for each argument."""
        if values is None and self.optional:
            return ctypes.c_void_p()
        if not isinstance(values, np.ndarray) or values.dtype not in self.dtypes:
            kind = getattr(values, "dtype", type(values).__name__)
            wanted = " or ".join(map(str, self.dtypes))
            raise TypeError(f"the kernel needs an array of {wanted}, not {kind}")
        flags = values.flags
        if not flags.c_contiguous or (self.out and not flags.writeable):
            raise TypeError("the kernel needs a contiguous array, writeable if it is an output")
        return ctypes.c_void_p(values.ctypes.data)


def array(*dtypes: DTypeLike, out: bool = False, optional: bool = False) -> ArrayParameter:
    """Return the parameter type of an array of one of these types.

    The kernel writes to the array if `out`. An `optional` array may be None (NULL).
    """
    return ArrayParameter(tuple(map(np.dtype, dtypes)), out, optional)


def kernel(name: str, *parameters: Any) -> Callable[..., int]:
    """Return a function of the library that returns a status.

    The status NO_MEMORY is raised as MemoryError; any other is returned.
    """
    function = _function(name, parameters, ctypes.c_int)
    function.errcheck = _check
    return cast(Callable[..., int], function)


def procedure(name: str, *parameters: Any) -> Callable[..., None]:
    """Return a function of the library that returns nothing."""
    return cast(Callable[..., None], _function(name, parameters, None))


def _function(name: str, parameters: tuple[Any, ...], result: Any) -> Any:
    function = getattr(library(), name, None)
    if function is None:
        raise KernelError(f"the compiled kernels are of another version: no {name}", fix=REPAIR)
    function.argtypes, function.restype = parameters, result
    return function


def _check(status: int, function: Any, arguments: tuple[Any, ...]) -> int:
    if status == NO_MEMORY:
        raise MemoryError(f"not enough memory for {function.__name__}")
    return status


@cache
def library() -> ctypes.CDLL:
    """Load the library of this machine, once in a process."""
    wanted = os.environ.get(VARIABLE, "")
    if wanted and wanted not in {"baseline", "avx2"}:
        return _load(Path(wanted))
    baseline, faster = FOLDER / f"_kernels{SUFFIX}", FOLDER / f"_kernels_avx2{SUFFIX}"
    if wanted == "avx2":
        return _load(faster)
    loaded = _load(baseline)
    if not wanted and faster.exists() and loaded.misword_runs_avx2():
        return _load(faster)
    return loaded


def _load(path: Path) -> ctypes.CDLL:
    try:
        return ctypes.CDLL(str(path))
    except OSError as error:
        raise KernelError(f"the compiled kernels cannot be loaded: {error}", fix=REPAIR) from None
