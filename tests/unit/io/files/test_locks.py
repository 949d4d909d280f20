"""Locks on folders."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

import pytest

from misword.io.files import replacements
from misword.io.files.replacements import locked

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no locks on folders")


def test_a_writer_waits_for_readers(tmp_path: Path) -> None:
    order = []

    def write() -> None:
        with locked(tmp_path, shared=False):
            order.append("written")

    writer = threading.Thread(target=write)
    with locked(tmp_path, shared=True), locked(tmp_path, shared=True):
        writer.start()
        time.sleep(0.05)
        order.append("read")
    writer.join()
    assert order == ["read", "written"]


def test_nobody_waits_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replacements, "LONGEST_WAIT", 0.01)
    with locked(tmp_path, shared=False), locked(tmp_path, shared=False):
        pass


def test_file_systems_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(handle: int, kind: int) -> None:
        raise OSError("no locks")

    monkeypatch.setattr("fcntl.flock", fail)
    with locked(tmp_path, shared=True), locked(tmp_path / "missing", shared=True):
        pass
