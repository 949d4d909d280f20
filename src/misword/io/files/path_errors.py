"""Errors of the file system as errors that name the path and say what to do."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import gettempdir

from misword.core.errors import OptionError
from misword.core.leftovers import temporary_run_folder
from misword.io.files.sources import STDIN, PathLike

WHAT = {
    errno.ELOOP: "symbolic links that point to each other",
    errno.ENAMETOOLONG: "the name is too long",
    errno.ENOTDIR: "a file is where a folder is needed",
    errno.EACCES: "no permission",
    errno.EPERM: "no permission",
    errno.EROFS: "the disk is read-only",
}
FIX = {
    errno.ELOOP: "remove the links, or name another path",
    errno.ENAMETOOLONG: "choose a shorter name",
    errno.ENOTDIR: "name another path",
    errno.ENOSPC: "free some space, or name a path on another disk",
    errno.EDQUOT: "free some space, or name a path on another disk",
    errno.EFBIG: "raise the limit on the size of files, or name a path on another disk",
    errno.EBUSY: "name a folder inside it",
}
CHECK = "check the path and the rights on it"


def cannot_write(path: PathLike, error: OSError | ValueError) -> OptionError:
    """Return the error for a path that cannot be written."""
    code, reason = -1, str(error)  # a `ValueError`: the path has a NUL character
    if isinstance(error, OSError) and error.errno is not None:
        code, reason = error.errno, WHAT.get(error.errno) or error.strerror or reason
    where = "standard output" if os.fspath(path) == STDIN else os.fspath(path)
    return OptionError(f"cannot be written: {reason}", where=where, fix=FIX.get(code, CHECK))


@contextmanager
def naming(path: PathLike) -> Iterator[None]:
    """Within this context, an error of the file system is an error about this output path."""
    try:
        yield
    except BrokenPipeError:  # the reader of a pipe has ended: no error of a path
        raise
    except OSError as error:
        raise cannot_write(path, error) from error


@contextmanager
def naming_temporary_folder() -> Iterator[None]:
    """Within this context, an error of the file system is one about the folder `TMPDIR`."""
    try:
        yield
    except OSError as error:
        raise temporary_folder_error(error) from error


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Yield a folder for temporary files that is removed at the end."""
    with ExitStack() as stack:
        with naming_temporary_folder():
            folder = stack.enter_context(temporary_run_folder())
        yield folder


def temporary_folder_error(error: OSError) -> OptionError:
    """Return the error for a folder for temporary files that is full or cannot be written."""
    try:
        folder = gettempdir()
    except OSError:  # Python found none that it can write to
        folder = os.environ.get("TMPDIR", "")
    return OptionError(
        f"the folder for temporary files cannot be written: {error.strerror or error}",
        where=folder,
        fix="set the environment variable TMPDIR to a folder with more space",
    )


def output_status(path: PathLike) -> os.stat_result | None:
    """Return the status of a path that is to be written, None if nothing is there.

    Raises an `OptionError` that names the path if it cannot be looked at: no permission, a loop of
    links, a name that is too long.
    """
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise cannot_write(path, error) from error


def real_path(path: PathLike) -> Path:
    """Return the absolute path of an output; links are followed.

    Raises an `OptionError` if it cannot be looked at. `Path.resolve` has errors of several kinds.
    """
    if not os.fspath(path):  # `realpath` takes it for the current folder
        raise OptionError("the name of an output is empty", fix="name a file")
    output_status(path)
    try:
        return Path(os.path.realpath(path))
    except (OSError, ValueError) as error:
        raise cannot_write(path, error) from error
