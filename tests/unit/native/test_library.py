"""Loading the compiled kernels, and the checks of what is passed to them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from misword.core.errors import KernelError
from misword.native import library

RUN = "from misword.text.tokens import encode_words"


def test_an_array_of_another_type_or_layout_is_refused() -> None:
    parameter = library.array(np.int64)
    with pytest.raises(TypeError, match="needs an array of int64, not int32"):
        parameter.from_param(np.zeros(2, np.int32))
    with pytest.raises(TypeError, match="needs an array of int64, not list"):
        parameter.from_param([1, 2])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="needs an array of int64, not NoneType"):
        parameter.from_param(None)
    with pytest.raises(TypeError, match="contiguous"):
        parameter.from_param(np.zeros((4, 2), np.int64)[:, 0])
    fixed = np.zeros(2, np.int64)
    fixed.flags.writeable = False
    assert parameter.from_param(fixed).value == fixed.ctypes.data
    with pytest.raises(TypeError, match="writeable"):
        library.array(np.int64, out=True).from_param(fixed)
    assert library.array(np.int64, optional=True).from_param(None).value is None


def test_memory_that_is_not_there_is_an_error() -> None:
    with pytest.raises(MemoryError, match="misword_align_unit"):
        library._check(library.NO_MEMORY, library.library().misword_align_unit, ())
    assert library._check(library.FULL, None, ()) == library.FULL


@pytest.mark.parametrize("name", ["missing.so", "text.so"])
def test_a_library_that_cannot_be_loaded_says_what_to_do(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "text.so").write_text("not a library")
    monkeypatch.setenv(library.VARIABLE, str(tmp_path / name))
    done = subprocess.run([sys.executable, "-c", RUN], capture_output=True, text=True, check=False)
    assert done.returncode
    last = done.stderr.strip().splitlines()[-2:]
    assert last[0].startswith("misword.core.errors.KernelError: the compiled kernels cannot be")
    assert "pip install --editable" in last[1]


def test_the_command_line_says_that_the_library_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(library.VARIABLE, str(tmp_path / "missing.so"))
    command = [sys.executable, "-m", "misword", "score", "a.txt", "b.txt"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("misword score: the compiled kernels cannot be loaded")


def test_a_library_of_another_version_is_refused() -> None:
    with pytest.raises(KernelError, match="of another version: no misword_unknown"):
        library.procedure("misword_unknown")
