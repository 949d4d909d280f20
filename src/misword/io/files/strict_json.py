"""JSON of unknown origin: doubled keys and very deep nesting are errors.

Python's decoder keeps the last of several equal keys and drops the others without a word, and ends
with a `RecursionError` in deeply nested values.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

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
    misword.io.files.strict_json.JsonError: the key 'a' is there twice in one object
    """
    try:
        return _DECODER.decode(text if isinstance(text, str) else text.decode())
    except JsonError:
        raise
    except RecursionError:
        raise JsonError(TOO_DEEP) from None
    except ValueError as error:
        raise JsonError(f"this is not JSON ({error})") from None


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the keys and values of an object; raise if a key is there twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        doubled = next(key for key, count in counts.items() if count > 1)
        raise JsonError(f"the key {doubled!r} is there twice in one object")
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_distinct)
