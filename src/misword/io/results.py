"""Results on disk: a folder with `result.json` and a Parquet file for each table."""

from __future__ import annotations

import json
import math
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from misword.core.errors import InputError, OptionError
from misword.core.types import Result
from misword.io.files.folders import fresh_folder, read_index, sibling
from misword.io.files.sources import PathLike

if TYPE_CHECKING:
    import polars as pl

INDEX = "result.json"
MARK = "misword-result"
VERSION = 1
INLINE_ROWS = 2000
TABLE_NAME = re.compile(r"\w[\w.-]*")


def write_result(result: Result, folder: PathLike) -> None:
    """Write a result to a folder, completely or not at all.

    An older result in the folder is replaced; other files in it are kept. The same result always
    gives the same bytes.
    """
    target = Path(folder).absolute()
    refuse_foreign(target)
    with fresh_folder(target) as fresh:
        _fill(result, fresh)
        _swap(fresh, target)


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


def refuse_foreign(target: Path) -> None:
    """Raise if the folder exists and is neither empty nor an older result."""
    if not target.exists() or (target.is_dir() and not any(target.iterdir())):
        return
    try:
        _read_index(target)
    except InputError:
        raise OptionError(
            "it exists and is not a result of misword",
            where=str(target),
            fix="choose another folder, or remove this one yourself",
        ) from None


def _fill(result: Result, folder: Path) -> None:
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


def _swap(fresh: Path, target: Path) -> None:
    """Move the new folder to its path; an older one is moved aside, and back on failure."""
    if not target.exists():
        fresh.rename(target)
        return
    aside = sibling(target, "old")
    files = _files_of(target)
    target.rename(aside)
    try:
        fresh.rename(target)
    except OSError:
        aside.rename(target)
        raise
    for entry in aside.iterdir():
        if entry.name not in files and not (target / entry.name).exists():
            entry.rename(target / entry.name)
    shutil.rmtree(aside, ignore_errors=True)


def _files_of(folder: Path) -> set[str]:
    """Return the names of the files of a result."""
    if not (folder / INDEX).exists():
        return set()
    return {INDEX, *(str(entry["file"]) for entry in _read_index(folder)["tables"].values())}


def _read_index(folder: Path) -> dict[str, Any]:
    wrong = InputError(
        "this is not a result of misword",
        where=str(folder),
        fix="name the folder that a command wrote with --out",
    )
    index = read_index(folder / INDEX, MARK, VERSION, wrong)
    try:
        tables = {name: {"file": index["tables"][name]["file"]} for name in index["order"]}
        return {"kind": index["kind"], "provenance": index["provenance"], "tables": tables}
    except (KeyError, TypeError):
        raise wrong from None
