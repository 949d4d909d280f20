"""How numpy and polars are imported, so that a command starts fast.

The import of polars takes a tenth of a second of CPU time, and that of numpy nearly as much.
`--help` and a single `wer` need neither. A module writes `from misword.core.lazy import pl` and
uses `pl` as if it were polars. Modules that such commands import write `np` in the same way.
`short_waits` makes the import of numpy as cheap on many cores as on one.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = ["np", "pl", "short_waits"]

# OpenBLAS, which numpy's wheels contain, reads this variable when it is loaded: a thread without
# work waits in a loop for two to the power of this number of clock cycles, then it sleeps.
VARIABLE = "OPENBLAS_THREAD_TIMEOUT"
SHORT = "20"  # less than a millisecond


# The address space that polars needs for a small table: its library, threads and their arenas.
# With less, its allocator ends the process with a backtrace that says nothing to a user.
LEAST_ADDRESSES = 1 << 30


def check_address_space() -> None:
    """Raise if this process may use less address space (`ulimit -v`) than polars needs."""
    with suppress(ImportError):  # Windows has no such limits
        import resource

        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        if 0 <= limit < LEAST_ADDRESSES:
            from misword.core.errors import OptionError

            raise OptionError(
                f"the address space is limited to {limit >> 20:,} MB (ulimit -v), and "
                f"{LEAST_ADDRESSES >> 20:,} MB are needed to read tables",
                fix="raise the limit: ulimit -v unlimited; to limit the memory in use instead, run "
                "in a control group: systemd-run --user --scope -p MemoryMax=1G misword ...",
            )


class LazyModule:
    """A stand-in for a module, which is imported when an attribute of it is first read."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        if self._name == "polars" and "polars" not in sys.modules:
            check_address_space()
        with short_waits():
            value = getattr(import_module(self._name), attribute)
        setattr(self, attribute, value)  # the next read does not come here
        return value


if TYPE_CHECKING:
    import numpy as np
    import polars as pl
else:
    np = LazyModule("numpy")
    pl = LazyModule("polars")


@contextmanager
def short_waits() -> Iterator[None]:
    """Within this context, numpy loads OpenBLAS with threads that wait for less than a millisecond.

    By default they wait for 2^28 cycles. On each core but one, `import numpy` then takes a tenth of
    a second of CPU time, more than a small score itself. Products of matrices are not slower with
    short waits. Nothing is changed if the user has set the variable or has imported numpy.
    """
    if VARIABLE in os.environ or "numpy" in sys.modules:
        yield
        return
    os.environ[VARIABLE] = SHORT
    try:
        yield
    finally:
        os.environ.pop(VARIABLE, None)
