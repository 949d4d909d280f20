"""A cache of sentence vectors on disk, by model and text.

The cache is one SQLite file in misword's cache folder. Several processes may use it at once, and a
killed process leaves no partial data. Each vector has a checksum, and a file that SQLite cannot
read is replaced. The cache only saves time: where it cannot be read or written, sentences are
encoded again.
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

from misword.core.context import Context
from misword.core.errors import InputError, OptionError
from misword.core.progress import progress, reporting
from misword.embed.encoders import Encoder, SentenceVectors
from misword.io.files.writing import cache_folder

Vector = NDArray[np.float32]

VERSION = 1
LOCK_TIMEOUT = 10.0  # seconds to wait while another process writes
KEYS_PER_QUERY = 500  # every version of SQLite accepts 999 parameters
BLOCK = 2000  # texts that are encoded and then stored: an interrupted run loses at most these
MEGABYTES = 2000
ITEM_SIZE = 4  # bytes of a number
CREATE_TABLE = (
    "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, rows INTEGER NOT NULL, "
    "checksum INTEGER NOT NULL, data BLOB NOT NULL)"
)


def size_limit() -> int:
    """Return the limit of the cache in bytes: `MISWORD_CACHE_MB`, or two gigabytes."""
    size = os.environ.get("MISWORD_CACHE_MB") or str(MEGABYTES)
    if not size.isdecimal():
        raise OptionError(f"MISWORD_CACHE_MB is {size!r}", fix="use a whole number of megabytes")
    return int(size) * 1_000_000


def default_file() -> Path:
    """Return the path of the cache."""
    return cache_folder() / f"sentences-{VERSION}.sqlite"


def check() -> None:
    """Raise if the size limit is no number or the cache cannot be written.

    Call it before the sentences are encoded, which takes long. A damaged file is no error, since it
    is replaced when the cache is used.
    """
    size_limit()
    file = default_file()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with closing(_connect(file)) as connection:
            connection.execute("BEGIN IMMEDIATE")
    except (OSError, sqlite3.OperationalError) as error:
        if "locked" in str(error):  # another process is writing, so the file can be written
            return
        raise OptionError(
            f"the cache cannot be written: {error}",
            where=str(file.parent),
            fix="set MISWORD_CACHE to a folder that can be written, or leave --cache out",
        ) from None
    except sqlite3.DatabaseError:  # damaged: it is replaced when the cache is used
        return


def verify_cache(file: Path) -> None:
    """Raise if SQLite cannot read the file, or if a vector in it has another checksum."""
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as opened:
            found = [row[0] for row in opened.execute("PRAGMA integrity_check(1)")]
            rows = opened.execute("SELECT key, rows, checksum, data FROM vectors")
            bad = sum(1 for row in rows if not _is_whole(*row))
    except sqlite3.Error as error:
        found, bad = [str(error)], 0
    if found != ["ok"] or bad:
        what = f"{bad} of its vectors are damaged" if bad else f"SQLite cannot read it: {found[0]}"
        raise InputError(what, where=str(file), fix="remove it; it is made again when it is used")


@dataclass(frozen=True)
class SentenceCache:
    """The cached vectors of one model.

    `model` is the model's name with all settings that decide its vectors. If the file grows over
    `limit` bytes, the oldest vectors of all models are removed.
    """

    model: str
    file: Path = field(default_factory=default_file)
    limit: int = field(default_factory=size_limit)

    def read(self, texts: Sequence[str]) -> list[Vector | None]:
        """Return the cached vector (or matrix) of each text; None if it is missing or damaged."""
        keys = [self._key(text) for text in texts]
        vectors: dict[bytes, Vector] = {}
        with self._open() as connection:
            if connection is not None:
                for lo in range(0, len(keys), KEYS_PER_QUERY):
                    vectors |= _read(connection, keys[lo : lo + KEYS_PER_QUERY])
        return [vectors.get(key) for key in keys]

    def write(self, texts: Sequence[str], vectors: Sequence[Vector]) -> None:
        """Add vectors to those that this and other processes have stored."""
        rows = (
            (key, size, _checksum(key, size, data), data)
            for text, vector in zip(texts, vectors, strict=True)
            for key, size in [(self._key(text), _row_count(vector))]
            for data in [np.ascontiguousarray(vector, "<f4").tobytes()]
        )
        insert = "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?)"
        with self._open() as connection:
            if connection is not None:
                with connection:
                    connection.executemany(insert, rows)
                    self._remove_oldest(connection)

    def _key(self, text: str) -> bytes:
        content = f"{self.model}\0{text}".encode("utf-8", "surrogatepass")
        return blake2b(content, digest_size=16).digest()

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection | None]:
        """Yield a connection to the file, None where it cannot be opened; remove a damaged file."""
        connection = self._connect()
        try:
            yield connection
        except sqlite3.OperationalError:  # locked for too long, or no space on the disk
            pass
        except sqlite3.DatabaseError:  # damaged
            self.file.unlink(missing_ok=True)
        finally:
            if connection is not None:
                connection.close()

    def _connect(self) -> sqlite3.Connection | None:
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            try:
                return _connect(self.file)
            except sqlite3.OperationalError:  # locked for too long, or no permission
                return None
            except sqlite3.DatabaseError:  # damaged
                self.file.unlink(missing_ok=True)
                return _connect(self.file)
        except (OSError, sqlite3.DatabaseError):
            return None

    def _remove_oldest(self, connection: sqlite3.Connection) -> None:
        """If the file is over the limit, remove the oldest vectors down to 90 % of the limit."""
        if _used_bytes(connection) <= self.limit:
            return
        target = 0.9 * self.limit
        while (used := _used_bytes(connection)) > target:
            (count,) = connection.execute("SELECT COUNT(*) FROM vectors").fetchone()
            if not count:
                return
            connection.execute(
                "DELETE FROM vectors WHERE rowid IN (SELECT rowid FROM vectors ORDER BY rowid "
                "LIMIT ?)",
                [ceil(count * (1 - target / used))],
            )


def encode_missing(
    cache: SentenceCache | None,
    texts: Sequence[str],
    encode: Callable[[Sequence[str]], Sequence[Vector]],
    what: str = "",
) -> list[Vector]:
    """Return the vectors of distinct texts: from the cache, or encoded and then stored in it.

    Without a cache all texts are encoded. `what` is the name under which the encoder reports its
    progress, if it does: the blocks are then reported as one piece of work.
    """
    if cache is None:
        return list(encode(texts))
    vectors = cache.read(texts)
    missing = [at for at, vector in enumerate(vectors) if vector is None]
    missing.sort(key=lambda at: len(texts[at]))  # texts of similar length need little padding
    with _joint_progress(what, len(missing)) if what and len(missing) > BLOCK else nullcontext():
        for lo in range(0, len(missing), BLOCK):
            numbers = missing[lo : lo + BLOCK]
            block = [texts[at] for at in numbers]
            new_vectors = encode(block)
            cache.write(block, new_vectors)
            for at, vector in zip(numbers, new_vectors, strict=True):
                vectors[at] = vector
    return [vector for vector in vectors if vector is not None]


@contextmanager
def _joint_progress(what: str, total: int) -> Iterator[None]:
    """Report all progress within this context as parts of one piece of work."""
    with progress(what, total) as step, reporting(lambda *_: nullcontext(step)):
        yield


def _connect(file: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(file, timeout=LOCK_TIMEOUT)
    try:
        connection.execute(CREATE_TABLE)
        connection.commit()
    except sqlite3.DatabaseError:
        connection.close()
        raise
    return connection


def _read(connection: sqlite3.Connection, keys: Sequence[bytes]) -> dict[bytes, Vector]:
    places = ",".join("?" * len(keys))
    query = f"SELECT key, rows, checksum, data FROM vectors WHERE key IN ({places})"
    vectors = {}
    for key, rows, checksum, data in connection.execute(query, keys):
        if _is_whole(key, rows, checksum, data):
            vector = np.frombuffer(data, "<f4").astype(np.float32, copy=False)
            vectors[key] = vector.reshape(rows, -1) if rows else vector
    return vectors


def _is_whole(key: Any, rows: Any, checksum: Any, data: Any) -> bool:
    """Whether a row has its declared types, which SQLite does not enforce, and its checksum."""
    if type(rows) is not int or rows < 0 or not isinstance(data, bytes):
        return False
    if len(data) % (ITEM_SIZE * max(rows, 1)) or not isinstance(key, bytes):
        return False
    return bool(_checksum(key, rows, data) == checksum)


def _checksum(key: bytes, rows: int, data: bytes) -> int:
    return crc32(data, crc32(b"%d" % rows, crc32(key)))


def _row_count(vector: Vector) -> int:
    """The number of rows of a matrix; 0 for a vector."""
    return len(vector) if vector.ndim == 2 else 0


def _used_bytes(connection: sqlite3.Connection) -> int:
    pages, free, size = (
        connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("page_count", "freelist_count", "page_size")
    )
    return int((pages - free) * size)


def sentence_vectors(
    encoder: Encoder,
    texts: Sequence[str],
    corpus: Sequence[str],
    context: Context,
    sums: Sequence[Any] | None = None,
) -> SentenceVectors:
    """Return one vector for each of several distinct texts; the encoder is fitted on `corpus`.

    `sums` are those of the passes over a larger corpus (`embed.fitting`), to which the encoder is
    then fitted. If the context has a cache and the encoder is slow, vectors are read from the
    cache, and new ones are stored there. The key is the encoder's settings, which decide its
    vectors.
    """
    encode = encoder.fit(corpus, context) if sums is None else encoder.fit_to(sums, context)
    if not (context.cache and encoder.slow and len(texts)):
        return encode(texts)
    cache = SentenceCache(repr(encoder.settings(context)))
    return np.stack(encode_missing(cache, texts, lambda missing: [*encode(missing)], "encoding"))
