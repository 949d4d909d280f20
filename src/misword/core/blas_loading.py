"""How the BLAS of numpy is loaded: with threads that sleep soon when they have no work."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

# OpenBLAS, which numpy's wheels contain, reads this variable when it is loaded: a thread without
# work waits in a loop for two to the power of this number of clock cycles, then it sleeps.
VARIABLE = "OPENBLAS_THREAD_TIMEOUT"
SHORT = "20"  # less than a millisecond


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
