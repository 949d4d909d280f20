"""Files that a simulated kill left open."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def _close_files() -> Iterator[None]:
    """Close them before the next test begins, which would otherwise get the warning.

    Objects from before the test are frozen, because a search of all of them takes a second.
    """
    gc.freeze()
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()
    gc.unfreeze()
