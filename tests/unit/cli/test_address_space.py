"""A limit of the address space that is too low is an error of one message, not an abort."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

resource = pytest.importorskip("resource")


@pytest.mark.parametrize("megabytes", [300, 400, 700])
def test_too_little_address_space(tmp_path: Path, megabytes: int) -> None:
    for name in ("ref.txt", "hyp.txt"):
        (tmp_path / name).write_text("a b\n")
    limit = megabytes << 20

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    command = [sys.executable, "-m", "misword", "score", "ref.txt", "hyp.txt"]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=tmp_path, preexec_fn=limited, check=False
    )
    assert done.returncode == 2
    assert done.stderr.startswith(f"misword score: the address space is limited to {megabytes} MB")
    assert "ulimit -v" in done.stderr
    assert len(done.stderr.splitlines()) == 2
