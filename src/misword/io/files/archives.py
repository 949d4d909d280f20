"""Files of arrays: the `.npy` files of NumPy, and archives of named arrays with a JSON header.

The header of an array may claim any shape. It is compared with the number of bytes that are there
before memory is allocated, and arrays of Python objects are refused, because reading them would run
code from the file. The functions for `.npy` files raise a ValueError if an array is refused.

Reference: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
"""

from __future__ import annotations

import json
import lzma
import math
import mmap
import os
import struct
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from tokenize import TokenError
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from misword.core.errors import InputError
from misword.io.files.checksums import (
    HEX,
    KEY,
    check_json,
    check_schema,
    check_version,
    json_checksum,
)
from misword.io.files.sources import PathLike
from misword.io.files.strict_json import Record, mapping_of, parse_json, record, text
from misword.io.files.writing import whole_files

PLAIN_KINDS = "biufSU"  # truth values, numbers and texts; no objects, records or dates


class NpyHeader(NamedTuple):
    """Shape, order and type of an array in a file."""

    shape: tuple[int, ...]
    columns_first: bool
    dtype: np.dtype[Any]

    @property
    def size(self) -> int:
        """The number of bytes of the array's elements."""
        return math.prod(self.shape) * self.dtype.itemsize


def read_npy_header(file: BinaryIO) -> NpyHeader:
    """Read the header of an array; the file is then at the first element."""
    version = npy.read_magic(file)
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    try:
        header = NpyHeader(*read(file))
    except (
        SyntaxError, TokenError, TypeError, RecursionError, MemoryError, OverflowError,
    ) as error:  # fmt: skip
        raise ValueError(f"no header of an array ({type(error).__name__})") from None
    if any(length < 0 for length in header.shape):
        raise ValueError("a negative length")
    return header


def read_npy(data: bytes) -> NDArray[Any]:
    """Return the array in the bytes of a `.npy` file, as a copy that can be changed."""
    file = BytesIO(data)
    header = read_npy_header(file)
    check_header(header, len(data) - file.tell())
    return _array(data, header, file.tell()).copy()


def map_npy(path: Path) -> NDArray[Any]:
    """Return the array in a `.npy` file, memory-mapped."""
    with path.open("rb") as file:
        header = read_npy_header(file)
        start = file.tell()
        check_header(header, path.stat().st_size - start)
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return _array(mapped, header, start)


def check_header(header: NpyHeader, size: int) -> None:
    """Raise unless a header has a plain type and claims exactly `size` bytes."""
    if header.dtype.kind not in PLAIN_KINDS:
        raise ValueError(f"an array of type {header.dtype}")
    if header.size != size:
        raise ValueError(f"{header.size} bytes of numbers are claimed, {size} are there")


def _array(data: bytes | mmap.mmap, header: NpyHeader, start: int) -> NDArray[Any]:
    order: Any = "F" if header.columns_first else "C"
    if not header.size:
        return np.empty(header.shape, header.dtype)
    count = math.prod(header.shape)
    return np.frombuffer(data, header.dtype, count, start).reshape(header.shape, order=order)


# Files of named arrays with a JSON header; the same content always gives the same bytes.
#
# Such a file is a zip archive like an `.npz` file (`numpy.load` opens its arrays), with a header
# that names its kind and version, and without time stamps.

HEADER, SUFFIX = "misword.json", ".npy"
SHOWN = 100  # characters of the reason that an error shows
# What the reader of zip archives raises for damaged archives, beside ValueError and KeyError.
ZIP_ERRORS = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, NotImplementedError,
    OSError, OverflowError, RuntimeError,
)  # fmt: skip
EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest date that a zip archive can store
NO_KEYS = record({})
Arrays = Mapping[str, NDArray[Any]]


def write_archive(path: PathLike, kind: str, header: Mapping[str, Any], arrays: Arrays) -> None:
    """Write a file completely or not at all; an existing file is replaced."""
    members = {name: _npy(array) for name, array in arrays.items()}
    checksums = {name: sha256(data).hexdigest() for name, data in members.items()}
    content = {"format": kind, **header, "checksums": checksums}
    content |= {KEY: json_checksum(content)}
    header_text = json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False)
    with whole_files([path]) as (file,), zipfile.ZipFile(file, "w") as archive:
        _add(archive, HEADER, header_text.encode("utf-8", "backslashreplace"))
        for name, data in members.items():
            _add(archive, f"{name}{SUFFIX}", data)


def read_archive(
    path: PathLike, kind: str, what: str, version: int, schema: Record = NO_KEYS
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return the header and the arrays of a file of this kind, after checking both.

    `what` is the name of the kind in errors, `schema` declares the header.
    """
    shown = os.fspath(path)
    wrong = InputError(f"this is no {what}", where=shown, fix="name a file that misword wrote")
    if not os.path.isfile(path):
        raise InputError("no such file", where=shown, fix="check the path")
    try:
        with zipfile.ZipFile(path) as archive:
            _check_members(archive, Path(path).stat().st_size)
            header = parse_json(archive.read(HEADER))
            if not isinstance(header, dict) or header.get("format") != kind:
                raise wrong
            check_version(header, version, shown)
            check_json(header, shown)
            more = {**schema.more, "checksums": mapping_of(text(HEX))}
            check_schema(header, replace(schema, more=more), wrong)
            return header, _read_arrays(archive, header.get("checksums", {}))
    except KeyError:  # another kind of archive
        raise wrong from None
    except (*ZIP_ERRORS, ValueError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise InputError(
                f"cannot be read: {error.strerror or error}",
                where=shown,
                fix="check your rights on it",
            ) from None
        if _is_archive(Path(path)):
            what = f"cut or damaged ({str(error)[:SHOWN]})"
            raise InputError(what, where=shown, fix="make it again") from None
        raise wrong from None


def _check_members(archive: zipfile.ZipFile, size: int) -> None:
    """Raise a ValueError unless all members are stored as they are, within the size of the file.

    `write_archive` does not compress, so that no member can become larger than the file.
    """
    for entry in archive.infolist():
        if entry.compress_type != zipfile.ZIP_STORED or entry.file_size != entry.compress_size:
            raise ValueError(f"{entry.filename} is compressed")
        if entry.file_size > size:
            raise ValueError(f"{entry.filename} is larger than the file")


def _read_arrays(archive: zipfile.ZipFile, checksums: Mapping[str, str]) -> dict[str, NDArray[Any]]:
    """Return the arrays of an archive after checking their checksums."""
    arrays = {}
    for name in archive.namelist():
        if name == HEADER:
            continue
        data, stem = archive.read(name), name.removesuffix(SUFFIX)
        if checksums and checksums.get(stem) != sha256(data).hexdigest():
            raise ValueError(f"the checksum of {stem} does not fit")
        arrays[stem] = read_npy(data)
    if set(checksums) - set(arrays):
        raise ValueError("an array is missing")
    return arrays


def _is_archive(path: Path) -> bool:
    """Whether a file begins like one that `write_archive` wrote."""
    with path.open("rb") as file:
        return file.read(4 + 26 + len(HEADER)).endswith(HEADER.encode())


def _npy(array: NDArray[Any]) -> bytes:
    data = BytesIO()
    np.save(data, np.ascontiguousarray(array), allow_pickle=False)
    return data.getvalue()


def _add(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    entry = zipfile.ZipInfo(name, EPOCH)
    entry.create_system = 3  # a constant, since the default differs between operating systems
    entry.external_attr = 0o644 << 16
    archive.writestr(entry, data)
