"""Files that a worker writes for a shard, at a path or a URL, completely or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO

from misword.io.files.path_errors import temporary_folder
from misword.io.files.writing import whole_files
from misword.io.shards.listing import file_system, is_url


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
            system, name = file_system(target)
            system.makedirs(system._parent(name), exist_ok=True)
            system.put_file(str(path), name)


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
