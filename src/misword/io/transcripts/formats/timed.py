"""Parsing that stm and ctm share: fields between blanks, comments, and times."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator

from misword.core.errors import InputError
from misword.io.files.sources import Source

COMMENT = ";;"
# Only ASCII blanks separate fields; str.split() would also split words at no-break spaces.
BLANKS = re.compile(r"[ \t]+")


def fields(source: Source, count: int) -> Iterator[tuple[int, list[str]]]:
    """Yield number, first `count` fields and rest of each line; comments are skipped."""
    for number, line in enumerate(source.lines, start=1):
        stripped = line.strip(" \t")
        if stripped and not stripped.startswith(COMMENT):
            yield number, BLANKS.split(stripped, maxsplit=count)


def seconds(text: str) -> float | None:
    """Return the time in a text, or None if it is not a number of seconds."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and "_" not in text else None


def need_seconds(text: str, what: str, source: Source, line: int) -> float:
    """Return the time in a text, or raise an error that names the line."""
    value = seconds(text)
    if value is None:
        raise InputError(
            f"{what} is {text!r}, not a number of seconds",
            where=source.at(line),
            fix="check the order of the fields, or name the format with --input-format",
        )
    return value


def times_at(
    source: Source, first: int, without_times: Callable[[list[str]], bool] = lambda parts: False
) -> bool:
    """Return whether every line has five fields or more, and times in `first` and the next field.

    At least one time must have a decimal point, since ids may be followed by spoken digits. Lines
    for which `without_times` is true need no times.
    """
    has_point = False
    for _, parts in fields(source, 5):
        if without_times(parts):
            continue
        if len(parts) < 5 or seconds(parts[first]) is None or seconds(parts[first + 1]) is None:
            return False
        has_point = has_point or "." in parts[first] + parts[first + 1]
    return has_point
