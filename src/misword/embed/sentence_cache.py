"""Vectors of sentences that were encoded once are kept on disk, by model and text.

One SQLite file in misword's cache folder: several processes may use it at once, and what a killed
one began is not there. Each vector has a checksum; a file that SQLite cannot read is made anew. The
cache only saves time: where it cannot be read or written, sentences are encoded.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import OptionError
from misword.embed.store import cache_folder

Vector = NDArray[np.float32]

VERSION = 1
PATIENCE = 10.0  # seconds that another process may write
ASKED = 500  # keys in one question; SQLite takes 999 in any version
MEGABYTES = 2000
MADE = (
    "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, rows INTEGER NOT NULL, "
    "checksum INTEGER NOT NULL, data BLOB NOT NULL)"
)


def limit() -> int:
    """How many bytes are kept: `MISWORD_CACHE_MB`, or two gigabytes."""
    chosen = os.environ.get("MISWORD_CACHE_MB") or str(MEGABYTES)
    if not chosen.isdecimal():
        raise OptionError(f"MISWORD_CACHE_MB is {chosen!r}", fix="use a whole number of megabytes")
    return int(chosen) * 1_000_000


@dataclass(frozen=True)
class SentenceCache:
    """The vectors that one `model` (named with all that decides its output) gave for texts.

    What is over `limit` bytes goes, the oldest first.
    """

    model: str
    file: Path = field(default_factory=lambda: cache_folder() / f"sentences-{VERSION}.sqlite")
    limit: int = field(default_factory=limit)

    def find(self, texts: Sequence[str]) -> list[Vector | None]:
        """The vector (or matrix) of each text that is there; none where it is damaged."""
        keys = [self._key(text) for text in texts]
        found: dict[bytes, Vector] = {}
        with self._open() as base:
            if base is not None:
                for lo in range(0, len(keys), ASKED):
                    found |= _read(base, keys[lo : lo + ASKED])
        return [found.get(key) for key in keys]

    def keep(self, texts: Sequence[str], vectors: Sequence[Vector]) -> None:
        """Add vectors; those of other processes stay."""
        rows = (
            (self._key(text), _rows(vector), crc32(data), data)
            for text, vector in zip(texts, vectors, strict=True)
            for data in [np.ascontiguousarray(vector, "<f4").tobytes()]
        )
        with self._open() as base:
            if base is not None:
                with base:
                    base.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?)", rows)
                    self._bound(base)

    def _key(self, text: str) -> bytes:
        named = f"{self.model}\0{text}".encode("utf-8", "surrogatepass")
        return blake2b(named, digest_size=16).digest()

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection | None]:
        """The open file; none where there cannot be one. A damaged one is removed."""
        base = self._connect()
        try:
            yield base
        except sqlite3.OperationalError:  # locked for long, no space
            pass
        except sqlite3.DatabaseError:  # damaged
            self.file.unlink(missing_ok=True)
        finally:
            if base is not None:
                base.close()

    def _connect(self) -> sqlite3.Connection | None:
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            try:
                return _connect(self.file)
            except sqlite3.OperationalError:  # locked for long, no rights
                return None
            except sqlite3.DatabaseError:  # damaged
                self.file.unlink(missing_ok=True)
                return _connect(self.file)
        except (OSError, sqlite3.DatabaseError):
            return None

    def _bound(self, base: sqlite3.Connection) -> None:
        """Remove the oldest until the rest has nine tenths of the limit."""
        while (used := _used(base)) > self.limit:
            (count,) = base.execute("SELECT COUNT(*) FROM vectors").fetchone()
            if not count:
                return
            share = 1 - 0.9 * self.limit / used
            base.execute(
                "DELETE FROM vectors WHERE rowid IN (SELECT rowid FROM vectors ORDER BY rowid "
                "LIMIT ?)",
                [max(1, int(count * share))],
            )


def through(
    cache: SentenceCache | None,
    texts: Sequence[str],
    encode: Callable[[Sequence[str]], Sequence[Vector]],
) -> list[Vector]:
    """The vectors of distinct texts: those that are kept, the others encoded and kept."""
    if cache is None:
        return list(encode(texts))
    found = cache.find(texts)
    missing = [at for at, vector in enumerate(found) if vector is None]
    if missing:
        new = [texts[at] for at in missing]
        made = list(encode(new))
        cache.keep(new, made)
        for at, vector in zip(missing, made, strict=True):
            found[at] = vector
    return [vector for vector in found if vector is not None]


def _connect(file: Path) -> sqlite3.Connection:
    base = sqlite3.connect(file, timeout=PATIENCE)
    try:
        base.execute(MADE)
        base.commit()
    except sqlite3.DatabaseError:
        base.close()
        raise
    return base


def _read(base: sqlite3.Connection, keys: Sequence[bytes]) -> dict[bytes, Vector]:
    marks = ",".join("?" * len(keys))
    question = f"SELECT key, rows, checksum, data FROM vectors WHERE key IN ({marks})"
    found = {}
    for key, rows, checksum, data in base.execute(question, keys):
        if crc32(data) == checksum:
            vector = np.frombuffer(data, "<f4").astype(np.float32, copy=False)
            found[key] = vector.reshape(rows, -1) if rows else vector
    return found


def _rows(vector: Vector) -> int:
    return len(vector) if vector.ndim == 2 else 0


def _used(base: sqlite3.Connection) -> int:
    pages, free, size = (
        base.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("page_count", "freelist_count", "page_size")
    )
    return int((pages - free) * size)
