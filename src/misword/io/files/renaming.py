"""The exchange of two paths in one step, and the writing of data to the disk before a rename.

A rename is atomic, but it cannot replace a folder that has files. Linux (`renameat2`) and macOS
(`renamex_np`) can exchange two paths: every other process sees either the old or the new folder.

Reference: the manual page rename(2) of Linux; renamex_np(2) of macOS.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

AT_FDCWD = -100  # paths are relative to the current folder
RENAME_EXCHANGE = 2  # of Linux
RENAME_SWAP = 2  # of macOS
# Numbers of the system call `renameat2`, for C libraries without a function of this name.
SYSTEM_CALLS = {
    "x86_64": 316,
    "aarch64": 276,
    "riscv64": 276,
    "ppc64le": 357,
    "s390x": 347,
}
# What a system, a file system or a sandbox answers that cannot exchange paths.
UNSUPPORTED = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM}

Call = Callable[[bytes, bytes], int]


def exchange(one: Path, other: Path) -> bool:
    """Exchange two files or folders in one step; False if the system or file system cannot.

    Raises `OSError`: `FileNotFoundError` if one of the two is missing.
    """
    call = _exchange_call()
    if call is None:
        return False
    if call(os.fsencode(one), os.fsencode(other)) == 0:
        return True
    code = ctypes.get_errno()
    if code in UNSUPPORTED:
        return False
    raise OSError(code, os.strerror(code), str(one), None, str(other))


@cache
def _exchange_call() -> Call | None:
    """Return the function of the C library that exchanges two paths, if there is one."""
    if sys.platform == "win32":
        return None
    library = ctypes.CDLL(None, use_errno=True)
    if hasattr(library, "renameat2"):
        return lambda one, other: int(
            library.renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE)
        )
    if hasattr(library, "renamex_np"):
        return lambda one, other: int(library.renamex_np(one, other, RENAME_SWAP))
    number = SYSTEM_CALLS.get(platform.machine()) if sys.platform == "linux" else None
    if number is None:
        return None
    return lambda one, other: int(
        library.syscall(number, AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE)
    )


def sync_file(path: Path) -> None:
    """Write a file's data to the disk, so that a power failure after a rename cannot lose it."""
    with path.open("rb+") as file:  # Windows syncs only files that are open for writing
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Write the entries of a folder to the disk, where the system can."""
    if sys.platform == "win32":  # folders cannot be opened there
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in UNSUPPORTED:  # some network file systems cannot
            raise
    finally:
        os.close(handle)
