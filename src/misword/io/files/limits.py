"""The most bytes that one input may have, so that a small file cannot fill the memory or the disk.

Without a setting, an input that is read into memory may have `IN_MEMORY` bytes, and compressed data
may become `EXPANSION` times as large as the file, or `SMALL` bytes. Files that are read block by
block and are not compressed have no limit then. With a setting (`--max-bytes`, `limited`, or the
environment variable `MISWORD_MAX_BYTES`), no input may have more than that many bytes, counted
after decompression, and the other rules do not apply.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from misword.core.errors import InputError, OptionError

VARIABLE = "MISWORD_MAX_BYTES"
IN_MEMORY = 1 << 30  # of English text, 180 million words: the words of 20,000 hours of speech
SMALL = 1 << 28
EXPANSION = 200  # text and vectors are compressed 2 to 20 times
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
SIZE = re.compile(r"(\d{1,18})\s*([KMGT]?)(?:I?B)?", re.ASCII | re.IGNORECASE)

_MAX_BYTES: ContextVar[int | None] = ContextVar("max_bytes", default=None)


def parse_size(text: str) -> int:
    """Return a number of bytes; K, M, G and T stand for powers of 1024.

    >>> parse_size("300"), parse_size("4G"), parse_size("1 MB")
    (300, 4294967296, 1048576)
    """
    found = SIZE.fullmatch(text.strip())
    if found is None or not int(found[1]):
        raise OptionError(f"{text!r} is no size", fix="write a number of bytes, or 500M, 4G")
    return int(found[1]) * UNITS[found[2].upper()]


@contextmanager
def limited(max_bytes: int | None) -> Iterator[None]:
    """Return a context within which no input may have more bytes; None changes nothing.

    >>> with limited(1 << 20):
    ...     chosen_limit()
    1048576
    """
    token = _MAX_BYTES.set(chosen_limit() if max_bytes is None else max_bytes)
    try:
        yield
    finally:
        _MAX_BYTES.reset(token)


def chosen_limit() -> int | None:
    """Return the limit of the context or of the environment variable; None if neither is set."""
    limit = _MAX_BYTES.get()
    if limit is not None:
        return limit
    text = os.environ.get(VARIABLE, "")
    if not text:
        return None
    try:
        return parse_size(text)
    except OptionError as error:
        raise OptionError(f"{VARIABLE}: {error.what}", fix=error.fix) from None


def memory_limit() -> int:
    """Return the most bytes of an input that is read into memory."""
    limit = chosen_limit()
    return IN_MEMORY if limit is None else limit


def expansion_limit(compressed: int) -> int:
    """Return the most bytes that compressed data of this size may have after decompression."""
    limit = chosen_limit()
    return max(SMALL, EXPANSION * compressed) if limit is None else limit


def too_large(
    shown: str, limit: int, compressed: int | None = None, what: str = "the file"
) -> InputError:
    """Return the error for an input with more bytes; `compressed` is its size on disk, if it is."""
    size = f"more than {_in_units(limit)}"
    what = f"{what} has {size}"
    if compressed is not None:
        what = f"{_in_units(compressed)} of compressed data that become {size}"
    return InputError(
        what,
        where=shown,
        fix="if the file is what you expect, allow it with --max-bytes, such as "
        f"--max-bytes {max(1, 4 * limit >> 30)}G (in Python: the environment variable {VARIABLE})",
    )


def _in_units(size: int) -> str:
    """Return a size in the largest unit of which it has at least one."""
    unit = next(unit for unit in reversed(UNITS) if size >= UNITS[unit] or not unit)
    return f"{size / UNITS[unit]:.3g} {unit}B" if unit else f"{size} bytes"
