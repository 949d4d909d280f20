"""The cache folder, and folders that are written completely or not at all."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex

from misword.core.errors import InputError, OptionError


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
def fresh_folder(target: Path) -> Iterator[Path]:
    """Yield a new folder beside `target`; it is deleted afterwards unless the caller moved it."""
    fresh = sibling(target, "new")
    try:
        fresh.mkdir(parents=True)
        yield fresh
    except OSError as error:
        raise OptionError(
            f"cannot be written: {error.strerror or error}",
            where=str(target),
            fix="check the path and the rights on it",
        ) from error
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def refuse_foreign(target: Path, read_index: Callable[[Path], object], what: str) -> None:
    """Raise the error `what` if a folder has content that `read_index` does not accept."""
    if not target.exists() or (target.is_dir() and not any(target.iterdir())):
        return
    try:
        read_index(target)
    except InputError:
        raise OptionError(
            what, where=str(target), fix="choose another folder, or remove this one yourself"
        ) from None


def replace_folder(fresh: Path, target: Path, keep: Callable[[Path], bool] | None = None) -> None:
    """Move the folder `fresh` to `target`; a folder that is there is restored on failure.

    Entries of the replaced folder for which `keep` is true are moved to the new one.
    """
    if not target.exists():
        fresh.rename(target)
        return
    aside = sibling(target, "old")
    target.rename(aside)
    try:
        fresh.rename(target)
    except OSError:
        aside.rename(target)
        raise
    for entry in filter(keep, aside.iterdir()) if keep else ():
        if not (target / entry.name).exists():
            entry.rename(target / entry.name)
    shutil.rmtree(aside, ignore_errors=True)


def sibling(target: Path, kind: str) -> Path:
    """Return an unused hidden path beside `target`."""
    return target.with_name(f".{target.name[:16]}.{token_hex(4)}.{kind}")
