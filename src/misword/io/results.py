"""Results on disk: a folder with `result.json` and a Parquet file for each table."""

from __future__ import annotations

import json
import math
import re
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from misword.core.errors import InputError, OptionError
from misword.core.types import Result
from misword.io.files.checksums import KEY, damaged, json_checksum
from misword.io.files.folders import fresh_folder, read_steadily, refuse_foreign
from misword.io.files.indexes import read_index
from misword.io.files.path_errors import output_status
from misword.io.files.sources import PathLike
from misword.io.result_schema import RESULT, TABLE_NAME

if TYPE_CHECKING:
    import polars as pl

INDEX = "result.json"
MARK = "misword-result"
VERSION = 1
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
    tables = {name: _read_table(path, index["tables"][name]) for name in index["order"]}
    return Result(index["kind"], tables, index["provenance"])


def verify_result(folder: Path) -> bool:
    """Read all tables of a result and check them; return whether it has checksums."""
    index = read_result_index(folder)
    for name in index["order"]:
        _read_table(folder, index["tables"][name])
    return KEY in index and all(KEY in index["tables"][name] for name in index["order"])


def check_folder(target: Path) -> None:
    """Raise if the folder exists and is neither empty nor an older result."""
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
    tables = {}
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


def _finite(value: Any) -> Any:
    """Return a value with None for NaN and infinity, which JSON lacks; Parquet keeps them."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return value


def _to_json(value: Any) -> Any:
    """Return a number of numpy as a Python number, and dates and paths as text."""
    return value.item() if hasattr(value, "item") else str(value)


def _foreign(folder: Path) -> list[Path]:
    """Return the entries of a folder that are not files of the result in it."""
    entries = list(folder.iterdir())
    if not entries:
        return []
    tables = read_result_index(folder)["tables"].values()
    own = {INDEX, *(str(entry["file"]) for entry in tables)}
    return [entry for entry in entries if entry.name not in own]


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


def _read_table(folder: Path, entry: dict[str, Any]) -> pl.DataFrame:
    """Return a table after checking its checksum, its rows and its columns."""
    import polars as pl

    file = folder / entry["file"]
    try:
        if not file.is_file():
            raise FileNotFoundError("there is no such file")
        data = file.read_bytes()
        if KEY in entry and sha256(data).hexdigest() != entry[KEY]:
            raise damaged(file)
        frame = pl.read_parquet(data)
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        reason = (str(error).splitlines() or [""])[0]
        raise InputError(
            f"the table cannot be read ({reason})", where=str(file), fix="make the result again"
        ) from None
    found = {"rows": frame.height, "columns": frame.columns}
    for what, value in found.items():
        if what in entry and entry[what] != value:
            raise InputError(
                f"the table has other {what} than were written",
                where=str(file),
                fix="make the result again",
            )
    return frame
