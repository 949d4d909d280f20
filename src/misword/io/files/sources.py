"""Input files and standard input: read into memory, decompressed, decoded, split into lines."""

from __future__ import annotations

import os
import re
import stat
import sys
from codecs import getincrementaldecoder
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, overload

from misword.core.errors import InputError, OptionError
from misword.core.lazy import np, pl
from misword.io.files.compression import SUFFIXES, compression_of, decompressed_data
from misword.io.files.limits import expansion_limit, memory_limit, too_large

if TYPE_CHECKING:
    from numpy.typing import NDArray

# A path that names a protocol, and the signs of a pattern.
URL = re.compile(r"^[a-z][a-z0-9+.-]*://", re.IGNORECASE)
MAGIC = re.compile(r"[*?\[]")


def is_url(path: str) -> bool:
    """Return whether a path names a protocol.

    >>> is_url("s3://bucket/a.parquet"), is_url("run/a.parquet")
    (True, False)
    """
    return URL.match(path) is not None


def is_pattern(path: str) -> bool:
    """Return whether a path is a URL, or a pattern and not the name of a file that is there."""
    return is_url(path) or (MAGIC.search(path) is not None and not os.path.lexists(path))


def shown_path(path: str | os.PathLike[str]) -> str:
    r"""Return a path as text that can be printed and stored.

    A file's name is a sequence of bytes on most systems. Python reads bytes that are not UTF-8 as
    halves of surrogate pairs, which cannot be printed or stored; here they are written `\xNN`.

    >>> shown_path("r\udce9f.txt"), shown_path("réf.txt")
    ('r\\xe9f.txt', 'réf.txt')
    """
    text = os.fspath(path)
    try:
        text.encode()
    except UnicodeEncodeError:
        data = text.encode("utf-8", "surrogateescape" if _is_escaped(text) else "surrogatepass")
        return data.decode("utf-8", "backslashreplace")
    return text


def _is_escaped(text: str) -> bool:
    """Whether all halves of surrogate pairs stand for bytes, as in paths."""
    halves = (character for character in text if "\ud800" <= character <= "\udfff")
    return all("\udc80" <= half <= "\udcff" for half in halves)


COMMON = "latin-1, cp1252, utf-16, shift_jis, gb18030, koi8-r"
# Parquet stores text as UTF-8, whatever the encoding of the other files is.
PARQUET = b"PAR1"


def to_utf8(data: bytes, encoding: str | None, shown: str) -> bytes:
    """Return data of the encoding as UTF-8; without an encoding, the data as it is.

    `shown` is the path of the data in errors. Every name that Python knows is an encoding.

    >>> to_utf8(b"caf\\xe9", "latin-1", "ref.txt").decode()
    'café'
    """
    if encoding is None or data.startswith(PARQUET):
        return data
    try:
        text = data.decode(encoding)
    except LookupError:
        raise OptionError(
            f"unknown text encoding {encoding!r}",
            fix=f"name one that Python knows with --encoding: {COMMON}, ...",
        ) from None
    except UnicodeError as error:
        # Encodings such as idna raise an error without a position.
        start = error.start if isinstance(error, UnicodeDecodeError) else 0
        line = data.count(b"\n", 0, start) + 1
        raise InputError(
            f"invalid {encoding}: byte 0x{data[start]:02x} at byte {start + 1} of the file",
            where=f"{shown}:{line}",
            fix=f"name the right encoding with --encoding: {COMMON}, ...",
        ) from None
    return text.encode(errors="surrogatepass")


NEWLINE = ord("\n")
# Bytes that are searched for line ends at once, and lines that are decoded at once.
SEARCHED = 1 << 22
DECODED = 1 << 13


class TextLines(Sequence[str]):
    r"""The lines of valid UTF-8 text, which `\n` ends; the last line may have no end.

    Lines are decoded when they are read. A Python string for each line of a file takes twice the
    memory of the file; here the text stays in UTF-8, and the start of each line takes eight bytes.

    >>> lines = TextLines(b"a b\n\nc")
    >>> len(lines), lines[0], lines[1:], lines.column().to_list()
    (3, 'a b', ['', 'c'], ['a b', '', 'c'])
    """

    def __init__(self, data: bytes) -> None:
        self._data = data

    @cached_property
    def _starts(self) -> NDArray[np.int64]:
        """The first byte of each line, and at the end that of a line after the last one."""
        whole = np.frombuffer(self._data, np.uint8)
        found = [
            np.flatnonzero(whole[lo : lo + SEARCHED] == NEWLINE) + (lo + 1)
            for lo in range(0, len(whole), SEARCHED)
        ]
        without_end = self._data and not self._data.endswith(b"\n")
        last = np.array([len(whole) + 1] if without_end else [], np.int64)
        return np.concatenate([np.zeros(1, np.int64), *found, last])

    def __len__(self) -> int:
        return len(self._starts) - 1

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, int):
            at = range(len(self))[index]
            return self._text(at, at + 1)
        rows = range(len(self))[index]
        if rows.step == 1:
            return self._block(rows.start, rows.stop)
        return [self[row] for row in rows]

    def __iter__(self) -> Iterator[str]:
        for lo in range(0, len(self), DECODED):
            yield from self._block(lo, min(lo + DECODED, len(self)))

    def column(self, name: str = "text") -> pl.Series:
        """Return the lines as a column, made without a Python string for each line."""
        return pl.concat([pl.Series(name, [], pl.String), *self.columns(name)])

    def columns(self, name: str = "text") -> Iterator[pl.Series]:
        """Yield the lines as columns of some lines each: what is made of them needs no memory."""
        for lo in range(0, len(self), DECODED):
            text = self._text(lo, min(lo + DECODED, len(self)))
            yield pl.Series(name, [text]).str.split("\n").explode()

    def blocks(self, size: int) -> Iterator[bytes]:
        r"""Yield the text in blocks of whole lines, each of at most `size` bytes if lines allow it.

        >>> list(TextLines(b"a b\n\nc\n").blocks(5))
        [b'a b\n\n', b'c\n']
        """
        starts, lo = self._starts, 0
        while lo < len(self):
            hi = int(np.searchsorted(starts, starts[lo] + size, side="right")) - 1
            hi = min(max(hi, lo + 1), len(self))
            yield self._data[starts[lo] : starts[hi]]
            lo = hi

    def _block(self, lo: int, hi: int) -> list[str]:
        return self._text(lo, hi).split("\n") if lo < hi else []

    def _text(self, lo: int, hi: int) -> str:
        """Return lines `lo` to `hi` - 1 as one text, without the end of the last one."""
        return self._data[self._starts[lo] : self._starts[hi] - 1].decode()


STDIN = "-"
BOM = b"\xef\xbb\xbf"  # the byte-order mark in UTF-8
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
PLACES_SHOWN = 5
BLOCK = 1 << 20
CHECKED_AT_ONCE = 1 << 22  # bytes that are decoded at once to check them

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

    @property
    def unread(self) -> Mapping[str, str]:
        """The columns of a Parquet file that are not read, since they have no text: their types."""
        if self.unit != "row":
            return {}
        from misword.io.files.parquet import unread_columns  # it imports `subprocess`

        return unread_columns(self.data, self.shown)

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
    def json(self) -> Any:
        """The content as one JSON value, which is parsed once; raises a `JsonError` if it is none.

        Several formats of JSON look at the value before one of them reads it.
        """
        from misword.io.files.strict_json import parse_json

        return parse_json(self.text)

    @cached_property
    def _content(self) -> bytes:
        """The bytes of the text without byte-order mark; raises if it is not UTF-8 or has NUL."""
        if not is_utf8(self.data):
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
            fix=f"convert the file: iconv -f {encoding} -t UTF-8; or name its encoding: "
            f"--encoding {encoding}",
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


def listed_places(places: Sequence[int], unit: str) -> str:
    """Return the numbers of the first few places in a file; `unit` is what they count.

    >>> listed_places([3, 9], "line"), listed_places([3], "line")
    ('lines 3, 9', 'line 3')
    """
    first = ", ".join(map(str, sorted(places)[:PLACES_SHOWN]))
    more = ", ..." if len(places) > PLACES_SHOWN else ""
    return f"{unit}{'s' if len(places) > 1 else ''} {first}{more}"


def is_utf8(data: bytes) -> bool:
    """Return whether data is valid UTF-8, without a decoded copy of all of it."""
    if data.isascii():
        return True
    decoder = getincrementaldecoder("utf-8")()
    try:
        for lo in range(0, len(data), CHECKED_AT_ONCE):
            decoder.decode(data[lo : lo + CHECKED_AT_ONCE], lo + CHECKED_AT_ONCE >= len(data))
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
    name = compression_of(data[:8], shown)
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
