"""JSON of unknown origin: strict parsing, and checks of the content before it is used.

Python's decoder keeps the last of several equal keys and drops the others without a word, and ends
with a `RecursionError` in deeply nested values; `parse_json` raises a `JsonError` for both.

Types, ranges and lengths are declared as a schema. A check is a function of a value and of its
place (`tables.summary.rows`); it raises a `SchemaError` if the value is not as declared. Checks of
containers are made of checks of their values:

>>> person = record({"name": text(), "age": integer(0, 150)}, {"email": text()})
>>> person({"name": "Ada", "age": 36}, "person")
>>> person({"name": "Ada", "age": True}, "person")
Traceback (most recent call last):
...
misword.io.files.strict_json.SchemaError: person.age is not a whole number
"""

from __future__ import annotations

import gc
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

LARGE = 1 << 18  # bytes of a text with many objects
TOO_DEEP = "this JSON is nested too deeply"
# What to do about a file that is one JSON value and cannot be parsed.
CHECK_WHOLE = "check that the file is whole: it may have been cut off when it was written or copied"


class JsonError(ValueError):
    """A text that is not JSON, or not JSON that is read here; the message says why."""


def parse_json(text: str | bytes) -> Any:
    """Return the value of a JSON text; raise a `JsonError` if it is not JSON.

    >>> parse_json('{"a": [1, 2]}')
    {'a': [1, 2]}
    >>> parse_json('{"a": 1, "a": 2}')
    Traceback (most recent call last):
    ...
    misword.io.files.strict_json.JsonError: duplicate key 'a' in one object
    """
    try:
        with without_collection(len(text)):
            return _DECODER.decode(text if isinstance(text, str) else text.decode())
    except JsonError:
        raise
    except RecursionError:
        raise JsonError(TOO_DEEP) from None
    except ValueError as error:
        raise JsonError(f"this is not JSON ({error})") from None


@contextmanager
def without_collection(size: int) -> Iterator[None]:
    """Pause the search for unused objects in cycles while a large JSON text is parsed or read.

    Parsed texts have no cycles, and the search takes half of the time: it looks at all objects made
    so far again and again. Afterwards the objects count as old ones, which are looked at rarely.
    """
    if size < LARGE or not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        if not gc.get_freeze_count():
            gc.freeze()
            gc.unfreeze()
        gc.enable()


def is_encodable(text: str) -> bool:
    r"""Return whether UTF-8 can store a text; JSON can have half of a surrogate pair, `\ud800`."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the keys and values of an object; raise if there is a duplicate key."""
    found = dict(pairs)
    if len(found) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        duplicate = next(key for key, count in counts.items() if count > 1)
        raise JsonError(f"duplicate key {duplicate!r} in one object")
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_distinct)


# Schemas.

Check = Callable[[Any, str], None]

LARGEST = 1 << 53  # whole numbers up to here are the same in every JSON library
SHOWN = 40  # characters of a key that are shown in an error


class SchemaError(ValueError):
    """A value that is not as the schema declares."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A check, and what it accepts as a JSON Schema, for programs in other languages."""

    check: Check
    schema: Mapping[str, Any]

    def __call__(self, value: Any, place: str) -> None:
        """Check a value."""
        self.check(value, place)


def json_schema(check: Check) -> dict[str, Any]:
    """Return what a check accepts as a JSON Schema; that of a function alone accepts everything.

    >>> json_schema(optional(list_of(integer(0, 9))))["anyOf"][0]
    {'type': 'array', 'items': {'type': 'integer', 'minimum': 0, 'maximum': 9}}
    """
    return dict(check.schema) if isinstance(check, Rule | Record) else {}


def anything(value: Any, place: str) -> None:
    """Accept every value."""


def text(pattern: str = "", longest: int = 1 << 20) -> Check:
    """Accept texts of at most `longest` characters that match a pattern as a whole."""

    def check(value: Any, place: str) -> None:
        _require(isinstance(value, str), place, "not a text")
        _require(len(value) <= longest, place, "too long")
        _require(not pattern or bool(re.fullmatch(pattern, value)), place, "not in its form")

    return Rule(check, {"type": "string"} | ({"pattern": f"^(?:{pattern})$"} if pattern else {}))


def integer(least: int = -LARGEST, most: int = LARGEST) -> Check:
    """Accept whole numbers from `least` to `most`; true and false are none."""

    def check(value: Any, place: str) -> None:
        _require(type(value) is int, place, "not a whole number")
        _require(least <= value <= most, place, "out of range")

    return Rule(check, {"type": "integer", **_range(least, most)})


def number(least: float = -math.inf, most: float = math.inf) -> Check:
    """Accept finite numbers from `least` to `most`."""

    def check(value: Any, place: str) -> None:
        _require(type(value) in (int, float), place, "not a number")
        _require(abs(value) <= LARGEST or type(value) is float, place, "out of range")
        _require(math.isfinite(value) and least <= value <= most, place, "out of range")

    return Rule(check, {"type": "number", **_range(least, most)})


def _range(least: float, most: float) -> dict[str, float]:
    """Return the ends of a range that are not those of all numbers."""
    ends = {"minimum": least, "maximum": most}
    return {name: end for name, end in ends.items() if abs(end) < LARGEST}


def _check_boolean(value: Any, place: str) -> None:
    _require(type(value) is bool, place, "not true or false")


boolean = Rule(_check_boolean, {"type": "boolean"})  # true and false


def optional(inner: Check) -> Check:
    """Accept null, and what another check accepts."""

    def check(value: Any, place: str) -> None:
        if value is not None:
            inner(value, place)

    return Rule(check, {"anyOf": [json_schema(inner), {"type": "null"}]})


def any_of(*choices: Check) -> Check:
    """Accept what one of several checks accepts."""

    def check(value: Any, place: str) -> None:
        for choice in choices[:-1]:
            try:
                return choice(value, place)
            except SchemaError:
                continue
        return choices[-1](value, place)

    return Rule(check, {"anyOf": list(map(json_schema, choices))})


def list_of(inner: Check, length: int | None = None) -> Check:
    """Accept lists, of one length if it is given, whose values another check accepts."""

    def check(value: Any, place: str) -> None:
        _require(isinstance(value, list), place, "not a list")
        _require(length is None or len(value) == length, place, f"not a list of {length}")
        for at, item in enumerate(value):
            inner(item, f"{place}[{at}]")

    size = {} if length is None else {"minItems": length, "maxItems": length}
    return Rule(check, {"type": "array", "items": json_schema(inner), **size})


def mapping_of(inner: Check, key: Check = anything) -> Check:
    """Accept objects with any keys whose values another check accepts."""

    def check(value: Any, place: str) -> None:
        _require(isinstance(value, dict), place, "not an object")
        for name, item in value.items():
            key(name, f"a key of {place}")
            inner(item, _below(place, name))

    return Rule(check, {"type": "object", "additionalProperties": json_schema(inner)})


@dataclass(frozen=True, slots=True)
class Record:
    """Accepts objects with the needed keys; `more` are keys that may be there, others are free."""

    needed: Mapping[str, Check]
    more: Mapping[str, Check]

    @property
    def names(self) -> frozenset[str]:
        """All keys that are declared."""
        return frozenset({*self.needed, *self.more})

    @property
    def schema(self) -> dict[str, Any]:
        """What the record accepts as a JSON Schema."""
        known = {**self.needed, **self.more}
        return {
            "type": "object",
            "required": list(self.needed),
            "properties": {name: json_schema(check) for name, check in known.items()},
        }

    def __call__(self, value: Any, place: str) -> None:
        """Check an object."""
        _require(isinstance(value, dict), place, "not an object")
        for name in self.needed:
            _require(name in value, _below(place, name), "missing")
        for name, inner in (*self.needed.items(), *self.more.items()):
            if name in value:
                inner(value[name], _below(place, name))


def record(needed: Mapping[str, Check], more: Mapping[str, Check] | None = None) -> Record:
    """Accept objects with the needed keys; `more` are keys that may be there, others are free."""
    return Record(needed, more or {})


def _below(place: str, name: str) -> str:
    short = name if len(name) <= SHOWN else f"{name[:SHOWN]}..."
    return f"{place}.{short}" if place else short


def _require(condition: bool, place: str, what: str) -> None:
    if not condition:
        raise SchemaError(f"{place or 'the content'} is {what}")
