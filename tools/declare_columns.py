"""Declare the columns of results in src/misword/stat/descriptions/columns.json.

    python tools/declare_columns.py [TESTS ...]

Runs tests (by default the law of schemas) and records all results that misword makes in them. New
tables and columns are added as ones that may be missing, and types are widened; nothing is removed.
Look at the difference: a column whose name depends on the data is no column to declare, and its
table needs `further`, a sentence that says which columns there can be.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import misword.io.results as results
from misword.core.types import Result
from misword.stat.descriptions import DESCRIPTIONS
from misword.stat.descriptions.schemas import COLUMNS

SOURCE = str(Path(results.__file__).parents[1])
ORDER = ["string", "integer", "number", "boolean", "object", "any", "null"]


class Recorder:
    """A plugin of pytest that records the types of the columns of each table."""

    def __init__(self) -> None:
        self.tables: dict[tuple[str, str], dict[str, set[str]]] = {}

    def record(self, result: Result) -> None:
        """Add the tables of a result."""
        for name, frame in result.tables.items() if result.kind in DESCRIPTIONS else ():
            columns = self.tables.setdefault((result.kind, name), {})
            for column in frame.columns:
                columns.setdefault(column, set()).update(types_of(frame[column]))

    def pytest_configure(self) -> None:
        """Record what misword itself makes, and what is written: not results made by tests."""
        make, write = Result.__init__, results._write_files

        def made(result: Result, *values: Any, **named: Any) -> None:
            make(result, *values, **named)
            caller = sys._getframe(1).f_code.co_filename
            if caller.startswith(SOURCE) and caller != results.__file__:
                self.record(result)

        def written(result: Result, folder: Path) -> None:
            self.record(result)
            write(result, folder)

        setattr(Result, "__init__", made)  # noqa: B010
        setattr(results, "_write_files", written)  # noqa: B010


def types_of(column: pl.Series) -> set[str]:
    """Return the types of the values of a column, as in JSON."""

    def named(kind: pl.DataType) -> str:
        if isinstance(kind, pl.List):
            return f"list of {named(kind.inner)}"  # type: ignore[arg-type]
        if kind.is_numeric():
            return "number" if kind.is_float() else "integer"
        known = {pl.Boolean: "boolean", pl.Struct: "object", pl.Null: "null", pl.Object: "any"}
        return next((name for other, name in known.items() if kind == other), "string")

    missing = {"null"} if column.dtype.is_float() or column.null_count() else set()
    return {named(column.dtype), *missing}


def declare(declared: dict[str, Any], tables: dict[tuple[str, str], dict[str, set[str]]]) -> None:
    """Add what was recorded to what is declared."""
    for (kind, name), columns in tables.items():
        known = declared[kind]["tables"]
        entry = known.get(name) or known.setdefault(f"{name}?", {"columns": {}})
        for column, types in columns.items():
            at = column if column in entry["columns"] else f"{column}?"
            if at in entry["columns"] or "further" not in entry:
                entry["columns"][at] = widened(entry["columns"].get(at, ""), types)


def widened(typed: str, types: set[str]) -> str:
    """Return a type that has these types too.

    >>> widened("integer", {"number", "null"}), widened("", {"null"})
    ('number|null', 'any')
    """
    if typed == "any":
        return typed
    all_types = {*filter(None, typed.split("|")), *types}
    all_types -= {"integer"} if "number" in all_types else set()
    if all_types == {"null"}:
        return "any"
    return "|".join(sorted(all_types, key=lambda t: (ORDER.index(t) if t in ORDER else 0, t)))


def written(declared: dict[str, Any]) -> str:
    """Return the text of the file: a line for the columns of each table."""
    kinds = []
    for kind, entry in declared.items():
        tables = []
        for name, table in entry["tables"].items():
            parts = [f"    {json.dumps(key)}: {json.dumps(value)}" for key, value in table.items()]
            tables.append(f"   {json.dumps(name)}: {{\n" + ",\n".join(parts) + "\n   }")
        facts = [f'  "facts": {json.dumps(entry["facts"])}'] if "facts" in entry else []
        body = [*facts, '  "tables": {\n' + ",\n".join(tables) + "\n  }"]
        kinds.append(f" {json.dumps(kind)}: {{\n" + ",\n".join(body) + "\n }")
    return "{\n" + ",\n".join(kinds) + "\n}\n"


if __name__ == "__main__":
    recorder = Recorder()
    tests = sys.argv[1:] or ["tests/contract/test_schemas.py"]
    pytest.main(["-q", "--no-header", "--tb=no", *tests], plugins=[recorder])
    content = json.loads(COLUMNS.read_text("utf-8"))
    declare(content, recorder.tables)
    COLUMNS.write_text(written(content), "utf-8")
