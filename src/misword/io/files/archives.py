"""Files of named arrays with a JSON header; the same content always gives the same bytes.

Such a file is a zip archive like an `.npz` file (`numpy.load` opens its arrays), with a header that
names its kind and version, and without time stamps.
"""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import InputError
from misword.io.files.folders import check_version
from misword.io.files.sources import PathLike
from misword.io.files.writing import whole_files

HEADER = "misword.json"
EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest date that a zip archive can store
Arrays = Mapping[str, NDArray[Any]]


def write_archive(path: PathLike, kind: str, header: Mapping[str, Any], arrays: Arrays) -> None:
    """Write a file completely or not at all; an existing file is replaced."""
    text = json.dumps({"format": kind, **header}, ensure_ascii=False, indent=1, allow_nan=False)
    with whole_files([path]) as (file,), zipfile.ZipFile(file, "w") as archive:
        _add(archive, HEADER, text.encode("utf-8", "backslashreplace"))
        for name, array in arrays.items():
            data = BytesIO()
            np.save(data, np.ascontiguousarray(array), allow_pickle=False)
            _add(archive, f"{name}.npy", data.getvalue())


def read_archive(
    path: PathLike, kind: str, what: str, version: int
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return the header and the arrays of a file of this kind; `what` is its name in errors."""
    shown = os.fspath(path)
    wrong = InputError(f"this is no {what}", where=shown, fix="name a file that misword wrote")
    if not os.path.isfile(path):
        raise InputError("no such file", where=shown, fix="check the path")
    try:
        with zipfile.ZipFile(path) as archive:
            header = json.loads(archive.read(HEADER))
            if not isinstance(header, dict) or header.get("format") != kind:
                raise wrong
            check_version(header, version, shown)
            return header, {
                name.removesuffix(".npy"): np.load(BytesIO(archive.read(name)), allow_pickle=False)
                for name in archive.namelist()
                if name != HEADER
            }
    except (zipfile.BadZipFile, EOFError, NotImplementedError, ValueError):
        with Path(path).open("rb") as file:
            is_archive = file.read(4 + 26 + len(HEADER)).endswith(HEADER.encode())
        if is_archive:
            raise InputError("cut or damaged", where=shown, fix="make it again") from None
        raise wrong from None
    except (KeyError, RuntimeError):  # another kind of archive, or one with a password
        raise wrong from None
    except OSError as error:
        raise InputError(
            f"cannot be read: {error.strerror or error}", where=shown, fix="check your rights on it"
        ) from None


def _add(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    entry = zipfile.ZipInfo(name, EPOCH)
    entry.create_system = 3  # a constant, since the default differs between operating systems
    entry.external_attr = 0o644 << 16
    archive.writestr(entry, data)
