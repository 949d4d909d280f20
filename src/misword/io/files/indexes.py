"""JSON files that describe data of misword: format, version, checksum, and a schema of the rest."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from misword.core.errors import InputError
from misword.io.files.checksums import KEY, check_json
from misword.io.files.schema import SHOWN, Record, SchemaError
from misword.io.files.strict_json import parse_json


def read_index(
    path: Path, mark: str, version: int, wrong: Callable[[], InputError], schema: Record
) -> dict[str, Any]:
    """Return the content of a JSON file, after all its checks.

    `wrong` makes the error for a file whose format is not `mark`, or which is not as `schema`
    declares.
    """
    try:
        index = parse_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise wrong() from None
    if not isinstance(index, dict) or index.get("format") != mark:
        raise wrong()
    check_version(index, version, str(path.parent))
    check_json(index, str(path))
    check_schema(index, schema, wrong())
    return index


def check_schema(content: dict[str, Any], schema: Record, wrong: InputError) -> None:
    """Raise the error `wrong`, with the place of the fault, if content is not as declared.

    Content without a checksum was written by an older version, so that all its keys are known: an
    unknown key may be the key of the checksum, damaged.
    """
    try:
        schema(content, "")
        unknown = content.keys() - schema.names - {"format", "version"}
        if KEY not in content and unknown:
            raise SchemaError(f"{min(unknown)[:SHOWN]!r} is an unknown key")
    except SchemaError as error:
        raise InputError(f"{wrong.what}: {error}", where=wrong.where, fix=wrong.fix) from None


def check_version(index: dict[str, Any], version: int, where: str) -> None:
    """Raise if a file of misword was written in another version of its format."""
    found = index.get("version")
    if type(found) is not int or found != version:
        shown = found if type(found) is int and abs(found) < 1 << 31 else "?"
        raise InputError(
            f"written as version {shown}, while this misword reads {version}",
            where=where,
            fix="use the misword that wrote it, or make it again",
        )
