"""JSON lines: one object on each line, as in NeMo manifests."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from misword.core.errors import InputError
from misword.io.files.flat_json_lines import read_flat_lines
from misword.io.files.limits import memory_limit, too_large
from misword.io.files.sources import Source
from misword.io.files.strict_json import CHECK_WHOLE, TOO_DEEP, JsonError, parse_json
from misword.io.transcripts.columns import Columns, Table, find_text
from misword.io.transcripts.formats import Format
from misword.io.transcripts.plain_names import plain_name, with_plain_names

if TYPE_CHECKING:
    import polars as pl

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

    def table(self, source: Source) -> Table:
        """Return a column for each key; it is null for objects without the key."""
        import polars as pl

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
        return Table(frame, lines, not_text=not_text)

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


def flat_table(frame: pl.DataFrame, source: Source) -> Table:
    """Return the table of a file with an object on every line."""
    import polars as pl

    not_text = {
        plain_name(column.name): (column.is_not_null().arg_max() or 0) + 1
        for column in frame.get_columns()
        if column.dtype != pl.String
    }
    lines = pl.int_range(1, frame.height + 1, dtype=pl.Int64, eager=True).alias("line")
    return Table(with_plain_names(frame, source.shown), lines, not_text=not_text)


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
    what, fix = "one object per line is expected", "convert it: jq -c '.[]' FILE > FILE.jsonl"
    try:
        parse_json(source.text)
    except JsonError as error:
        what, fix = str(error), CHECK_WHOLE
    raise InputError(f"the file is {kind}; {what}", where=source.at(), fix=fix)


def series_of(key: str, values: list[Any], numbers: list[int], source: Source) -> pl.Series:
    """Return the values of a key as a column of text or numbers, others as JSON text."""
    import polars as pl

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
        row = next((row for row, value in enumerate(values) if not encodable(value)), 0)
        refuse(source, numbers[row], f"half of a surrogate pair in {key!r}, which is no character")


def all_floats(values: list[Any]) -> bool:
    """Return whether float64 can store all integers among the values exactly."""
    return all(not isinstance(value, int) or abs(value) <= 2**53 for value in values)


def json_text(value: object) -> str | None:
    """Return text unchanged, None for None, and any other value as JSON."""
    if value is None or isinstance(value, str):
        return None if value is None else str(value)
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def encodable(value: object) -> bool:
    """Return whether a value can be written as UTF-8."""
    try:
        (json_text(value) or "").encode()
    except UnicodeEncodeError:
        return False
    return True
