"""Files of a run over shards: the statistics of utterances, and which shards are finished.

The folder `utterances` of a result has Parquet files with the statistics of each shard, and for
each finished shard a record in JSON, which is written last. The names of the files have a digest of
the shard (path, size and version) and of all options that decide a number. A run that is started
again reads the files of finished shards instead of scoring them.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from misword.asr.sharded.run_notes import RunNotes
from misword.io.files.outputs import apart
from misword.io.files.parquet import parquet_errors
from misword.io.files.path_errors import naming
from misword.io.files.writing import write_whole
from misword.io.results import SHARDS
from misword.io.shards.listing import ShardTask

if TYPE_CHECKING:
    import polars as pl

FOLDER = SHARDS
DIGEST = 16  # characters
LONGEST = 80  # characters of a shard's name in the names of its files
OWN = re.compile(rf".*-[0-9a-f]{{{DIGEST}}}(-\d{{5}}\.parquet|\.json)")
VERSION = 1


@dataclass(frozen=True, slots=True)
class Written:
    """The record of a finished shard: the names of its files, its notes, whether it has ids."""

    parts: tuple[str, ...]
    notes: RunNotes
    has_ids: bool


@dataclass(slots=True)
class ShardFiles:
    """The files of one shard in the folder of a run."""

    folder: Path
    stem: str
    parts: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, out: str, task: ShardTask, key: str) -> ShardFiles:
        """Return the files of a task; `key` is the digest of the options."""
        digest = sha256(f"{task.identity}{key}".encode()).hexdigest()[:DIGEST]
        plain = re.sub(r"[^\w.-]+", "_", task.files[0].stem)[:LONGEST]
        return cls(Path(out) / FOLDER, f"{plain}-{digest}")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all files that were written."""
        return *self.parts, f"{self.stem}.json"

    def write(self, table: pl.DataFrame) -> None:
        """Write the statistics of some utterances."""
        name = f"{self.stem}-{len(self.parts):05}.parquet"
        data = BytesIO()
        table.write_parquet(data)
        self._store(name, data.getvalue())
        self.parts.append(name)

    def finish(self, notes: RunNotes, *, has_ids: bool) -> None:
        """Write the record that the shard is finished."""
        record = {"version": VERSION, "parts": self.parts, "has_ids": has_ids}
        text = json.dumps({**record, "notes": notes.stored()}, ensure_ascii=False, indent=1)
        self._store(f"{self.stem}.json", text.encode())

    def _store(self, name: str, data: bytes) -> None:
        with apart():
            write_whole(data, self.folder / name)

    def read(self) -> Written | None:
        """Return the record of the shard; None if it is not finished."""
        try:
            record: dict[str, Any] = json.loads((self.folder / f"{self.stem}.json").read_bytes())
            if record["version"] != VERSION:
                return None
            self.parts = [os.path.basename(name) for name in record["parts"]]
            if not all((self.folder / name).is_file() for name in self.parts):
                return None
            notes = RunNotes.restored(record["notes"])
            return Written(tuple(self.parts), notes, bool(record["has_ids"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def tables(self) -> Iterator[pl.DataFrame]:
        """Yield the statistics of the utterances of a finished shard."""
        import polars as pl

        for name in self.parts:
            path = self.folder / name
            with parquet_errors(str(path), "remove the file, so that the shard is scored again"):
                yield pl.read_parquet(path)


def make_folder(out: str) -> None:
    """Make the folder for the files of shards."""
    with naming(out):
        (Path(out) / FOLDER).mkdir(parents=True, exist_ok=True)


def missing_files(out: str, names: Collection[str]) -> list[str]:
    """Return the files that workers wrote and that are not in the folder here."""
    return [name for name in names if not (Path(out) / FOLDER / name).is_file()]


def remove_older(out: str, names: Collection[str]) -> None:
    """Remove the files of shards that are not among `names`: of older options or older shards."""
    kept = set(names)
    for path in (Path(out) / FOLDER).iterdir():
        if path.name not in kept and OWN.fullmatch(path.name):
            with suppress(OSError):
                path.unlink()
