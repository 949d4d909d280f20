"""Damaged copies of files: other values in JSON, flipped bits, lost ends."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

# Values of every type of JSON, and those that often break code.
WRONG: tuple[Any, ...] = (
    None, True, -1, 1 << 70, 1e308, "x", "../x", [], {}, [[]], [None], {"a": None},
)  # fmt: skip
LEFT_OUT = object()


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the place of every value inside a JSON value; of long lists, the first two."""
    if at:
        yield at
    if isinstance(value, dict):
        inner = list(value.items())
    else:
        inner = list(enumerate(value))[:2] if isinstance(value, list) else []
    for key, item in inner:
        yield from places(item, (*at, key))


def changed(content: dict[str, Any], at: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """Return content with another value at a place; `LEFT_OUT` removes the value."""
    new = copy.deepcopy(content)
    holder: Any = new
    for key in at[:-1]:
        holder = holder[key]
    if value is LEFT_OUT:
        del holder[at[-1]]
    else:
        holder[at[-1]] = value
    return new


def json_mutants(content: dict[str, Any], kept: tuple[str, ...] = ()) -> Iterator[dict[str, Any]]:
    """Yield content with every value, except those below the keys `kept`, replaced and left out."""
    for at in places(content):
        if at[0] not in kept:
            yield from (changed(content, at, value) for value in (*WRONG, LEFT_OUT))


def byte_mutants(data: bytes, step: int = 1) -> Iterator[bytes]:
    """Yield data with single flipped bits, and data that ends early, at every `step`-th byte."""
    for at in range(0, len(data), step):
        flipped = bytearray(data)
        flipped[at] ^= 1 << at % 8
        yield bytes(flipped)
        yield data[:at]


def without_checksums(content: Any) -> Any:
    """Return the content of a JSON file as versions without checksums wrote it."""
    if isinstance(content, dict):
        names = ("checksum", "checksums")
        return {key: without_checksums(v) for key, v in content.items() if key not in names}
    return content


def load(text: str | bytes) -> dict[str, Any]:
    """Return the content of a JSON file."""
    content: dict[str, Any] = json.loads(text)
    return content
