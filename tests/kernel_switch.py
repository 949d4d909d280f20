"""Choose the plain or the compiled implementation of every kernel for inputs of any size."""

from __future__ import annotations

import sys

import pytest

from misword.core import kernel_thresholds


def use_kernels(patch: pytest.MonkeyPatch, *, compiled: bool) -> None:
    """Set all thresholds so that every function runs compiled, or none does."""
    for name in vars(kernel_thresholds):
        if name.isupper():
            patch.setattr(kernel_thresholds, name, 0 if compiled else sys.maxsize)
