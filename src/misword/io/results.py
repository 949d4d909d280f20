"""Results on disk: a folder with `result.json` and a Parquet file for each table.

The schema of `result.json` says what every reader of a result may rely on. Keys of the provenance
have one type in all kinds of results. A key that is not declared here may have any value; code that
reads it checks it.
"""

from __future__ import annotations

import json
import math
import re
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

from misword.core.errors import InputError, OptionError
from misword.core.lazy import pl
from misword.core.types import Result
from misword.io.files.checksums import (
    HEX,
    KEY,
    VerificationRecord,
    damaged,
    json_checksum,
    read_index,
)
from misword.io.files.parquet import check_parquet, read_checked
from misword.io.files.path_errors import output_status
from misword.io.files.sources import PathLike, shown_path, unreadable
from misword.io.files.strict_json import (
    any_of,
    anything,
    boolean,
    integer,
    list_of,
    mapping_of,
    number,
    optional,
    record,
    text,
)
from misword.io.files.writing import fresh_folder, read_steadily, refuse_foreign
from misword.io.shards.records import finished_shards

TABLE_NAME = r"\w[\w.-]*"
NAMES = list_of(text())
TEXTS = mapping_of(text())
COUNT = integer(0)

TABLE = record(
    {"file": text(TABLE_NAME)},
    {"rows": COUNT, "columns": NAMES, KEY: text(HEX)},
)
PART = record({"title": text()}, {"family": text(), "cites": NAMES})
# What a run over shards was to count, and what it counted; results of older versions have less.
SHARD_COUNTS = record(
    {},
    {
        "number": COUNT,
        "left_out": COUNT,
        "counted": COUNT,
        "rows": COUNT,
        "rows_left_out": COUNT,
        "rows_counted": COUNT,
    },
)
PROVENANCE = record(
    {},
    {
        "baseline": optional(text()),
        "better": TEXTS,
        "block": optional(any_of(COUNT, text())),
        "block_size": optional(COUNT),
        "blocks": optional(COUNT),
        "by": NAMES,
        "channel": text(),
        "command": text(),
        "confidence": optional(number(0, 1)),
        "encoders": NAMES,
        "forgiven": NAMES,
        "metrics": NAMES,
        "misword": text(),
        "notes": NAMES,
        "oov": text(),
        "options": mapping_of(anything),
        "pairs": COUNT,
        "parts": mapping_of(PART),
        "refit": boolean,
        "scores": any_of(NAMES, TEXTS),
        "sha256": TEXTS,
        "shards": SHARD_COUNTS,
        "signatures": TEXTS,
        "systems": NAMES,
        "trials": COUNT,
        "utterances": COUNT,
        "words": any_of(COUNT, mapping_of(optional(text()))),
    },
)
RESULT = record(
    {"kind": text(), "provenance": PROVENANCE, "order": NAMES, "tables": mapping_of(TABLE)}
)


INDEX = "result.json"
MARK = "misword-result"
VERSION = 1
AGAIN = "make the result again"
SHARDS = "utterances"  # folder with the statistics of shards, which a run over shards keeps
INLINE_ROWS = 2000  # tables up to this size are also in `result.json`


def write_result(result: Result, folder: PathLike) -> None:
    """Write a result to a folder, completely or not at all.

    An older result in the folder is replaced; other files in it are kept. The same result always
    gives the same bytes.
    """
    target = Path(folder)
    check_folder(target)
    with fresh_folder(target, _foreign) as fresh:
        _write_files(result, fresh)


def read_result(folder: PathLike) -> Result:
    """Return the result in a folder that `write_result` wrote, after checking its checksums."""
    return read_steadily(Path(folder), INDEX, _read)


def _read(path: Path) -> Result:
    index = read_result_index(path)
    _check_counts(path, index)
    return Result(index["kind"], _read_tables(path, index), index["provenance"])


def verify_result(folder: Path) -> bool:
    """Read all tables of a result and check them; return whether it has checksums.

    Of a run over shards, also what it counted is checked, and that the files of all shards are
    there.
    """
    index = read_result_index(folder)
    _read_tables(folder, index)
    _check_counts(folder, index)
    _check_shard_files(folder, index)
    return KEY in index and all(KEY in index["tables"][name] for name in index["order"])


def check_folder(target: Path) -> None:
    """Raise if the folder exists and is neither empty nor an older result.

    The folder of a run over shards that was not finished is accepted.
    """
    if not _is_unfinished(target):
        refuse_foreign(target, read_result_index, "it exists and is not a result of misword")


def refuse_older(folder: PathLike) -> None:
    """Raise if a folder has a result already, or other files."""
    target = Path(folder)
    check_folder(target)
    if output_status(target / INDEX) is not None:
        raise OptionError(
            "it has a result already",
            where=str(folder),
            fix="name another folder, or replace the result with --force",
        )


def _write_files(result: Result, folder: Path) -> None:
    """Write the Parquet file of each table, and `result.json` with the small tables inside."""
    tables: dict[str, dict[str, Any]] = {}
    for name, frame in result.tables.items():
        if not re.fullmatch(TABLE_NAME, name):
            raise OptionError(f"{name!r} cannot be a table's name", fix="use letters and digits")
        file = f"{name}.parquet"
        data = BytesIO()  # polars has an error of its own for a full disk
        frame.write_parquet(data)
        (folder / file).write_bytes(data.getbuffer())
        tables[name] = {
            "file": file,
            "rows": frame.height,
            "columns": frame.columns,
            KEY: sha256(data.getbuffer()).hexdigest(),
        }
        if frame.height <= INLINE_ROWS:
            tables[name]["data"] = frame.to_dicts()
    index = _finite(
        {
            "format": MARK,
            "version": VERSION,
            "kind": result.kind,
            "provenance": result.provenance,
            "order": list(tables),
            "tables": tables,
        }
    )
    content = json.dumps(
        {**index, KEY: json_checksum(index, _to_json)},
        ensure_ascii=False,
        sort_keys=True,
        indent=1,
        allow_nan=False,
        default=_to_json,
    )
    (folder / INDEX).write_text(content + "\n", encoding="utf-8", newline="")
    VerificationRecord.of_content(table[KEY] for table in tables.values()).remember()


def _finite(value: Any) -> Any:
    """Return a value as JSON can store it: None for NaN and infinity, text without surrogates."""
    if isinstance(value, str):
        return shown_path(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {shown_path(str(key)): _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return value


def _to_json(value: Any) -> Any:
    """Return a number of numpy as a Python number, and dates and paths as text."""
    return value.item() if hasattr(value, "item") else str(value)


def _foreign(folder: Path) -> list[Path]:
    """Return the entries of a folder that are not files of the result in it."""
    entries = list(folder.iterdir())
    if not entries or _is_unfinished(folder):
        return entries
    tables = read_result_index(folder)["tables"].values()
    own = {INDEX, *(str(entry["file"]) for entry in tables)}
    return [entry for entry in entries if entry.name not in own]


def _is_unfinished(folder: Path) -> bool:
    """Return whether a folder has nothing but the statistics of shards."""
    try:
        return [entry.name for entry in folder.iterdir()] == [SHARDS] and (folder / SHARDS).is_dir()
    except OSError:
        return False


def read_result_index(folder: Path) -> dict[str, Any]:
    """Return the content of `result.json` after checking it."""

    def wrong() -> InputError:
        return InputError(
            "this is not a result of misword",
            where=str(folder),
            fix="name the folder that a command wrote with --out",
        )

    index = read_index(folder / INDEX, MARK, VERSION, wrong, RESULT)
    if set(index["order"]) - set(index["tables"]):
        raise wrong()
    return index


def _check_counts(folder: Path, index: dict[str, Any]) -> None:
    """Raise if the numbers of a result lack shards or rows of its data."""
    shards = index["provenance"].get("shards", {})
    for whole, left_out, counted, what in (
        ("number", "left_out", "counted", "shards"),
        ("rows", "rows_left_out", "rows_counted", "rows"),
    ):
        if counted not in shards:
            continue
        expected = shards.get(whole, 0) - shards.get(left_out, 0)
        if shards[counted] != expected:
            fault = f"{shards[counted]:,} of {expected:,} {what} are in its numbers"
            raise InputError(fault, where=str(folder / INDEX), fix=AGAIN)


def _check_shard_files(folder: Path, index: dict[str, Any]) -> None:
    """Raise if statistics of shards are missing; their folder itself may have been removed."""
    counted, place = index["provenance"].get("shards", {}).get("counted", 0), folder / SHARDS
    if not counted or not place.is_dir():
        return
    finished = finished_shards(place)
    if missing := [name for names in finished for name in names if not (place / name).is_file()]:
        raise InputError("there is no such file", where=str(place / missing[0]), fix=AGAIN)
    if len(finished) < counted:
        fault = f"it has the files of {len(finished):,} of {counted:,} shards"
        raise InputError(fault, where=str(place), fix=AGAIN)


def _read_tables(folder: Path, index: dict[str, Any]) -> dict[str, pl.DataFrame]:
    """Return the tables after checking their checksums, their rows and their columns.

    polars can crash on Parquet data that is damaged or made for this. A checksum that fits does not
    exclude the latter. So data that this user's misword has not written is checked first, once.
    """
    entries = {name: index["tables"][name] for name in index["order"]}
    files = {name: folder / entry["file"] for name, entry in entries.items()}
    contents = {name: _bytes_of(files[name], entry) for name, entry in entries.items()}
    checked = VerificationRecord.of_content(sha256(data).hexdigest() for data in contents.values())
    if not checked.is_known():
        check_parquet({str(files[name]): data for name, data in contents.items()}, fix=AGAIN)
        checked.remember()
    tables = {}
    for name, entry in entries.items():
        tables[name] = frame = read_checked(contents[name], str(files[name]), AGAIN)
        found = {"rows": frame.height, "columns": frame.columns}
        for what, value in found.items():
            if what in entry and entry[what] != value:
                fault = f"the table has other {what} than were written"
                raise InputError(fault, where=str(files[name]), fix=AGAIN)
    return tables


def _bytes_of(file: Path, entry: dict[str, Any]) -> bytes:
    """Return the content of the file of a table, after checking its checksum, if it has one."""
    try:
        if not file.is_file():
            raise InputError("there is no such table", where=str(file), fix=AGAIN)
        data = file.read_bytes()
    except OSError as error:
        raise unreadable(str(file), error) from None
    if KEY in entry and sha256(data).hexdigest() != entry[KEY]:
        raise damaged(file)
    return data
