"""JSON Schemas of results: of what commands print with `--format json`, and of result folders.

A schema is made of what a result declares already: the tables and facts of its description, the
types of the provenance in `io.results`, and `columns.json`, which has the columns of each table.
There `name?` is a column, table or fact that may be missing, `number|null` a value that may be
null, and `further` says which columns a table can have beside these, such as those of `--by`.

`VERSION` is a part of the address of each schema. Its second number rises when something is added,
the first when something is removed, is renamed or gets another type or meaning.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from misword.io.files.checksums import KEY
from misword.io.files.strict_json import json_schema
from misword.io.results import PROVENANCE, RESULT, TABLE
from misword.stat.descriptions import describe

VERSION = "1.0"
DIALECT = "https://json-schema.org/draft/2020-12/schema"
PLACE = "https://misword.readthedocs.io/schemas"
COLUMNS = Path(__file__).with_name("columns.json")

Schema = dict[str, Any]


def schema_address(name: str) -> str:
    """Return the address of a schema, which has its version.

    >>> schema_address("score")
    'https://misword.readthedocs.io/schemas/1.0/score.json'
    """
    return f"{PLACE}/{VERSION}/{name}.json"


def named_schema(name: str, title: str, about: str, body: Mapping[str, Any]) -> Schema:
    """Return a schema with its dialect, its address, a title and a description."""
    head = {"$schema": DIALECT, "$id": schema_address(name), "title": title, "description": about}
    return {**head, **body}


@cache
def declared_columns() -> dict[str, Any]:
    """Return the facts and the tables of each kind of result, as `columns.json` has them."""
    found: dict[str, Any] = json.loads(COLUMNS.read_text("utf-8"))
    return found


def output_schema(kind: str, further: Mapping[str, Any] | None = None) -> Schema:
    """Return the schema of the JSON output of a kind of result.

    `further` are facts that a command adds: their schemas by name. A name that ends with a question
    mark is a fact that may be missing.
    """
    description, declared = describe(kind), declared_columns()[kind]
    facts = {name: _fact(name, typed) for name, typed in declared.get("facts", {}).items()}
    names = {_plain(name): name for name in declared["tables"]}
    tables = {}
    for key, name in description.data.items():
        if name in names:
            always = names[name] == name and name not in description.details
            rows = row_schema(kind, name, without=description.repeated)
            tables[key if always else f"{key}?"] = {"type": "array", "items": rows}
    return object_schema({**facts, **(further or {}), **tables})


def folder_schema(kind: str) -> Schema:
    """Return the schema of `result.json`; `$defs` has the rows of each Parquet file."""
    tables = {_plain(name): _optional(name) for name in declared_columns()[kind]["tables"]}
    entry = json_schema(TABLE)
    shown = {}
    for name in tables:
        data = {"type": "array", "items": {"$ref": f"#/$defs/{name}"}}
        shown[name] = {**entry, "properties": {**entry["properties"], "data": data}}
    body = json_schema(RESULT)
    needed = [name for name, optional in tables.items() if not optional]
    listed = {"type": "object", "required": needed, "properties": shown}
    properties = {
        **body["properties"],
        "kind": {"const": kind},
        "format": {"type": "string"},
        "version": {"type": "integer"},
        KEY: {"type": "string"},
        # Facts of each kind, beside those that all results share.
        "provenance": {**json_schema(PROVENANCE), "additionalProperties": {}},
        "tables": listed,
    }
    rows = {name: row_schema(kind, name) for name in tables}
    return {**body, "properties": properties, "$defs": rows}


def row_schema(kind: str, table: str, *, without: tuple[str, ...] | Any = ()) -> Schema:
    """Return the schema of the rows of a table of a result."""
    tables = declared_columns()[kind]["tables"]
    declared = tables[table] if table in tables else tables[f"{table}?"]
    columns = {
        name: type_schema(typed)
        for name, typed in declared["columns"].items()
        if _plain(name) not in without
    }
    further = declared.get("further")
    return object_schema(columns, further=further)


def object_schema(properties: Mapping[str, Any], *, further: str | None = None) -> Schema:
    """Return the schema of objects; a name with a question mark is a key that may be missing.

    >>> object_schema({"a": {}, "b?": {}})
    {'type': 'object', 'required': ['a'], 'properties': {'a': {}, 'b': {}}}
    """
    found: Schema = {
        "type": "object",
        "required": [name for name in properties if not _optional(name)],
        "properties": {_plain(name): schema for name, schema in properties.items()},
    }
    return found | ({} if further is None else {"additionalProperties": {"description": further}})


def type_schema(typed: str) -> Schema:
    """Return the schema of a type as `columns.json` has it.

    >>> type_schema("list of string|null")
    {'anyOf': [{'type': 'array', 'items': {'type': 'string'}}, {'type': 'null'}]}
    >>> type_schema("integer|null")
    {'type': ['integer', 'null']}
    """
    if typed == "any":
        return {}
    kinds = typed.split("|")
    if not typed.count("list of"):
        return {"type": kinds if len(kinds) > 1 else typed}
    parts = [
        {"type": "array", "items": type_schema(kind.removeprefix("list of "))}
        if kind.startswith("list of ")
        else {"type": kind}
        for kind in kinds
    ]
    return {"anyOf": parts} if len(parts) > 1 else parts[0]


def _fact(name: str, typed: str) -> Schema:
    """Return the schema of a fact: that of the provenance, or the declared type."""
    known = PROVENANCE.more.get(_plain(name))
    return type_schema(typed) if known is None else json_schema(known)


def _plain(name: str) -> str:
    return name.removesuffix("?")


def _optional(name: str) -> bool:
    return name.endswith("?")
