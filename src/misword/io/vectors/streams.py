"""A file of vectors as a stream: decompressed on the way, hashed, its progress told."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import zlib
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self, cast

from misword.core.errors import InputError, MissingExtraError
from misword.core.progress import Step
from misword.io.files.compression import OPENERS
from misword.io.files.sources import inner_name

HEAD = 1 << 20  # enough for some lines of any dimension
BLOCK = 1 << 22
SIDE_BY_SIDE_FROM = 1 << 16


class Stream:
    """One file, read from front to back.

    What a reader has used it hands to `use`, which hashes it: the digest is over the content that
    made the vectors, and not over what was read ahead.
    """

    def __init__(self, path: Path, shown: str, step: Step = lambda done: None) -> None:
        self.path, self.shown, self.name = path, shown, inner_name(path)
        self._step, self._told = step, 0
        try:
            self._file: BinaryIO = path.open("rb")
            self.size = os.fstat(self._file.fileno()).st_size
            magic = self._file.read(6)
            self._file.seek(0)
        except OSError as error:
            raise unreadable(shown, error) from None
        self.packing = next(
            (name for mark, (name, _) in OPENERS.items() if magic.startswith(mark)), ""
        )
        self._inner = cast(
            BinaryIO, _open(self._file, self.packing) if self.packing else self._file
        )
        self._ahead = b""
        self._hash = sha256()
        self._side = ThreadPoolExecutor(1)
        self._hashing: Future[None] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._side.shutdown()
        self._inner.close()
        self._file.close()

    def head(self) -> bytes:
        """The first bytes, or all that there are; they are still to be read."""
        if len(self._ahead) < HEAD:
            self._ahead += self._read(HEAD - len(self._ahead))
        return self._ahead

    def read(self, size: int = BLOCK) -> bytes:
        """The next bytes: `size` of them unless the file ends."""
        ahead, self._ahead = self._ahead[:size], self._ahead[size:]
        return ahead + self._read(size - len(ahead)) if len(ahead) < size else ahead

    def use(self, data: bytes) -> None:
        """Count this as content."""
        if self._hashing is not None:
            self._hashing.result()
        if len(data) < SIDE_BY_SIDE_FROM:
            self._hash.update(data)
        else:  # hashlib lets go of the interpreter lock: the next block is parsed meanwhile
            self._hashing = self._side.submit(self._hash.update, data)

    def use_rest(self) -> None:
        """Count all that follows as content."""
        while data := self.read():
            self.use(data)

    def digest(self, *settings: object) -> str:
        """SHA-256 of the content, and of settings if there are any."""
        if self._hashing is not None:
            self._hashing.result()
        whole = self._hash.copy()
        for setting in settings:
            whole.update(f"\0{setting}".encode())
        return whole.hexdigest()

    def _read(self, size: int) -> bytes:
        try:
            parts = []
            while size > 0 and (part := self._inner.read(size)):
                parts.append(part)
                size -= len(part)
            at = self._file.tell()
        except (EOFError, ValueError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
            raise self._damaged(error) from None
        except OSError as error:
            raise (
                self._damaged(error) if self.packing else unreadable(self.shown, error)
            ) from None
        self._step(at - self._told)
        self._told = at
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _damaged(self, error: Exception) -> InputError:
        return InputError(
            f"the {self.packing} data is cut off or damaged ({error})",
            where=self.shown,
            fix="copy or compress the file again",
        )


def unreadable(shown: str, error: OSError) -> InputError:
    """A file that cannot be opened or read."""
    return InputError(
        f"cannot be read: {error.strerror or error}",
        where=shown,
        fix="check that the file is there and that you may read it",
    )


def _open(file: BinaryIO, packing: str) -> Any:
    if packing == "Zstandard":
        return io.BufferedReader(Frames(file), BLOCK)
    openers: dict[str, Callable[[BinaryIO], Any]] = {
        "gzip": gzip.open,
        "bzip2": bz2.open,
        "xz": lzma.open,
    }
    return openers[packing](file)


class Frames(io.RawIOBase):
    """Zstandard data; unlike the package's own reader, it tells if the last frame was whole."""

    def __init__(self, file: BinaryIO) -> None:
        try:
            import zstandard
        except ModuleNotFoundError:
            raise MissingExtraError(
                "Zstandard files need the package 'zstandard'",
                fix="pip install zstandard, or decompress the file first",
            ) from None
        self._file, self._new, self._error = file, zstandard.ZstdDecompressor, zstandard.ZstdError
        self._frame: Any = None
        self._left = memoryview(b"")

    def readable(self) -> bool:
        """Yes."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer with what comes next."""
        while not self._left:
            data = (self._frame.unused_data if self._frame and self._frame.eof else b"") or (
                self._file.read(1 << 17)
            )
            if not data:
                if self._frame is not None and not self._frame.eof:
                    raise EOFError("it ends inside a frame")
                return 0
            if self._frame is None or self._frame.eof:
                self._frame = self._new().decompressobj()
            try:
                self._left = memoryview(self._frame.decompress(data))
            except self._error as error:
                raise ValueError(str(error)) from None
        size = min(len(buffer), len(self._left))
        buffer[:size] = self._left[:size]
        self._left = self._left[size:]
        return size
