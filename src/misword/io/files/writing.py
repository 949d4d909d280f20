"""Writing of files completely or not at all; links are followed, pipes are written at the end."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO, cast

from misword.core.errors import OptionError
from misword.io.files.folders import sibling
from misword.io.files.sources import STDIN, PathLike
from misword.io.files.standard_output import copy_to_stdout


def check_path(path: PathLike, example: str) -> None:
    """Raise, before any work, if no file can be written at a path; `example` is a correct path."""
    target = Path(path)
    if str(path).endswith(("/", os.sep)) or target.is_dir():
        raise OptionError("this is a folder", where=str(path), fix=f"name a file: {example}")
    if target.exists() and not target.is_file():  # a pipe, /dev/stdout
        return
    parent = next(folder for folder in target.absolute().parents if folder.exists())
    if not (parent.is_dir() and os.access(parent, os.W_OK)):
        raise OptionError(
            "cannot be written there", where=str(path), fix="check the path and the rights on it"
        )


def write_whole(data: bytes, path: PathLike) -> None:
    """Write a file completely or not at all; an existing file is replaced."""
    with whole_files([path]) as (file,):
        file.write(data)


@contextmanager
def whole_files(paths: Sequence[PathLike]) -> Iterator[list[BinaryIO]]:
    """Yield files to write; they are moved to their paths at the end, or none after an error.

    `-` is standard output, which like a pipe gets its bytes at the end.
    """
    targets = [_target(path) for path in paths]
    fresh = [target and sibling(target, "new") for target in targets]
    files: list[BinaryIO] = []
    path: PathLike = ""
    try:
        for new, named in zip(fresh, paths, strict=True):
            path = named
            files.append(_begin(new))
        yield files
        for named, target, new, file in zip(paths, targets, fresh, files, strict=True):
            path = named
            if new is None or target is None:
                _copy(file, path)
            else:
                file.close()
                os.replace(new, target)
    except BrokenPipeError:  # the reader of standard output has closed it
        raise
    except OSError as error:
        raise OptionError(
            f"cannot be written: {error.strerror or error}",
            where=os.fspath(path),
            fix="check the path and the rights on it",
        ) from error
    finally:
        for file in files:
            with suppress(OSError):
                file.close()
        for new in filter(None, fresh):
            with suppress(OSError):
                new.unlink(missing_ok=True)


def _target(path: PathLike) -> Path | None:
    """Return the file of a path or link; None for standard output, a pipe or a device."""
    if os.fspath(path) == STDIN:
        return None
    target = Path(path).absolute().resolve()
    return None if target.exists() and not target.is_file() else target


def _begin(new: Path | None) -> BinaryIO:
    if new is None:
        return cast(BinaryIO, TemporaryFile())
    new.parent.mkdir(parents=True, exist_ok=True)
    return new.open("w+b")


def _copy(file: BinaryIO, path: PathLike) -> None:
    file.seek(0)
    if os.fspath(path) == STDIN:
        copy_to_stdout(file)
        return
    with open(path, "wb") as target:
        shutil.copyfileobj(file, target)
