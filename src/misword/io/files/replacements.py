"""Files and folders that are replaced in one step: locks, exchange, and undoing.

An output is first written under a temporary name beside its target (`core/leftovers.py`). There are
three kinds:

- `new`: a file, or a folder that is being written or removed.
- `ready`: a complete folder. After an exchange this name has the folder that was replaced.
- `old`: what was replaced, where paths cannot be exchanged. If `old` and `ready` are both there
  and the target is not, the process was killed between two renames, and `old` is the target.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from misword.core.errors import InputError, MiswordError, OptionError
from misword.core.leftovers import leftovers, name_key, parse_name, release, remove, sibling
from misword.io.files.sources import PathLike

# Returns the entries of a replaced folder that belong to the user and must be kept.
Foreign = Callable[[Path], Iterable[Path]]


def sweep(target: Path, foreign: Foreign | None = None) -> None:
    """Remove what killed processes left beside a target, and restore what they had moved away.

    Entries that `foreign` returns are moved from a replaced folder to the target first. Errors are
    ignored: the next run tries again.
    """
    for leftover in leftovers(target.parent):
        with suppress(OSError, MiswordError):
            if leftover.kind == "new" or not leftover.path.is_dir():
                remove(leftover.path)
            elif leftover.key == name_key(target):
                settle(target, leftover.as_kind("ready"), leftover.as_kind("old"), foreign)


def settle(target: Path, ready: Path, old: Path, foreign: Foreign | None) -> None:
    """Restore a folder that is missing between two renames; remove what is no longer needed."""
    if not os.path.lexists(target) and ready.exists() and old.exists():
        old.rename(target)
    for folder in (ready, old):
        if folder.exists() and move_foreign(folder, target, foreign):
            # If the removal fails half-way, the next run need not look for files of the user again.
            remove(folder.rename(folder.with_suffix(".new")))


def move_foreign(folder: Path, target: Path, foreign: Foreign | None) -> bool:
    """Move the user's entries of a replaced folder to the folder that replaced it.

    Returns False if there are some and nothing is at `target`. An entry is left where it is if the
    new folder has one of the same name.
    """
    entries = list(foreign(folder)) if foreign else []
    if entries and not target.is_dir():
        return False
    for entry in entries:
        if not os.path.lexists(target / entry.name):
            entry.rename(target / entry.name)
    return True


def moved_away(target: Path) -> Path | None:
    """Return where a missing folder is that a process is replacing, or was when it was killed."""
    with suppress(OSError):
        for name in os.listdir(target.parent):
            leftover = parse_name(target.parent / name)
            if (
                leftover is not None
                and (leftover.kind, leftover.key) == ("old", name_key(target))
                and leftover.as_kind("ready").exists()
            ):
                return leftover.path
    return None


# Locks between processes that read a folder and processes that replace it.
#
# A reader starts again if the folder is replaced while it reads. If this happens several times, it
# asks the writers to wait. The locks are advisory: without them (Windows, some network disks)
# readers still never mix two folders, but could have to start again often. The system releases the
# lock of a killed process.

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


# The exchange of two paths in one step, and the writing of data to the disk before a rename.
#
# A rename is atomic, but it cannot replace a folder that has files. Linux (`renameat2`) and macOS
# (`renamex_np`) can exchange two paths: every other process sees either the old or the new folder.
#
# Reference: the manual page rename(2) of Linux; renamex_np(2) of macOS.

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


# Files and folders that are replaced in one step, or restored if another output fails.

# Of two processes that write the same folder, one may find it there or missing: it tries again.
ATTEMPTS = 3
RACED = {errno.ENOENT, errno.ENOTEMPTY, errno.EEXIST}


class FileOutput:
    """A file that is complete or absent; an existing file is replaced and its mode is kept.

    Derived classes write the file `fresh` and sync it.
    """

    copied = False

    def __init__(self, target: Path, shown: PathLike) -> None:
        self.target, self.shown = target, shown
        self.fresh = sibling(target, "new")
        self.old = self.fresh.with_suffix(".old")
        self.made: list[Path] = []
        self.state = ""

    def start(self) -> None:
        """Make the folder of the file."""
        make_folders(self.target.parent, self.made)
        sweep(self.target)

    def complete(self) -> None:
        """Give the file the mode of the replaced file."""
        keep_access(self.target, self.fresh)

    def move(self) -> None:
        """Put the file in its place; keep the replaced file under a temporary name."""
        if not self.target.exists():
            self.fresh.replace(self.target)
            self.state = "created"
        elif exchange(self.fresh, self.target):
            self.state = "exchanged"
            if self.fresh.is_dir():  # a file does not replace a folder, which `undo` puts back
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        else:
            with suppress(OSError):  # some file systems have no links: then `undo` cannot restore
                os.link(self.target, self.old)
                self.state = "linked"
            self.fresh.replace(self.target)
        sync_folder(self.target.parent)

    def undo(self) -> None:
        """Restore the replaced file."""
        if self.state == "created":
            self.target.unlink()
        elif self.state == "exchanged":
            exchange(self.fresh, self.target)
        elif self.state == "linked":
            self.old.replace(self.target)

    def finish(self) -> None:
        """Keep the folders that were made for the file."""
        self.made = []

    def discard(self) -> None:
        """Remove what is left under temporary names; never a folder."""
        files = (path for path in (self.fresh, self.old) if not path.is_dir())
        _discard(self.made, *files)


class FolderOutput:
    """A folder that is complete or absent; an existing folder is replaced and its mode is kept.

    Entries of the replaced folder that `foreign` returns are moved to the new one.
    """

    copied = False

    def __init__(self, target: Path, shown: PathLike, foreign: Foreign | None = None) -> None:
        self.target, self.shown, self.foreign = target, shown, foreign
        self.fresh = sibling(target, "new")
        self.ready, self.old = (self.fresh.with_suffix(kind) for kind in (".ready", ".old"))
        self.made: list[Path] = []
        self.state = ""

    def start(self) -> None:
        """Make an empty folder."""
        make_folders(self.target.parent, self.made)
        sweep(self.target, self.foreign)
        self.fresh.mkdir()

    def complete(self) -> None:
        """Sync all files, and mark the folder as complete by its name."""
        for folder, _, names in os.walk(self.fresh, topdown=False):
            for name in names:
                sync_file(Path(folder, name))
            sync_folder(Path(folder))
        keep_access(self.target, self.fresh)
        self.fresh.rename(self.ready)

    def move(self) -> None:
        """Put the folder in its place; the replaced folder gets a temporary name."""
        for attempt in range(ATTEMPTS):
            try:
                with locked(self.target.parent, shared=False):
                    self._replace() if os.path.lexists(self.target) else self._create()
                break
            except OSError as error:
                if error.errno not in RACED or attempt == ATTEMPTS - 1:
                    raise
        sync_folder(self.target.parent)

    def _create(self) -> None:
        self.ready.rename(self.target)
        self.state = "created"

    def _replace(self) -> None:
        if exchange(self.ready, self.target):
            self.state = "exchanged"
            return
        self.target.rename(self.old)
        try:
            self.ready.rename(self.target)
        except BaseException:
            self.old.rename(self.target)
            raise
        self.state = "renamed"

    def undo(self) -> None:
        """Restore the replaced folder."""
        if self.state == "exchanged":
            exchange(self.ready, self.target)
        elif self.state:
            self.target.rename(self.ready)
        if self.state == "renamed":
            self.old.rename(self.target)

    def finish(self) -> None:
        """Move the user's entries of the replaced folder to the new one."""
        self.made = []
        if self.state in ("", "created"):
            return
        replaced = self.ready if self.state == "exchanged" else self.old
        try:
            move_foreign(replaced, self.target, self.foreign)
        except (OSError, InputError) as error:
            reason = str(error).splitlines()[0]
            raise OptionError(
                f"the folder is written, but other files were not moved to it ({reason})",
                where=os.fspath(self.shown),
                fix=f"they are in {replaced}",
            ) from error

    def discard(self) -> None:
        """Remove what is left under temporary names, except files of the user."""
        with suppress(OSError, MiswordError):
            settle(self.target, self.ready, self.old, self.foreign)
        _discard(self.made, self.fresh)


def replace_folder(fresh: Path, target: Path) -> None:
    """Move a folder that is already written to `target`; raises `OSError`."""
    output = FolderOutput(target, target)
    sweep(target)
    fresh.rename(output.fresh)
    try:
        output.complete()
        output.move()
    except BaseException:
        output.undo()
        raise
    finally:
        output.discard()


def make_folders(folder: Path, made: list[Path]) -> None:
    """Make a folder and those above it; `made` gets those that were missing, the lowest first."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    for path in reversed(missing):
        path.mkdir(exist_ok=True)
        made.insert(0, path)


def keep_access(target: Path, fresh: Path) -> None:
    """Give a new file or folder the owner, the group and the mode of the one it replaces."""
    if sys.platform == "win32" or not target.exists():
        return
    before, now = target.stat(), fresh.stat()
    if (before.st_uid, before.st_gid) != (now.st_uid, now.st_gid):
        with suppress(PermissionError):  # only root may give files away
            os.chown(fresh, before.st_uid, before.st_gid)
    if stat.S_IMODE(before.st_mode) == stat.S_IMODE(now.st_mode):
        return
    try:
        fresh.chmod(stat.S_IMODE(before.st_mode))
    except OSError as error:
        if error.errno not in UNSUPPORTED:  # file systems without modes
            raise


def _discard(made: list[Path], *paths: Path) -> None:
    """Remove temporary files, and the folders that were made for an output and are not needed."""
    for path in paths:
        with suppress(OSError):
            remove(path)
        release(path)
    for folder in made:
        with suppress(OSError):
            folder.rmdir()
