"""Digests of folders."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import file_digest, sha256
from pathlib import Path


def digest_of_files(folder: Path, files: Iterable[Path]) -> str:
    """Return one SHA-256 over the names and contents of some files of a folder."""
    total = sha256()
    for file in files:
        total.update(file.relative_to(folder).as_posix().encode() + b"\0")
        with file.open("rb") as stream:
            total.update(file_digest(stream, "sha256").digest())
    return total.hexdigest()
