"""The exchange of two paths."""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from misword.io.files import replacements
from misword.io.files.replacements import exchange, sync_file, sync_folder


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path]:
    one, other = tmp_path / "one", tmp_path / "other é"
    for folder in (one, other):
        folder.mkdir()
        (folder / "name").write_text(folder.name, encoding="utf-8")
    return one, other


@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot exchange paths")
def test_two_folders_are_exchanged(two: tuple[Path, Path]) -> None:
    one, other = two
    if not exchange(one, other):
        pytest.skip("this file system cannot exchange paths")
    assert (one / "name").read_text(encoding="utf-8") == "other é"
    assert (other / "name").read_text(encoding="utf-8") == "one"
    with pytest.raises(FileNotFoundError):
        exchange(one, one.with_name("missing"))


def test_a_library_without_the_function_makes_the_system_call(
    two: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    if sys.platform != "linux" or os.uname().machine not in replacements.SYSTEM_CALLS:
        pytest.skip("another system call")
    library = ctypes.CDLL(None, use_errno=True)
    only = SimpleNamespace(syscall=library.syscall)
    monkeypatch.setattr(ctypes, "CDLL", lambda *_, **__: only)
    replacements._exchange_call.cache_clear()
    try:
        assert exchange(*two)
        assert (two[0] / "name").read_text(encoding="utf-8") == "other é"
    finally:
        replacements._exchange_call.cache_clear()


@pytest.mark.parametrize("code", [errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EPERM])
def test_a_file_system_that_cannot(
    two: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    def fail(one: bytes, other: bytes) -> int:
        ctypes.set_errno(code)
        return -1

    monkeypatch.setattr(replacements, "_exchange_call", lambda: fail)
    assert not exchange(*two)
    monkeypatch.setattr(replacements, "_exchange_call", lambda: None)
    assert not exchange(*two)


def test_data_are_synced(two: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    if sys.platform == "win32":
        pytest.skip("folders are not synced")
    synced = []
    monkeypatch.setattr(os, "fsync", lambda handle: synced.append(os.fstat(handle).st_ino))
    sync_file(two[0] / "name")
    sync_folder(two[0])
    assert synced == [(two[0] / "name").stat().st_ino, two[0].stat().st_ino]


@pytest.mark.parametrize(("code", "raised"), [(errno.EINVAL, False), (errno.EIO, True)])
def test_folders_that_cannot_be_synced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, raised: bool
) -> None:
    def fail(handle: int) -> None:
        raise OSError(code, "no")

    monkeypatch.setattr(os, "fsync", fail)
    if raised:
        with pytest.raises(OSError, match="no"):
            sync_folder(tmp_path)
    else:
        sync_folder(tmp_path)
