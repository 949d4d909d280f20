"""Checksums of files that misword writes, of folders, and the record of files that were verified.

JSON files have the key `checksum`: the SHA-256 of their content without that key, in a fixed
notation, so that white space and the order of keys do not matter. They also have the SHA-256 of the
files beside them. Hashing takes about a second for two gigabytes, so a folder is hashed when it is
opened for the first time. An empty file in the cache folder then records that these files, with
these sizes, times and inodes, were verified.

Known problems: a disk that changes bits without a write is noticed only by `misword verify`, which
always hashes. Files that older versions of misword wrote have no checksums.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any, Self

from misword.core.errors import InputError
from misword.core.progress import progress
from misword.io.files.strict_json import SHOWN, Record, SchemaError, parse_json
from misword.io.files.writing import cache_folder

KEY = "checksum"
HEX = r"[0-9a-f]{64}"  # a SHA-256, as the schemas of files declare it
BLOCK = 1 << 22
RECORDS = "verified"  # the folder of records in the cache folder
CLOCK_STEP = 0.02  # seconds; the clock of file systems has steps of up to 16 milliseconds
KEPT = 180 * 86_400  # seconds after which a record is removed; the files are then hashed again
AGAIN = "make it again, or get it again from where it came"


def json_checksum(content: Mapping[str, Any], default: Callable[[Any], Any] | None = None) -> str:
    """Return the checksum of the content of a JSON file; `default` is as in `json.dumps`."""
    rest = {key: value for key, value in content.items() if key != KEY}
    notation = json.dumps(rest, sort_keys=True, separators=(",", ":"), default=default)
    return sha256(notation.encode()).hexdigest()


def check_json(content: Mapping[str, Any], shown: str) -> None:
    """Raise if the content of a JSON file has a checksum of other content."""
    if KEY not in content:
        return
    try:
        same = content[KEY] == json_checksum(content)
    except RecursionError:
        same = False
    if not same:
        raise InputError(
            "the file was changed or damaged: its checksum does not fit",
            where=shown,
            fix=f"{AGAIN}; if you changed it on purpose, remove the key {KEY!r}",
        )


def file_checksum(path: Path, activity: str = "verifying") -> str:
    """Return the SHA-256 of a file; `activity` is shown as the progress of large files."""
    total = sha256()
    with progress(f"{activity} {path.name}", path.stat().st_size) as step, path.open("rb") as file:
        while data := file.read(BLOCK):
            total.update(data)
            step(len(data))
    return total.hexdigest()


def check_files(folder: Path, checksums: Mapping[str, str]) -> None:
    """Raise if a file of a folder has another checksum, or cannot be read."""
    for name, expected in checksums.items():
        file = folder / name
        try:
            found = file_checksum(file)
        except OSError as error:
            raise InputError(
                f"cannot be read: {error.strerror or error}", where=str(file), fix=AGAIN
            ) from None
        if found != expected:
            raise damaged(file)


def damaged(file: Path) -> InputError:
    """Return the error for a file whose checksum does not fit."""
    what = "the file was changed or damaged: its checksum does not fit"
    return InputError(what, where=str(file), fix=AGAIN)


@dataclass(frozen=True, slots=True)
class VerificationRecord:
    """The record that some files, as they are now, were verified.

    `record` is an empty file in the cache folder, named by a hash of the sizes, times and inodes of
    the files, or by their checksums. `changed` is the time of their last change.
    """

    record: Path
    changed: float

    @classmethod
    def of(cls, files: Iterable[Path]) -> Self | None:
        """Return the record of files, which may exist or not; None if a file is missing.

        Call it before the files are hashed, so that it is not the record of files which were
        changed meanwhile.
        """
        facts: list[object] = []
        changed = 0.0
        try:
            for file in files:
                stat = file.stat()
                facts += [str(file.resolve()), stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns]
                facts += [stat.st_ino, stat.st_dev]
                changed = max(changed, stat.st_ctime)
        except OSError:
            return None
        key = sha256(repr(facts).encode("utf-8", "surrogatepass")).hexdigest()
        return cls(cache_folder() / RECORDS / key[:40], changed)

    @classmethod
    def of_content(cls, checksums: Iterable[str]) -> Self:
        """Return the record of data with these checksums, wherever it is."""
        key = sha256(" ".join(checksums).encode()).hexdigest()
        return cls(cache_folder() / RECORDS / key[:40], changed=0)

    def is_known(self) -> bool:
        """Return whether the files were verified before; False if the cache cannot be read."""
        try:
            return self.record.exists()
        except OSError:
            return False

    def remember(self) -> None:
        """Write the record, unless the cache folder cannot be written; remove old records.

        Times of files have steps of some milliseconds. If the last change is younger, the record
        is written a little later, so that the next change gives the files another time.
        """
        age = time.time() - self.changed
        if 0 <= age < CLOCK_STEP:
            time.sleep(CLOCK_STEP - age)
        try:
            self.record.parent.mkdir(parents=True, exist_ok=True)
            self.record.touch()
            with os.scandir(self.record.parent) as records:
                for older in records:
                    if older.stat().st_mtime < time.time() - KEPT:
                        os.unlink(older.path)
        except OSError:
            return


# JSON files that describe data of misword: format, version, checksum, and a schema of the rest.


def read_index(
    path: Path, mark: str, version: int, wrong: Callable[[], InputError], schema: Record
) -> dict[str, Any]:
    """Return the content of a JSON file, after all its checks.

    `wrong` makes the error for a file whose format is not `mark`, or which is not as `schema`
    declares.
    """
    try:
        index = parse_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise wrong() from None
    if not isinstance(index, dict) or index.get("format") != mark:
        raise wrong()
    check_version(index, version, str(path.parent))
    check_json(index, str(path))
    check_schema(index, schema, wrong())
    return index


def check_schema(content: dict[str, Any], schema: Record, wrong: InputError) -> None:
    """Raise the error `wrong`, with the place of the fault, if content is not as declared.

    Content without a checksum was written by an older version, so that all its keys are known: an
    unknown key may be the key of the checksum, damaged.
    """
    try:
        schema(content, "")
        unknown = content.keys() - schema.names - {"format", "version"}
        if KEY not in content and unknown:
            raise SchemaError(f"{min(unknown)[:SHOWN]!r} is an unknown key")
    except SchemaError as error:
        raise InputError(f"{wrong.what}: {error}", where=wrong.where, fix=wrong.fix) from None


def check_version(index: dict[str, Any], version: int, where: str) -> None:
    """Raise if a file of misword was written in another version of its format."""
    found = index.get("version")
    if type(found) is not int or found != version:
        shown = found if type(found) is int and abs(found) < 1 << 31 else "?"
        raise InputError(
            f"written as version {shown}, while this misword reads {version}",
            where=where,
            fix="use the misword that wrote it, or make it again",
        )


def digest_of_files(folder: Path, files: Iterable[Path]) -> str:
    """Return one SHA-256 over the names and contents of some files of a folder."""
    total = sha256()
    for file in files:
        total.update(file.relative_to(folder).as_posix().encode() + b"\0")
        with file.open("rb") as stream:
            total.update(file_digest(stream, "sha256").digest())
    return total.hexdigest()
