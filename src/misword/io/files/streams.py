"""A file as a stream that is decompressed and hashed while it is read, and reports its progress."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from misword.core.progress import Step
from misword.io.files.compression import compression_of, decompressed_parts
from misword.io.files.limits import chosen_limit, expansion_limit, too_large
from misword.io.files.sources import inner_name, shown_path, unreadable

BOM = b"\xef\xbb\xbf"  # the byte-order mark in UTF-8
HEAD = 1 << 20  # enough for several lines of vectors of any dimension
BLOCK = 1 << 22
THREAD_FROM = 1 << 16  # bytes from which a thread is used for hashing


class Stream:
    """One file, read from its beginning to its end.

    `shown` is the path in errors, `name` the file's name without a compression suffix, `size` the
    size on disk, and `compression` the name of the compression (empty for none). A reader passes
    the bytes that it has used to `use`, which adds them to the digest; bytes that were only read
    ahead are not part of it.
    """

    def __init__(self, path: Path, shown: str, step: Step = lambda done: None) -> None:
        self.path, self.shown, self.name = path, shown_path(shown), inner_name(path)
        self._step, self._reported = step, 0
        try:
            self._file: BinaryIO = path.open("rb")
            self.size = os.fstat(self._file.fileno()).st_size
            magic = self._file.read(6)
            self._file.seek(0)
        except OSError as error:
            raise unreadable(shown, error) from None
        self.compression = compression_of(magic, shown)
        self._parts: Iterator[bytes] = iter(())
        if self.compression:
            self._parts = decompressed_parts(self._file, self.compression, shown)
        # Decompressed, and not yet read: a view, because parts can be large and reads small.
        self._left = memoryview(b"")
        self._limit = expansion_limit(self.size) if self.compression else chosen_limit()
        self._count = 0  # bytes of the content so far
        self._ahead = b""
        self._hash = sha256()
        self._thread = ThreadPoolExecutor(1)
        self._hashing: Future[None] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._thread.shutdown()
        self._file.close()

    def head(self) -> bytes:
        """Return the first bytes of the file without moving; fewer if the file ends."""
        if len(self._ahead) < HEAD:
            self._ahead += self._read(HEAD - len(self._ahead))
        return self._ahead

    def read(self, size: int = BLOCK) -> bytes:
        """Return the next `size` bytes, fewer if the file ends."""
        ahead, self._ahead = self._ahead[:size], self._ahead[size:]
        return ahead + self._read(size - len(ahead)) if len(ahead) < size else ahead

    def use(self, data: bytes) -> None:
        """Add bytes to the digest of the content."""
        if self._hashing is not None:
            self._hashing.result()
        if len(data) < THREAD_FROM:
            self._hash.update(data)
        else:  # hashlib releases the interpreter lock, so the next block is parsed meanwhile
            self._hashing = self._thread.submit(self._hash.update, data)

    def use_rest(self) -> None:
        """Add the rest of the file to the digest of the content."""
        while data := self.read():
            self.use(data)

    def digest(self, *settings: object) -> str:
        """Return the SHA-256 of the content and of the settings, if any."""
        if self._hashing is not None:
            self._hashing.result()
        whole = self._hash.copy()
        for setting in settings:
            whole.update(f"\0{setting}".encode())
        return whole.hexdigest()

    def _read(self, size: int) -> bytes:
        try:
            data = self._decompressed(size) if self.compression else self._file.read(size)
            at = self._file.tell()
        except OSError as error:
            raise unreadable(self.shown, error) from None
        self._count += len(data)
        if self._limit is not None and self._count > self._limit:
            compressed = self.size if self.compression else None
            raise too_large(self.shown, self._limit, compressed)
        self._step(at - self._reported)
        self._reported = at
        return data

    def _decompressed(self, size: int) -> bytes:
        """Return the next `size` bytes of compressed data, fewer at its end."""
        parts: list[memoryview] = []
        while size > 0:
            if not self._left:
                self._left = memoryview(next(self._parts, b""))
                if not self._left:
                    break
            parts.append(self._left[:size])
            self._left = self._left[size:]
            size -= len(parts[-1])
        return b"".join(parts)
