"""Shards by pattern: `run/*.parquet`, a folder, or the URL of either (`s3://bucket/run/*.parquet`).

URLs are read by the package fsspec, which knows the protocols of object stores and others. Local
paths need no package.
"""

from __future__ import annotations

import glob
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO

from misword.core.errors import InputError, MismatchError, MissingExtraError
from misword.io.files.compression import SUFFIXES
from misword.io.files.path_errors import temporary_folder
from misword.io.files.sources import MAGIC, is_url, shown_path
from misword.io.files.writing import whole_files

TABLES = (".parquet", ".csv", ".tsv", ".jsonl", ".ndjson", ".json")
# What stores of objects call the version of an object, the most exact first.
STAMPS = ("ETag", "etag", "md5Hash", "content_md5", "mtime", "LastModified", "last_modified",
          "updated", "created")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Shard:
    """A file with a part of a corpus: its path or URL, its size, and the stamp of its version."""

    path: str
    size: int
    stamp: str

    @property
    def shown(self) -> str:
        """The path as messages show it."""
        return shown_path(self.path)

    @property
    def name(self) -> str:
        """The name of the file."""
        return shown_path(self.path.rstrip("/").rpartition("/")[2])

    @property
    def stem(self) -> str:
        """The name of the file without the suffixes of its format and compression."""
        name = self.name
        for suffix in (*SUFFIXES, *TABLES):
            name = name.removesuffix(suffix)
        return name

    @property
    def is_remote(self) -> bool:
        """Whether the path is a URL."""
        return is_url(self.path)

    @property
    def identity(self) -> str:
        """A digest of path, size and stamp: another one if the file was replaced."""
        text = f"{shown_path(self.path)}\0{self.size}\0{self.stamp}"
        return sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class ShardTask:
    """The files of one task: a table with both sides, or references and hypotheses.

    `files` has the file of the references first, then one for each system, unless the references'
    file has the hypotheses too.
    """

    number: int
    files: tuple[Shard, ...]

    @property
    def size(self) -> int:
        """The bytes of all files."""
        return sum(file.size for file in self.files)

    @property
    def shown(self) -> str:
        """The path of the first file, by which messages name the task."""
        return self.files[0].shown

    @property
    def identity(self) -> str:
        """A digest of the identities of the files."""
        return sha256("".join(file.identity for file in self.files).encode()).hexdigest()


def describe_data(tasks: Sequence[ShardTask], left_out: int) -> dict[str, Any]:
    """Return what identifies the data of a run in the provenance of its result."""
    digest = sha256("".join(task.identity for task in tasks).encode()).hexdigest()
    size = sum(task.size for task in tasks)
    return {"number": len(tasks), "bytes": size, "sha256": digest, "left_out": left_out}


def named_path(pattern: str) -> str:
    """Return the part of a path or pattern that names a system: without signs of patterns.

    >>> named_path("s3://bucket/new/*.parquet"), named_path("run/hyp-*.csv"), named_path("a.csv")
    ('s3://bucket/new', 'run/hyp', 'a.csv')
    """
    path = pattern.rstrip("/")
    while MAGIC.search(path):
        head, _, tail = path.rpartition("/")
        kept = MAGIC.split(tail)[0].rstrip("-_.")
        path = (f"{head}/{kept}" if head else kept) if kept else head.rstrip("/")
    return path or "shards"


def find_tasks(reference: str, hypotheses: Sequence[str] = ()) -> list[ShardTask]:
    """Return a task for each shard; file k of each side belongs to file k of the references.

    Files are sorted by name on each side.
    """
    sides = [find_shards(pattern) for pattern in (reference, *hypotheses)]
    for pattern, side in zip(hypotheses, sides[1:], strict=True):
        if len(side) != len(sides[0]):
            raise MismatchError(
                f"{len(sides[0])} shards of references ({shown_path(reference)}), {len(side)} of "
                f"hypotheses ({shown_path(pattern)})",
                fix="file k of the hypotheses must have the utterances of file k of the references",
            )
    return [ShardTask(number, files) for number, files in enumerate(zip(*sides, strict=True))]


def find_shards(pattern: str) -> list[Shard]:
    """Return the files that a path, a folder or a pattern names, sorted by name.

    Of a folder these are the tables in it; names that begin with `.` or `_` are left out, as Spark
    and others leave them out.
    """
    shards = list(_remote_shards(pattern) if is_url(pattern) else _local_shards(pattern))
    if not shards:
        raise InputError(
            "no shard has this name",
            where=shown_path(pattern),
            fix="check the pattern, and quote it so that the shell does not expand it: "
            "'run/*.parquet'",
        )
    return sorted(shards, key=lambda shard: shard.path)


def _local_shards(pattern: str) -> Iterator[Shard]:
    paths = [pattern]
    if not os.path.exists(pattern):
        paths = [path for path in glob.glob(pattern, recursive=True) if _is_visible(path)]
    elif os.path.isdir(pattern):
        inner = (os.path.join(pattern, name) for name in os.listdir(pattern))
        paths = [path for path in inner if _is_table(path)]
    for path in paths:
        if os.path.isfile(path):
            status = os.stat(path)
            yield Shard(path, status.st_size, str(status.st_mtime_ns))


def _remote_shards(pattern: str) -> Iterator[Shard]:
    system, path = file_system(pattern)
    try:
        if MAGIC.search(path):
            found = system.glob(path, detail=True).values()
        elif system.isdir(path):
            found = [one for one in system.ls(path, detail=True) if _is_table(one["name"])]
        else:
            found = [system.info(path)]
    except FileNotFoundError:
        return
    except Exception as error:  # each protocol has errors of its own
        raise InputError(
            f"cannot be listed: {error}",
            where=shown_path(pattern),
            fix="check the address, the network and your credentials",
        ) from None
    for details in found:
        if details.get("type", "file") == "file" and _is_visible(details["name"]):
            size = int(details.get("size") or 0)
            yield Shard(system.unstrip_protocol(details["name"]), size, _stamp(details))


def file_system(url: str) -> tuple[Any, str]:
    """Return the file system of a URL, and the path in it."""
    try:
        from fsspec.core import url_to_fs
    except ModuleNotFoundError:
        raise MissingExtraError(
            f"{shown_path(url)} needs the package 'fsspec'", fix="pip install 'misword[remote]'"
        ) from None
    try:
        system, path = url_to_fs(url)
    except (ImportError, ValueError) as error:
        raise MissingExtraError(
            f"{shown_path(url)}: {error}",
            fix="install the package of the protocol, such as s3fs for s3:// and gcsfs for gs://",
        ) from None
    return system, str(path)


def _stamp(details: Mapping[str, Any]) -> str:
    """Return what identifies the version of a remote file; empty if the store has nothing."""
    values = (details[name] for name in STAMPS if details.get(name) is not None)
    return str(next(values, ""))


def _is_visible(path: str) -> bool:
    return not os.path.basename(path.rstrip("/")).startswith((".", "_"))


def _is_table(path: str) -> bool:
    """Return whether a file has the name of a table, perhaps a compressed one."""
    name = os.path.basename(path).lower()
    for suffix in SUFFIXES:
        name = name.removesuffix(suffix)
    return _is_visible(path) and name.endswith(TABLES)


# Remote shards as local files: a worker copies a shard to its disk, reads it and removes it.

BLOCK = 1 << 22
ATTEMPTS = 3  # to write a remote file


@contextmanager
def local_file(shard: Shard) -> Iterator[Path]:
    """Yield the path of a local file with the content of a shard.

    Raises an `OSError` if a remote shard cannot be read now, so that an engine tries again.
    """
    if not shard.is_remote:
        yield Path(shard.path)
        return
    handle, name = tempfile.mkstemp(prefix="misword-shard-")
    try:
        with os.fdopen(handle, "wb") as target:
            for block in _blocks(shard):
                target.write(block)
        yield Path(name)
    finally:
        with suppress(OSError):
            os.unlink(name)


def _blocks(shard: Shard) -> Iterator[bytes]:
    """Yield the content of a remote file block by block; raise if it ends too early.

    Some protocols report a lost connection as the end of the file. A file may be longer than its
    size in a list of files, if the store has it compressed.
    """
    system, path = file_system(shard.path)
    count = 0
    try:
        with system.open(path, "rb") as source:
            while block := source.read(BLOCK):
                count += len(block)
                yield block
        if count < shard.size:
            raise OSError(f"it ended after {count:,} of {shard.size:,} bytes")
    except FileNotFoundError:
        raise InputError(
            "it is not there any more", where=shard.shown, fix="list the shards again"
        ) from None
    except OSError:
        raise
    except Exception as error:  # each protocol has errors of its own
        raise OSError(f"{type(error).__name__}: {error}") from None


# Files that a worker writes for a shard, at a path or a URL, completely or not at all.


def join(folder: str, *names: str) -> str:
    """Return the path or URL of a file in a folder.

    >>> join("s3://bucket/noisy/", "wer-0.10", "a.parquet"), join("noisy", "a.csv")
    ('s3://bucket/noisy/wer-0.10/a.parquet', 'noisy/a.csv')
    """
    return "/".join([folder.rstrip("/") or "/", *names])


@contextmanager
def output_files(targets: Sequence[str]) -> Iterator[list[BinaryIO]]:
    """Yield files to write; at the end they are moved to their paths or copied to their URLs."""
    if not any(is_url(target) for target in targets):
        for target in targets:
            Path(target).parent.mkdir(parents=True, exist_ok=True)
        with whole_files(targets) as files:
            yield files
        return
    with temporary_folder() as folder, ExitStack() as stack:
        paths = [folder / str(number) for number in range(len(targets))]
        files = [stack.enter_context(path.open("w+b")) for path in paths]
        yield files
        for file, path, target in zip(files, paths, targets, strict=True):
            file.close()
            _upload(path, target)


def _upload(path: Path, target: str) -> None:
    """Copy a file to a URL: under a hidden name, which is then changed, so that no part is left."""
    system, name = file_system(target)
    parent = system._parent(name)
    hidden = join(parent, f".{name.rpartition('/')[2]}.part")
    for attempt in range(1, ATTEMPTS + 1):
        try:
            system.makedirs(parent, exist_ok=True)
            system.put_file(str(path), hidden)
            size = system.size(hidden)
            if size is not None and size != path.stat().st_size:
                raise OSError(f"{size:,} of {path.stat().st_size:,} bytes were stored")
            system.mv(hidden, name)
            return
        except Exception as error:  # each protocol has errors of its own
            with suppress(Exception):
                system.rm_file(hidden)
            if attempt == ATTEMPTS:
                raise InputError(
                    f"cannot be written: {error} ({ATTEMPTS} attempts)",
                    where=shown_path(target),
                    fix="check the address, the network and your credentials",
                ) from None


def read_file(target: str) -> bytes | None:
    """Return the content of a small file; None if there is no such file."""
    try:
        if not is_url(target):
            return Path(target).read_bytes()
        system, name = file_system(target)
        content: bytes = system.cat_file(name)
    except FileNotFoundError:
        return None
    return content


def exists(target: str) -> bool:
    """Return whether there is a file at a path or URL."""
    if not is_url(target):
        return Path(target).is_file()
    system, name = file_system(target)
    return bool(system.exists(name))
