"""JSON lines: one object on each line, as in NeMo manifests.

Files whose objects all have the same keys and no nested values are read by polars
(`read_flat_lines`), all others line by line.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NoReturn

from misword.core.errors import InputError
from misword.core.lazy import pl
from misword.io.files.limits import memory_limit, too_large
from misword.io.files.sources import Source, TextLines
from misword.io.files.strict_json import CHECK_WHOLE, TOO_DEEP, JsonError, is_encodable, parse_json
from misword.io.transcripts.columns import (
    HYPOTHESIS_NAMES,
    REFERENCE_NAMES,
    Columns,
    SourceTable,
    find_text,
    plain_name,
    with_plain_names,
)
from misword.io.transcripts.formats import Format

INT64 = range(-(2**63), 2**63)
TEXT_TYPES = (str, type(None))
# The longest line has this part of the bytes that a file may have. The values of a line can need
# twenty times its size in memory.
LINES_PER_FILE = 16
# A table of more cells is refused if it has this many times as many cells as the objects have keys.
SPARSE_CELLS = 1 << 24
SPARSE_SHARE = 50


@dataclass(frozen=True, slots=True)
class JsonLines(Format):
    """One JSON object a line; `text` and, in NeMo manifests, `pred_text` hold the transcripts.

    Other keys are metadata: strings and numbers are kept, nested values become JSON text. Blank
    lines are skipped.

    Reference: https://jsonlines.org
    """

    name: ClassVar[str] = "jsonl"
    sign: ClassVar[bytes] = b"{"
    title: ClassVar[str] = "JSON lines"
    is_table: ClassVar[bool] = True
    suffixes: ClassVar[tuple[str, ...]] = (".jsonl", ".ndjson", ".json")

    def looks_like(self, source: Source) -> bool:
        """Whether the first line that is not blank is a JSON object."""
        first = next((line for line in source.lines if line.strip()), "")
        if not first.lstrip().startswith("{"):
            return False
        try:
            return isinstance(json.loads(first), dict)
        except ValueError:
            return False
        except RecursionError:
            return True  # `table` raises the error

    def table(self, source: Source) -> SourceTable:
        """Return a column for each key; it is null for objects without the key."""
        refuse_array(source)
        flat = read_flat_lines(source.lines, memory_limit() // LINES_PER_FILE)
        if flat is not None:
            return flat_table(flat, source)
        records, numbers = read_objects(source, nested_as_text)
        keys = dict.fromkeys(key for record in records for key in record)
        refuse_sparse(records, len(keys), source)
        series, not_text = [], {}
        for key in keys:
            values = [record.get(key) for record in records]
            series.append(series_of(key, values, numbers, source))
            odd = next((n for n, v in enumerate(values) if type(v) not in TEXT_TYPES), None)
            if odd is not None:
                not_text[plain_name(key)] = numbers[odd]
        lines = pl.Series("line", numbers, pl.Int64)
        frame = with_plain_names(pl.DataFrame(series), source.shown)
        return SourceTable(frame, lines, not_text=not_text)

    def rewrite(
        self, source: Source, columns: Columns, ids: Sequence[str], texts: Sequence[str]
    ) -> bytes:
        """Return the file with other texts in the text key of its objects."""
        records, _ = read_objects(source)
        names = list(dict.fromkeys(key for record in records for key in record))
        key = find_text(names, columns, source)
        pairs = zip(records, texts, strict=True)
        try:
            lines = [json.dumps({**old, key: text}, ensure_ascii=False) for old, text in pairs]
        except RecursionError:
            raise InputError(TOO_DEEP, where=source.at()) from None
        return "".join(f"{line}\n" for line in lines).encode()


def flat_table(frame: pl.DataFrame, source: Source) -> SourceTable:
    """Return the table of a file with an object on every line."""
    not_text = {
        plain_name(column.name): (column.is_not_null().arg_max() or 0) + 1
        for column in frame.get_columns()
        if column.dtype != pl.String
    }
    lines = pl.int_range(1, frame.height + 1, dtype=pl.Int64, eager=True).alias("line")
    return SourceTable(with_plain_names(frame, source.shown), lines, not_text=not_text)


class JsonValue(str):
    """A nested value as JSON text."""

    __slots__ = ()


def nested_as_text(record: dict[str, Any]) -> dict[str, Any]:
    """Return an object with its lists and objects as JSON text, which needs less memory."""
    for key, value in record.items():
        if isinstance(value, list | dict):
            record[key] = JsonValue(json.dumps(value, ensure_ascii=False, sort_keys=True))
    return record


def read_objects(
    source: Source, keep: Callable[[dict[str, Any]], dict[str, Any]] = lambda record: record
) -> tuple[list[dict[str, Any]], list[int]]:
    """Return `keep` of each object, and the line number of each."""
    refuse_array(source)
    filled = [(n, line) for n, line in enumerate(source.lines, start=1) if line.strip()]
    if not filled:
        raise InputError(
            "blank lines and no JSON object",
            where=source.at(),
            fix="check that this is the right file and format",
        )
    records = []
    longest = memory_limit() // LINES_PER_FILE
    for number, line in filled:
        if len(line) > longest:
            raise too_large(source.at(number), longest, what="the line")
        try:
            record = parse_json(line)
        except JsonError as error:
            refuse(source, number, str(error))
        if not isinstance(record, dict):
            refuse(source, number, f"JSON, but not an object: {line[:40]}")
        try:
            records.append(keep(record))
        except RecursionError:
            refuse(source, number, TOO_DEEP)
    return records, [number for number, _ in filled]


def refuse(source: Source, line: int, what: str) -> NoReturn:
    """Raise the error for a wrong line."""
    raise InputError(
        what, where=source.at(line), fix='each line must be an object like {"text": "..."}'
    )


def refuse_sparse(records: Sequence[dict[str, Any]], keys: int, source: Source) -> None:
    """Raise if a table of the objects would be large and almost empty: its keys are data."""
    cells = keys * len(records)
    if cells > SPARSE_CELLS and cells > SPARSE_SHARE * sum(map(len, records)):
        raise InputError(
            f"{keys} different keys in {len(records)} objects, most of them in few",
            where=source.at(),
            fix="all objects should have the same keys, such as id and text",
        )


def refuse_array(source: Source) -> None:
    """Raise if the whole file is one JSON value, as many tools write it."""
    first = next((line for line in source.lines if line.strip()), "").lstrip()
    is_array = first.startswith("[")
    if not is_array and source.lines[0].strip() != "{":
        return
    kind = "one JSON array" if is_array else "one JSON object over several lines"
    what = "one object per line is expected"
    try:
        fix = _conversion(source.json)
    except JsonError as error:
        what, fix = str(error), CHECK_WHOLE
    raise InputError(f"the file is {kind}; {what}", where=source.at(), fix=fix)


def _conversion(value: Any) -> str:
    """Return how to make lines of a JSON value, or what to do if it has no list of transcripts."""
    if _has_text(value):
        return "write it on one line: jq -c . FILE > FILE.jsonl"
    if isinstance(value, list) and _has_text(value[:1] and value[0]):
        return "convert it: jq -c '.[]' FILE > FILE.jsonl"
    if isinstance(value, dict):
        for key, rows in value.items():
            if isinstance(rows, list) and rows and _has_text(rows[0]) and key.isidentifier():
                return f"convert it: jq -c '.{key}[]' FILE > FILE.jsonl"
    names = ", ".join(dict.fromkeys((*REFERENCE_NAMES, *HYPOTHESIS_NAMES)))
    return (
        "name the recogniser's format with --input-format, if it is one that misword reads "
        f"(misword parts formats); or write lines of objects with one of: {names}"
    )


def _has_text(value: Any) -> bool:
    """Return whether a value is an object with a text under a usual name."""
    names = (*REFERENCE_NAMES, *HYPOTHESIS_NAMES)
    return isinstance(value, dict) and any(isinstance(value.get(name), str) for name in names)


def series_of(key: str, values: list[Any], numbers: list[int], source: Source) -> pl.Series:
    """Return the values of a key as a column of text or numbers, others as JSON text."""
    kinds = {type(value) for value in values} - {type(None)}
    try:
        if kinds <= {str}:
            return pl.Series(key, values, pl.String)
        if kinds == {bool}:
            return pl.Series(key, values, pl.Boolean)
        if kinds == {int} and all(value is None or value in INT64 for value in values):
            return pl.Series(key, values, pl.Int64)
        if kinds == {float} or (kinds == {int, float} and all_floats(values)):
            return pl.Series(key, values, pl.Float64, strict=False)
        return pl.Series(key, [json_text(value) for value in values], pl.String)
    except UnicodeEncodeError:
        row = next(
            (row for row, value in enumerate(values) if not is_encodable(json_text(value) or "")), 0
        )
        refuse(source, numbers[row], f"half of a surrogate pair in {key!r}, which is no character")


def all_floats(values: list[Any]) -> bool:
    """Return whether float64 can store all integers among the values exactly."""
    return all(not isinstance(value, int) or abs(value) <= 2**53 for value in values)


def json_text(value: object) -> str | None:
    """Return text unchanged, None for None, and any other value as JSON."""
    if value is None or isinstance(value, str):
        return None if value is None else str(value)
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


# Lines whose objects have the same keys in the same order and no nested values.
#
# polars reads such lines several times faster than Python's decoder, and without a Python object
# for each value. But it keeps one of two equal keys and converts values of different types without
# an error. So a regular expression first tests that each line has the keys of the first line, and
# values of the types that the first lines have.


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
    pairs = (
        f"{pl.escape_regex(json.dumps(key, ensure_ascii=False))}{SPACE}:{SPACE}(?:{value}|null)"
        for key, value in values.items()
    )
    between = f"{SPACE},{SPACE}"
    line = rf"{SPACE}\{{{SPACE}{between.join(pairs)}{SPACE}\}}{SPACE}"
    return rf"\A(?:{line}(?:\n|\z))+\z"
