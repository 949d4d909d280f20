"""JSON lines whose objects have the same keys in the same order and no nested values.

polars reads such lines several times faster than Python's decoder, and without a Python object for
each value. But it keeps one of two equal keys and converts values of different types without an
error. So a regular expression first tests that each line has the keys of the first line, and values
of the types that the first lines have. For any other file the answer is None; it is read line by
line.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from misword.io.files.strict_json import JsonError, parse_json
from misword.io.files.text_lines import TextLines

if TYPE_CHECKING:
    import polars as pl

# Lines that tell the types of the values, bytes that are read at once, and keys of a line.
SAMPLE = 100
BLOCK = 1 << 23
MOST_KEYS = 64

HEX = "[0-9a-fA-F]"
# Characters as escapes: no half of a surrogate pair without the other half.
PAIR = rf"[dD][89abAB]{HEX}{{2}}\\u[dD][c-fC-F]{HEX}{{2}}"
UNICODE = rf"u(?:[0-9abcefABCEF]{HEX}{{3}}|[dD][0-7]{HEX}{{2}}|{PAIR})"
STRING = rf'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|{UNICODE}))*"'
# Integers that 64 bits hold, and numbers that are finite and whose integers float64 holds exactly.
INTEGER = "-?(?:0|[1-9][0-9]{0,17})"
NUMBER = r"-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,2})?"
SPACE = r"[ \t\r]*"


def read_flat_lines(lines: TextLines, longest: int) -> pl.DataFrame | None:
    r"""Return a column for each key, or None if the lines are not flat objects with the same keys.

    A line of more than `longest` bytes is not read here.

    >>> read_flat_lines(TextLines(b'{"id": "a", "n": 1}\n{"id": "b", "n": null}\n'), 100).rows()
    [('a', 1), ('b', None)]
    >>> read_flat_lines(TextLines(b'{"id": "a", "n": 1}\n{"n": 1, "id": "b"}\n'), 100)
    """
    import polars as pl

    types = _types_of(lines[:SAMPLE], longest)
    if types is None:
        return None
    schema = {key: getattr(pl, kind) for key, (kind, _) in types.items()}
    pattern = _pattern({key: values for key, (_, values) in types.items()})
    frames = []
    for block in lines.blocks(min(BLOCK, longest)):
        try:
            text = pl.Series([block.decode()])
            if len(block) > longest or not text.str.contains(pattern).item():
                return None
            frames.append(pl.read_ndjson(block, schema=schema))
        except pl.exceptions.PolarsError:  # the line-by-line reader says what is wrong
            return None
    frame = pl.concat(frames)
    return frame if frame.height == len(lines) else None


def _types_of(sample: list[str], longest: int) -> dict[str, tuple[str, str]] | None:
    """Return the polars type of each key and the pattern of its values, from the first lines."""
    kinds: dict[str, set[type]] = {}
    for line in sample:
        try:
            record = parse_json(line) if len(line) <= longest else None
        except JsonError:
            return None
        if not isinstance(record, dict) or (kinds and list(record) != list(kinds)):
            return None
        for key, value in record.items():
            kinds.setdefault(key, set()).add(type(value))
    if not 0 < len(kinds) <= MOST_KEYS:
        return None
    found = {key: _type_of(values - {type(None)}) for key, values in kinds.items()}
    types = {key: value for key, value in found.items() if value is not None}
    return types if len(types) == len(found) else None


def _type_of(kinds: set[type]) -> tuple[str, str] | None:
    """Return the polars type of values of these Python types, and the pattern of such values."""
    if kinds <= {str}:
        return "String", STRING
    if kinds == {bool}:
        return "Boolean", "true|false"
    if kinds == {int}:
        return "Int64", INTEGER
    return ("Float64", NUMBER) if kinds in ({float}, {int, float}) else None


def _pattern(values: dict[str, str]) -> str:
    """Return the regular expression of a text with one or more such lines."""
    import polars as pl

    pairs = (
        f"{pl.escape_regex(json.dumps(key, ensure_ascii=False))}{SPACE}:{SPACE}(?:{value}|null)"
        for key, value in values.items()
    )
    between = f"{SPACE},{SPACE}"
    line = rf"{SPACE}\{{{SPACE}{between.join(pairs)}{SPACE}\}}{SPACE}"
    return rf"\A(?:{line}(?:\n|\z))+\z"
