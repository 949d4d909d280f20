"""Files and folders that are replaced in one step, or restored if another output fails."""

from __future__ import annotations

import errno
import os
import stat
import sys
from contextlib import suppress
from pathlib import Path

from misword.core.errors import InputError, MiswordError, OptionError
from misword.io.files.leftovers import (
    Foreign,
    move_foreign,
    release,
    remove,
    settle,
    sibling,
    sweep,
)
from misword.io.files.locks import locked
from misword.io.files.renaming import UNSUPPORTED, exchange, sync_file, sync_folder
from misword.io.files.sources import PathLike

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
