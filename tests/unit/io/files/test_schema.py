"""Schemas of JSON content."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from misword.io.files.strict_json import (
    Check,
    SchemaError,
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

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)
PERSON = record({"name": text(r"\w+"), "age": integer(0, 150)}, {"scores": list_of(number())})


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        (text(), ["", "a"], [None, 1, ["a"]]),
        (text(r"\d+"), ["12"], ["", "1a", "1\n"]),
        (text(longest=2), ["ab"], ["abc"]),
        (integer(), [0, -5], [True, 1.0, "1", None, 1 << 60]),
        (integer(1, 3), [1, 3], [0, 4]),
        (number(), [0, 1.5, -2], [True, math.nan, math.inf, 1 << 70, "1"]),
        (number(0, 1), [0, 1, 0.5], [-0.1, 1.1]),
        (boolean, [True, False], [0, 1, None]),
        (optional(boolean), [None, True], [0]),
        (any_of(boolean, text()), [True, "a"], [1, None]),
        (list_of(boolean), [[], [True]], [True, [1], {}, "ab"]),
        (list_of(integer(), 2), [[1, 2]], [[1], [1, 2, 3]]),
        (mapping_of(integer()), [{}, {"a": 1}], [[], {"a": "b"}]),
        (mapping_of(integer(), text("a+")), [{"aa": 1}], [{"b": 1}]),
        (PERSON, [{"name": "Ada", "age": 36, "more": None}], [{"name": "Ada"}, {"age": 1}, []]),
        (PERSON, [{"name": "A", "age": 3, "scores": []}], [{"name": "A", "age": 3, "scores": 1}]),
        (anything, [None, [[]]], []),
    ],
)
def test_checks(check: Check, good: list[Any], bad: list[Any]) -> None:
    for value in good:
        check(value, "it")
    for value in bad:
        with pytest.raises(SchemaError):
            check(value, "it")


def test_the_place_is_named() -> None:
    schema = mapping_of(list_of(PERSON))
    with pytest.raises(SchemaError, match=r"^team\[1\]\.age is out of range$"):
        schema({"team": [{"name": "A", "age": 1}, {"name": "B", "age": 200}]}, "")
    with pytest.raises(SchemaError, match=r"^the content is not an object$"):
        schema([], "")
    with pytest.raises(SchemaError) as caught:
        schema({"k" * 100_000: 1}, "")
    assert len(str(caught.value)) < 100


@given(json_values)
def test_any_value_is_accepted_or_refused(value: Any) -> None:
    for check in (PERSON, mapping_of(any_of(number(), list_of(text()))), optional(boolean)):
        try:
            check(value, "")
        except SchemaError:
            continue
