"""What stm and ctm share: fields between blanks, comments, and times."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from misword.core.errors import InputError
from misword.io.files.sources import Source

COMMENT = ";;"
# Only ASCII blanks part fields: str.split() would also cut words at no-break spaces.
BLANKS = re.compile(r"[ \t]+")


def fields(source: Source, count: int) -> Iterator[tuple[int, list[str]]]:
    """Each line's first `count` fields and then the rest, with its number; comments passed over."""
    for number, line in enumerate(source.lines, start=1):
        stripped = line.strip(" \t")
        if stripped and not stripped.startswith(COMMENT):
            yield number, BLANKS.split(stripped, maxsplit=count)


def seconds(text: str) -> float | None:
    """A time, or nothing where the text is none."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and "_" not in text else None


def need_seconds(text: str, what: str, source: Source, line: int) -> float:
    """A time, or an error that names the line."""
    value = seconds(text)
    if value is None:
        raise InputError(
            f"{what} is {text!r}, not a number of seconds",
            where=source.at(line),
            fix="check the order of the fields, or name the format with --input-format",
        )
    return value


def times_at(source: Source, first: int) -> bool:
    """Whether every line has times in the fields `first` and the next, and five fields at least.

    Somewhere a decimal point must be seen: ids followed by spoken digits have none.
    """
    found = False
    for _, parts in fields(source, 5):
        if len(parts) < 5 or seconds(parts[first]) is None or seconds(parts[first + 1]) is None:
            return False
        found = found or "." in parts[first] + parts[first + 1]
    return found
