"""Records of finished shards, so that a run that is started again continues with the others.

A record is a small JSON file. It has a digest of everything that decides what the run makes of the
shard (its files and the options), the names of the files that were written for the shard, and what
the run needs to know of it beside these files. It is written last: a shard with a record is
finished.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from misword.io.files.writing import apart
from misword.io.shards.files import ShardTask, exists, join, output_files, read_file

VERSION = 3
DIGEST = 16  # characters that are enough in the name of a file


def shard_digest(task: ShardTask, *options: object) -> str:
    """Return a digest of the files of a shard and of options."""
    return sha256(repr((task.identity, *options)).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class ShardRecord:
    """The record of a shard: its path or URL, the folder of the shard's files, and the digest."""

    path: str
    folder: str
    digest: str

    def write(self, files: Sequence[str], content: Mapping[str, Any]) -> None:
        """Write that the shard is finished; `files` are the names of its files in the folder."""
        head = {"version": VERSION, "digest": self.digest, "files": list(files)}
        text = json.dumps({**head, "content": dict(content)}, ensure_ascii=False, indent=1)
        with apart(), output_files([self.path]) as (file,):
            file.write(text.encode())

    def read(self) -> tuple[list[str], dict[str, Any]] | None:
        """Return the names of the files and the content; None if the shard is not finished."""
        found = _parsed(self.path)
        if found is None:
            return None
        digest, files, content = found
        if digest != self.digest or not all(exists(join(self.folder, name)) for name in files):
            return None
        return files, content


def finished_shards(folder: Path) -> list[list[str]]:
    """Return the names of the files of each shard with a record in a folder."""
    found = (_parsed(str(path)) for path in sorted(folder.glob("*.json")))
    return [files for each in found if each is not None for _, files, _ in [each]]


def _parsed(path: str) -> tuple[str, list[str], dict[str, Any]] | None:
    """Return digest, files and content of the record at a path; None if it cannot be used."""
    try:
        record = json.loads(read_file(path) or b"null")
        if not isinstance(record, dict) or record["version"] != VERSION:
            return None
        files, content = [str(name) for name in record["files"]], dict(record["content"])
        digest = str(record["digest"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if any(".." in name.split("/") or name.startswith("/") for name in files):
        return None
    return digest, files, content
