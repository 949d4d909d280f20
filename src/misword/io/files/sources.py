"""Input files and standard input: read into memory, decompressed, checked, split into lines."""

from __future__ import annotations

import os
import stat
import sys
from codecs import getincrementaldecoder
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from misword.core.errors import InputError
from misword.io.files.compression import SUFFIXES, compression_of, decompressed_data
from misword.io.files.encodings import to_utf8
from misword.io.files.limits import expansion_limit, memory_limit, too_large
from misword.io.files.shown_paths import shown_path
from misword.io.files.text_lines import TextLines

STDIN = "-"
BOM = b"\xef\xbb\xbf"  # the byte-order mark in UTF-8
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
PLACES_SHOWN = 5
BLOCK = 1 << 20
DECODED = 1 << 22  # bytes that are decoded at once to check them

PathLike = str | os.PathLike[str]

# Hashes of the inputs by path, within `recorded`. Commands store them in their results.
_OPENED: ContextVar[dict[str, str] | None] = ContextVar("opened", default=None)


@dataclass(frozen=True)
class Source:
    """One decompressed input: its path as shown to the user (`shown`), its name and its bytes.

    `name` is the file's name without a compression suffix, and empty for standard input.
    """

    shown: str
    name: str
    data: bytes

    def at(self, line: int | None = None) -> str:
        """Return the place of a line in this input, for an error."""
        return place(self.shown, line, self.unit)

    @property
    def unit(self) -> str:
        """What positions in this input count: `line`, or `row` in Parquet files."""
        return "row" if self.data[:4] == b"PAR1" else "line"

    @cached_property
    def text(self) -> str:
        """The content as text without byte-order mark; raises if it is not UTF-8 or has NUL."""
        return self._content.decode()

    @cached_property
    def lines(self) -> TextLines:
        r"""The lines without their ends, which are `\n` or `\r\n`; the last may have none.

        `str.splitlines` would also split at U+2028, form feeds and other characters; lines of two
        files would then no longer belong together.
        """
        content = self._content
        return TextLines(content.replace(b"\r\n", b"\n") if b"\r" in content else content)

    @cached_property
    def _content(self) -> bytes:
        """The bytes of the text without byte-order mark; raises if it is not UTF-8 or has NUL."""
        if not _is_utf8(self.data):
            try:
                self.data.decode()
            except UnicodeDecodeError as error:
                raise self._not_utf8(error) from None
        nul = self.data.find(b"\0")
        if nul >= 0:
            raise InputError(
                "a NUL byte inside text",
                where=self.at(self.data.count(b"\n", 0, nul) + 1),
                fix="this may not be a text file; name its format with --input-format, "
                "or remove the byte",
            )
        content = self.data.removeprefix(BOM)
        if not content:
            raise _empty(self.shown)
        if has_cr_lines(content):
            content = content.replace(b"\r", b"\n")
        return content

    def _not_utf8(self, error: UnicodeDecodeError) -> InputError:
        start = self.data.rfind(b"\n", 0, error.start) + 1
        line = self.data.count(b"\n", 0, error.start) + 1
        encoding = "UTF-16" if self.data.startswith(UTF16_MARKS) else "NAME"
        return InputError(
            f"invalid UTF-8: byte 0x{self.data[error.start]:02x} "
            f"at byte {error.start - start + 1} of the line",
            where=self.at(line),
            fix=f"convert the file: iconv -f {encoding} -t UTF-8; "
            f"commands that read transcripts also take --encoding {encoding}",
        )


def has_cr_lines(text: bytes) -> bool:
    r"""Return whether the lines of a text end with `\r` alone, as in files of old Macs.

    >>> has_cr_lines(b"a\rb\r"), has_cr_lines(b"a\rb\n"), has_cr_lines(b"a")
    (True, False, False)
    """
    return b"\r" in text and b"\n" not in text


def place(shown: str, line: int | None = None, unit: str = "line") -> str:
    """Return a file's path, with its line (`ref.txt:3`) or row (`ref.parquet, row 3`) if any."""
    if line is None:
        return shown
    return f"{shown}:{line}" if unit == "line" else f"{shown}, {unit} {line}"


@contextmanager
def recorded() -> Iterator[dict[str, str]]:
    """Yield a dictionary that gets the SHA-256 of each input opened inside, by its path."""
    hashes: dict[str, str] = {}
    token = _OPENED.set(hashes)
    try:
        yield hashes
    finally:
        _OPENED.reset(token)


def open_source(path: PathLike, encoding: str | None = None) -> Source:
    """Return a whole input, read into memory and decompressed; `-` is standard input.

    Text of another `encoding` is converted to UTF-8.
    """
    if os.fspath(path) == STDIN:
        shown, name = "<stdin>", ""
        raw = _within_limit(sys.stdin.buffer, shown)
    else:
        raw, shown, name = _read_file(Path(path)), shown_path(path), inner_name(path)
    opened = _OPENED.get()
    if opened is not None:
        opened[shown] = sha256(raw).hexdigest()
    data = to_utf8(_decompress(raw, shown), encoding, shown)
    if not data:
        raise _empty(shown)
    return Source(shown, name, data)


def inner_name(path: PathLike) -> str:
    """Return the name of a file without the suffix of a compression."""
    name = shown_path(Path(path).name)
    stem, dot, suffix = name.rpartition(".")
    return stem if stem and dot + suffix.lower() in SUFFIXES else name


def counted(count: int, noun: str) -> str:
    """Return a number with its noun in the singular or plural, for messages.

    Unlike `core.formatting.counted` it does not group thousands.

    >>> counted(1, "word"), counted(2, "word")
    ('1 word', '2 words')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def listed_places(places: Sequence[int], unit: str) -> str:
    """Return the numbers of the first few places in a file; `unit` is what they count.

    >>> listed_places([3, 9], "line"), listed_places([3], "line")
    ('lines 3, 9', 'line 3')
    """
    first = ", ".join(map(str, sorted(places)[:PLACES_SHOWN]))
    more = ", ..." if len(places) > PLACES_SHOWN else ""
    return f"{unit}{'s' if len(places) > 1 else ''} {first}{more}"


def _is_utf8(data: bytes) -> bool:
    """Return whether data is valid UTF-8, without a decoded copy of all of it."""
    if data.isascii():
        return True
    decoder = getincrementaldecoder("utf-8")()
    try:
        for lo in range(0, len(data), DECODED):
            decoder.decode(data[lo : lo + DECODED], lo + DECODED >= len(data))
    except UnicodeDecodeError:
        return False
    return True


def _empty(shown: str) -> InputError:
    return InputError(
        "the file is empty",
        where=shown,
        fix="an empty transcript is an empty line; a file without any line is refused",
    )


def _read_file(path: Path) -> bytes:
    shown = shown_path(path)
    try:
        with path.open("rb") as file:
            return _within_limit(file, shown)
    except FileNotFoundError:
        raise InputError(
            "no such file", where=shown, fix="check the path; `-` reads standard input"
        ) from None
    except IsADirectoryError:
        inner = path / "text"
        fix = f"did you mean {inner}?" if inner.is_file() else "name a file inside it"
        raise InputError("this is a folder, not a file", where=shown, fix=fix) from None
    except (OSError, ValueError) as error:
        raise unreadable(shown, error) from None


def _within_limit(file: BinaryIO, shown: str) -> bytes:
    """Return the bytes of a file up to its end, or raise if there are too many for the memory."""
    limit = memory_limit()
    size = _size_on_disk(file)
    if size is not None and size > limit:
        raise too_large(shown, limit)
    if size is not None:
        return file.read()
    return _joined(iter(lambda: file.read(BLOCK), b""), limit, too_large(shown, limit))


def _size_on_disk(file: BinaryIO) -> int | None:
    """Return the size of a regular file; None for pipes and devices, whose size is unknown."""
    try:
        details = os.fstat(file.fileno())
    except OSError:  # a replacement of standard input that is not a file
        return None
    return details.st_size if stat.S_ISREG(details.st_mode) else None


def _decompress(data: bytes, shown: str) -> bytes:
    """Return the decompressed data, or the data itself if it is not compressed."""
    name = compression_of(data)
    if not name:
        return data
    limit = min(memory_limit(), expansion_limit(len(data)))
    error = too_large(shown, limit, len(data))
    return _joined(decompressed_data(data, name, shown), limit, error)


def _joined(parts: Iterable[bytes], limit: int, error: InputError) -> bytes:
    """Return the parts joined; raise the error if they have more than `limit` bytes."""
    kept, size = [], 0
    for part in parts:
        size += len(part)
        if size > limit:
            raise error
        kept.append(part)
    return b"".join(kept)


def unreadable(shown: str, error: OSError | ValueError) -> InputError:
    """Return the error for a file that cannot be opened or read.

    A `ValueError` is that of a path with a NUL character.
    """
    return InputError(
        f"cannot be read: {getattr(error, 'strerror', None) or error}",
        where=shown,
        fix="check that the file is there and that you may read it",
    )
