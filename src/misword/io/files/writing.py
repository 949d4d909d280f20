"""Outputs of a command: all are prepared first, then all are moved to their paths, or none.

An output is written under a temporary name beside its target (`replacements.py`) and synced to the
disk. Moving is the last step and takes one rename for each output. If a rename fails, those before
it are undone. If the process is killed, each output is either the old or the new one; only a kill
between two renames leaves some outputs old and others new.
"""

from __future__ import annotations

import errno
import io
import os
import shutil
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from contextvars import ContextVar
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, BinaryIO, Protocol, TypeVar, cast

from misword.core.errors import InputError, MiswordError, OptionError, visible_lines
from misword.io.files.path_errors import (
    cannot_write,
    naming,
    naming_temporary_folder,
    output_status,
    real_path,
    temporary_folder_error,
)
from misword.io.files.replacements import FileOutput, FolderOutput, Foreign, locked, moved_away
from misword.io.files.sources import STDIN, PathLike
from misword.io.files.written import record, recording


class Output(Protocol):
    """Something to be written. `shown` is its path as the user wrote it.

    `copied` is true of pipes and standard output, which get a copy that cannot be taken back.
    """

    shown: PathLike
    copied: bool

    def start(self) -> None:
        """Make the temporary file or folder."""

    def complete(self) -> None:
        """Write everything to the disk, after the last change."""

    def move(self) -> None:
        """Put the output in its place."""

    def undo(self) -> None:
        """Restore what was there before `move`; do nothing if nothing was moved."""

    def finish(self) -> None:
        """End the work after all outputs were moved."""

    def discard(self) -> None:
        """Remove everything that is left under temporary names."""


class Outputs:
    """The outputs that are moved together."""

    def __init__(self) -> None:
        self.outputs: list[Output] = []

    @contextmanager
    def adding(self, outputs: Sequence[Output]) -> Iterator[None]:
        """Start outputs; they are complete at the end of this context, or dropped on an error."""
        try:
            for output in outputs:
                with naming(output.shown):
                    output.start()
            yield
            for output in outputs:
                with naming(output.shown):
                    output.complete()
            self.outputs += outputs
        except BaseException:
            discard(outputs)
            raise

    def commit(self) -> None:
        """Move all outputs to their paths; if one cannot be moved, none is."""
        moved: list[Output] = []
        try:
            # A pipe fails more often than a rename, and what it got cannot be taken back.
            for output in sorted(self.outputs, key=lambda output: not output.copied):
                moved.append(output)
                with naming(output.shown):
                    output.move()
        except BaseException:
            for output in reversed(moved):
                with suppress(OSError):
                    output.undo()
            raise
        cache = cache_folder()  # what is cached is no output of the command
        record(os.fspath(o.shown) for o in moved if not Path(o.shown).is_relative_to(cache))
        for output in moved:
            with naming(output.shown):
                output.finish()


def discard(outputs: Iterable[Output]) -> None:
    """Remove everything that outputs have left under temporary names, as far as possible."""
    for output in outputs:
        with suppress(OSError, MiswordError):
            output.discard()


_PENDING: ContextVar[Outputs | None] = ContextVar("pending", default=None)


@contextmanager
def together() -> Iterator[Outputs]:
    """Move all outputs that are written within this context at its end, or none after an error.

    Contexts may be nested: the outermost one moves the outputs.
    """
    pending = _PENDING.get()
    if pending is not None:
        yield pending
        return
    outputs = Outputs()
    token = _PENDING.set(outputs)
    try:
        yield outputs
        outputs.commit()
    finally:
        _PENDING.reset(token)
        discard(outputs.outputs)


@contextmanager
def apart() -> Iterator[None]:
    """Within this context, outputs do not belong to those of `together`: for files of caches."""
    token = _PENDING.set(None)
    try:
        with recording(None):
            yield
    finally:
        _PENDING.reset(token)


def copy_to_stdout(file: BinaryIO) -> None:
    """Copy a file to standard output (`-o -`), exactly.

    On a terminal control characters are shown as escapes, so that no text can command it.
    """
    if sys.stdout is None:
        raise OptionError("it is closed", where="standard output", fix="name a file: -o FILE")
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None:  # an object of another program that takes only text
        raise OptionError("standard output takes no bytes", fix="name a file: -o FILE")
    if sys.stdout.isatty():
        text = file.read().decode("utf-8", "backslashreplace")
        buffer.write(visible_lines(text).encode())
    else:
        shutil.copyfileobj(file, buffer)
    buffer.flush()


# Files that are written completely or not at all; links are followed, pipes are written at the end.


def check_path(path: PathLike, example: str, inputs: Iterable[object] = ()) -> None:
    """Raise, before any work, if no file can be written at a path; `example` is a correct path.

    `inputs` are the files that the command reads, which are not to be replaced.
    """
    found = output_status(path)
    if str(path).endswith(("/", os.sep)) or (found and stat.S_ISDIR(found.st_mode)):
        raise OptionError("this is a folder", where=str(path), fix=f"name a file: {example}")
    if found and not stat.S_ISREG(found.st_mode):  # a pipe, /dev/stdout
        return
    target = real_path(path)
    check_parent(target, path)
    if any(name not in (None, STDIN) and _is_same(target, str(name)) for name in inputs):
        raise OptionError(
            "this is an input", where=str(path), fix=f"name another file, such as {example}"
        )


def check_parent(target: Path, shown: PathLike) -> None:
    """Raise if no file or folder can be made in the folder of `target`."""
    parent = next((folder for folder in target.parents if output_status(folder)), None)
    if parent is None:  # a drive of Windows that is not there
        raise cannot_write(shown, FileNotFoundError(errno.ENOENT, "no such folder"))
    check_rights(parent, shown)


def check_rights(folder: Path, shown: PathLike) -> None:
    """Raise if nothing can be made in a folder."""
    if not folder.is_dir():
        raise cannot_write(shown, NotADirectoryError(errno.ENOTDIR, ""))
    if not os.access(folder, os.W_OK | os.X_OK):
        raise cannot_write(shown, PermissionError(errno.EACCES, ""))


def _is_same(target: Path, name: str) -> bool:
    """Return whether an input is the file `target`; a name that cannot be a path is not."""
    with suppress(OSError, ValueError):
        return os.path.realpath(name) == str(target)
    return False


def write_whole(data: bytes, path: PathLike) -> None:
    """Write a file completely or not at all; an existing file is replaced."""
    with whole_files([path]) as (file,):
        file.write(data)


@contextmanager
def whole_files(paths: Sequence[PathLike]) -> Iterator[list[BinaryIO]]:
    """Yield files to write; they are moved to their paths at the end, or none after an error.

    `-` is standard output, which like a pipe gets its bytes at the end. Within `together`, the
    files are moved at the end of that context.
    """
    opened = [_output(path) for path in paths]
    with together() as outputs, outputs.adding(opened):
        yield [output.file for output in opened]


class NewFile(io.FileIO):
    """A file that is being written; an error in writing it is the one that `explain` returns."""

    def __init__(
        self, file: Path | int, mode: str, explain: Callable[[OSError], MiswordError]
    ) -> None:
        super().__init__(file, mode)
        self.explain = explain

    def write(self, data: Any) -> int:
        """Write bytes."""
        try:
            return os.write(self.fileno(), data)
        except OSError as error:
            raise self.explain(error) from error


class WholeFile(FileOutput):
    """A file that is written under a temporary name, by its stream `file`."""

    file: BinaryIO

    def start(self) -> None:
        """Open the file."""
        super().start()
        raw = NewFile(self.fresh, "x+", lambda error: cannot_write(self.shown, error))
        self.file = cast(BinaryIO, io.BufferedRandom(raw))

    def complete(self) -> None:
        """Write what is still in memory, sync and close the file."""
        self.file.flush()
        super().complete()  # a file that may no longer be written cannot be opened to sync it
        os.fsync(self.file.fileno())
        self.file.close()

    def discard(self) -> None:
        """Close the file and remove it."""
        with suppress(AttributeError, OSError, MiswordError):  # it may not have been opened
            self.file.close()
        super().discard()


class Copied:
    """The content for standard output, a pipe or a device, in a temporary file until the end."""

    copied = True
    file: BinaryIO

    def __init__(self, shown: PathLike) -> None:
        self.shown = shown

    def start(self) -> None:
        """Open a temporary file without a name."""
        with naming_temporary_folder(), TemporaryFile(buffering=0) as unnamed:
            raw = NewFile(os.dup(unnamed.fileno()), "r+", temporary_folder_error)
        self.file = cast(BinaryIO, io.BufferedRandom(raw))

    def complete(self) -> None:
        """Write what is still in memory."""
        self.file.flush()

    def move(self) -> None:
        """Copy the content."""
        self.file.seek(0)
        if os.fspath(self.shown) == STDIN:
            copy_to_stdout(self.file)
            return
        with open(self.shown, "wb") as target:
            shutil.copyfileobj(self.file, target)

    def undo(self) -> None:
        """Do nothing: what a reader got cannot be taken back."""

    def finish(self) -> None:
        """Do nothing: nothing was replaced."""

    def discard(self) -> None:
        """Close the temporary file, which removes it."""
        with suppress(AttributeError, OSError, MiswordError):  # it may not have been opened
            self.file.close()


def _output(path: PathLike) -> WholeFile | Copied:
    """Return the output at a path; a link is followed."""
    if os.fspath(path) == STDIN:
        return Copied(path)
    found = output_status(path)
    if found and not stat.S_ISREG(found.st_mode):  # a pipe or a device
        return Copied(path)
    return WholeFile(real_path(path), path)


# The cache folder, and folders that are written completely or not at all.

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
