"""Locks between processes that read a folder and processes that replace it.

A reader starts again if the folder is replaced while it reads. If this happens several times, it
asks the writers to wait. The locks are advisory: without them (Windows, some network disks) readers
still never mix two folders, but could have to start again often. The system releases the lock of a
killed process.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

if sys.platform != "win32":
    import fcntl

LONGEST_WAIT = 5.0  # seconds, after which a process goes on without the lock
PAUSE = 0.002  # seconds between two attempts


@contextmanager
def locked(folder: Path, *, shared: bool) -> Iterator[None]:
    """Hold a lock on a folder within this context; a shared lock allows others to share it.

    Where the lock cannot be had, the context is entered without it.
    """
    if sys.platform == "win32":
        yield
        return
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:  # missing, or it may not be read
        yield
        return
    try:
        _wait_for_lock(handle, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _wait_for_lock(handle: int, kind: int) -> None:
    deadline = time.monotonic() + LONGEST_WAIT
    while time.monotonic() < deadline:
        try:
            fcntl.flock(handle, kind | fcntl.LOCK_NB)
            return
        except BlockingIOError:  # another process has it
            time.sleep(PAUSE)
        except OSError:  # the file system has no locks
            return
