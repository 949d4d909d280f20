"""The builds for different processors give the same bits."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from misword.native import library

PROGRAM = Path(__file__).parents[2] / "native_digests.py"


def digests(build: str) -> str:
    environment = {**os.environ, library.VARIABLE: build}
    done = subprocess.run(
        [sys.executable, str(PROGRAM)], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.mark.slow
def test_every_kernel_gives_the_same_bits_with_and_without_avx2() -> None:
    if not library._load(library.FOLDER / f"_kernels{library.SUFFIX}").misword_runs_avx2():
        pytest.skip("this processor has no AVX2")
    baseline = digests("baseline")
    assert baseline == digests("avx2")
    assert len(baseline.splitlines()) > 2
