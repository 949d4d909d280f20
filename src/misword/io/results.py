"""Results on disk: a folder with `result.json` and a Parquet file for each table."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from misword.core.errors import InputError, OptionError
from misword.core.types import Result
from misword.io.files.folders import fresh_folder, read_index, refuse_foreign, replace_folder
from misword.io.files.shown_paths import shown_path
from misword.io.files.sources import PathLike

if TYPE_CHECKING:
    import polars as pl

INDEX = "result.json"
MARK = "misword-result"
VERSION = 1
INLINE_ROWS = 2000  # tables up to this size are also in `result.json`
TABLE_NAME = re.compile(r"\w[\w.-]*")


def write_result(result: Result, folder: PathLike) -> None:
    """Write a result to a folder, completely or not at all.

    An older result in the folder is replaced; other files in it are kept. The same result always
    gives the same bytes.
    """
    target = Path(folder).absolute()
    check_folder(target)
    with fresh_folder(target) as fresh:
        _write_files(result, fresh)
        older = _files_of(target)
        replace_folder(fresh, target, keep=lambda entry: entry.name not in older)


def read_result(folder: PathLike) -> Result:
    """Return the result in a folder that `write_result` wrote."""
    import polars as pl

    path = Path(folder)
    index = _read_index(path)
    tables: dict[str, pl.DataFrame] = {}
    for name, entry in index["tables"].items():
        file = path / str(entry["file"])
        if file.parent != path:
            raise InputError(f"table {name!r} is outside the folder", where=str(path / INDEX))
        try:
            tables[name] = pl.read_parquet(file.read_bytes())
        except (OSError, pl.exceptions.PolarsError) as error:
            raise InputError(
                f"the table cannot be read ({str(error).splitlines()[0]})",
                where=str(file),
                fix="make the result again",
            ) from None
    return Result(index["kind"], tables, index["provenance"])


def check_folder(target: Path) -> None:
    """Raise if the folder exists and is neither empty nor an older result."""
    refuse_foreign(target, _read_index, "it exists and is not a result of misword")


def refuse_older(folder: PathLike) -> None:
    """Raise if a folder has a result already, or other files."""
    target = Path(folder).absolute()
    check_folder(target)
    if (target / INDEX).exists():
        raise OptionError(
            "it has a result already",
            where=str(folder),
            fix="name another folder, or replace the result with --force",
        )


def _write_files(result: Result, folder: Path) -> None:
    """Write the Parquet file of each table, and `result.json` with the small tables inside."""
    tables = {}
    for name, frame in result.tables.items():
        if not TABLE_NAME.fullmatch(name):
            raise OptionError(f"{name!r} cannot be a table's name", fix="use letters and digits")
        file = f"{name}.parquet"
        frame.write_parquet(folder / file)
        tables[name] = {"file": file, "rows": frame.height, "columns": frame.columns}
        if frame.height <= INLINE_ROWS:
            tables[name]["data"] = frame.to_dicts()
    index = {
        "format": MARK,
        "version": VERSION,
        "kind": result.kind,
        "provenance": result.provenance,
        "order": list(tables),
        "tables": tables,
    }
    text = json.dumps(
        _finite(index),
        ensure_ascii=False,
        sort_keys=True,
        indent=1,
        allow_nan=False,
        default=_to_json,
    )
    (folder / INDEX).write_text(text + "\n", encoding="utf-8", newline="")


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


def _files_of(folder: Path) -> set[str]:
    """Return the names of the files of the result in a folder; none if it has no result."""
    if not (folder / INDEX).exists():
        return set()
    return {INDEX, *(str(entry["file"]) for entry in _read_index(folder)["tables"].values())}


def _read_index(folder: Path) -> dict[str, Any]:

    def wrong() -> InputError:
        return InputError(
            "this is not a result of misword",
            where=str(folder),
            fix="name the folder that a command wrote with --out",
        )

    index = read_index(folder / INDEX, MARK, VERSION, wrong)
    try:
        tables = {name: {"file": index["tables"][name]["file"]} for name in index["order"]}
        return {"kind": index["kind"], "provenance": index["provenance"], "tables": tables}
    except (KeyError, TypeError):
        raise wrong() from None
