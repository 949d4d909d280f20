"""Vectors of sentences that were encoded once are kept on disk, by model and text.

One SQLite file in misword's cache folder: several processes may use it at once, and what a killed
one began is not there. Each vector has a checksum; a file that SQLite cannot read is made anew. The
cache only saves time: where it cannot be read or written, sentences are encoded.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, field
from hashlib import blake2b
from math import ceil
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import OptionError
from misword.core.progress import progress, reporting
from misword.embed.vectors.store import cache_folder

Vector = NDArray[np.float32]

VERSION = 1
PATIENCE = 10.0  # seconds that another process may write
ASKED = 500  # keys in one question; SQLite takes 999 in any version
BLOCK = 2000  # texts that are encoded and then kept: what an interrupted run loses at most
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


def default_file() -> Path:
    """Where sentences are kept."""
    return cache_folder() / f"sentences-{VERSION}.sqlite"


def check() -> None:
    """Refuse a size that is none, and a place where nothing can be kept; a damaged file is no bar.

    Whoever asks for a cache should not wait hours only to find that there was none.
    """
    limit()
    file = default_file()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with closing(_connect(file)) as base:
            base.execute("BEGIN IMMEDIATE")
    except (OSError, sqlite3.OperationalError) as error:
        if "locked" in str(error):  # another process writes: so can we, later
            return
        raise OptionError(
            f"the cache cannot be written: {error}",
            where=str(file.parent),
            fix="set MISWORD_CACHE to a folder that can be written, or leave --cache out",
        ) from None
    except sqlite3.DatabaseError:  # damaged: it is made anew when it is used
        return


@dataclass(frozen=True)
class SentenceCache:
    """The vectors that one `model` (named with all that decides its output) gave for texts.

    What is over `limit` bytes goes, the oldest first.
    """

    model: str
    file: Path = field(default_factory=default_file)
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
            (key, size, _checksum(key, size, data), data)
            for text, vector in zip(texts, vectors, strict=True)
            for key, size in [(self._key(text), _rows(vector))]
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
        """Above the limit, remove the oldest until nine tenths of it are left."""
        if _used(base) <= self.limit:
            return
        left = 0.9 * self.limit
        while (used := _used(base)) > left:
            (count,) = base.execute("SELECT COUNT(*) FROM vectors").fetchone()
            if not count:
                return
            base.execute(
                "DELETE FROM vectors WHERE rowid IN (SELECT rowid FROM vectors ORDER BY rowid "
                "LIMIT ?)",
                [ceil(count * (1 - left / used))],
            )


def through(
    cache: SentenceCache | None,
    texts: Sequence[str],
    encode: Callable[[Sequence[str]], Sequence[Vector]],
    what: str = "",
) -> list[Vector]:
    """The vectors of distinct texts: those that are kept, the others encoded and kept, in blocks.

    `what`: an encoder that reports its progress under this name does so once for all blocks.
    """
    if cache is None:
        return list(encode(texts))
    found = cache.find(texts)
    missing = [at for at, vector in enumerate(found) if vector is None]
    missing.sort(key=lambda at: len(texts[at]))  # batches of one length have no gaps
    with _together(what, len(missing)) if what and len(missing) > BLOCK else nullcontext():
        for lo in range(0, len(missing), BLOCK):
            some = missing[lo : lo + BLOCK]
            new = [texts[at] for at in some]
            made = encode(new)
            cache.keep(new, made)
            for at, vector in zip(some, made, strict=True):
                found[at] = vector
    return [vector for vector in found if vector is not None]


def encoded(
    texts: Sequence[str], encode: Callable[[Sequence[str]], Vector], kept: str | None
) -> Vector:
    """A row for each of distinct texts; through the cache where `kept` names all that decides."""
    if kept is None or not len(texts):
        return encode(texts)
    found = through(SentenceCache(kept), texts, lambda some: [*encode(some)], "encoding")
    return np.stack(found)


@contextmanager
def _together(what: str, total: int) -> Iterator[None]:
    """What is reported within this context is reported as parts of one piece of work."""
    with progress(what, total) as step, reporting(lambda *_: nullcontext(step)):
        yield


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
        if _sound(rows, data) and _checksum(key, rows, data) == checksum:
            vector = np.frombuffer(data, "<f4").astype(np.float32, copy=False)
            found[key] = vector.reshape(rows, -1) if rows else vector
    return found


def _sound(rows: Any, data: Any) -> bool:
    """Whether columns have the types that they were given: SQLite holds anything in any."""
    return isinstance(rows, int) and isinstance(data, bytes)


def _checksum(key: bytes, rows: int, data: bytes) -> int:
    return crc32(data, crc32(b"%d" % rows, crc32(key)))


def _rows(vector: Vector) -> int:
    return len(vector) if vector.ndim == 2 else 0


def _used(base: sqlite3.Connection) -> int:
    pages, free, size = (
        base.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("page_count", "freelist_count", "page_size")
    )
    return int((pages - free) * size)
