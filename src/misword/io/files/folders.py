"""The cache folder, and folders that are written completely or not at all."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TypeVar

from misword.core.errors import InputError, OptionError
from misword.io.files.leftovers import Foreign, moved_away
from misword.io.files.locks import locked
from misword.io.files.outputs import together
from misword.io.files.path_errors import naming, output_status, real_path
from misword.io.files.replacements import FolderOutput
from misword.io.files.writing import check_parent, check_rights

# How often a folder is read that is replaced meanwhile, and after how many attempts with a lock.
ATTEMPTS, ATTEMPTS_WITHOUT_LOCK = 50, 3

Read = TypeVar("Read")


def cache_folder() -> Path:
    """Return the folder in which misword caches vectors and other computed data.

    It is `MISWORD_CACHE` if that is set, otherwise the system's usual cache folder.
    """
    if chosen := os.environ.get("MISWORD_CACHE"):
        return Path(chosen).expanduser()
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "misword"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home()) / "misword" / "Cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "misword"


@contextmanager
def fresh_folder(target: Path, foreign: Foreign | None = None) -> Iterator[Path]:
    """Yield a new folder; at the end it is moved to `target`, or removed after an error.

    A folder that is there is replaced; entries of it that `foreign` returns are kept. Within
    `together`, the folder is moved at the end of that context.
    """
    output = FolderOutput(real_path(target), target, foreign)
    with together() as outputs, outputs.adding([output]), naming(target):
        yield output.fresh


def refuse_foreign(target: Path, read_index: Callable[[Path], object], what: str) -> None:
    """Raise the error `what` if a folder has content that `read_index` does not accept."""
    found = output_status(target)
    if found is None:
        check_parent(real_path(target), target)
        return
    if stat.S_ISDIR(found.st_mode):
        check_rights(target, target)
        with naming(target):
            if not any(target.iterdir()):
                return
    try:
        read_index(target)
    except InputError:
        raise OptionError(
            what, where=str(target), fix="choose another folder, or remove this one yourself"
        ) from None


def read_steadily(folder: Path, index: str, read: Callable[[Path], Read]) -> Read:
    """Return what `read` returns for a folder that other processes may replace meanwhile.

    The file `index` is written anew with the folder. If it is another one after reading, files of
    two folders may be mixed, and the folder is read again. After some attempts, processes that
    replace the folder are asked to wait.
    """
    for attempt in range(ATTEMPTS):
        waiting = attempt >= ATTEMPTS_WITHOUT_LOCK
        parent = Path(os.path.realpath(folder)).parent
        with locked(parent, shared=True) if waiting else nullcontext():
            before = _identity(folder, index)
            place = folder if before is not None else moved_away(folder) or folder
            before = before or _identity(place, index)
            try:
                value = read(place)
            except (InputError, OSError):
                if _identity(place, index) == before:
                    raise
            else:
                if _identity(place, index) == before:
                    return value
    raise InputError(
        "it is replaced again and again", where=str(folder), fix="wait for the other process"
    )


def _identity(folder: Path, index: str) -> tuple[int, ...] | None:
    """Return numbers that differ between a folder and the one that replaces it."""
    try:
        outer, inner = os.stat(folder), os.stat(folder / index)
    except (OSError, ValueError):
        return None
    return (outer.st_dev, outer.st_ino, inner.st_ino, inner.st_mtime_ns, inner.st_ctime_ns)
