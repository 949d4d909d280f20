"""Writing of files completely or not at all; links are followed, pipes are written at the end."""

from __future__ import annotations

import errno
import io
import os
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, BinaryIO, cast

from misword.core.errors import MiswordError, OptionError
from misword.io.files.outputs import together
from misword.io.files.path_errors import (
    cannot_write,
    naming_temporary_folder,
    output_status,
    real_path,
    temporary_folder_error,
)
from misword.io.files.replacements import FileOutput
from misword.io.files.sources import STDIN, PathLike
from misword.io.files.standard_output import copy_to_stdout


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
