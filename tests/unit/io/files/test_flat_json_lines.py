"""JSON lines of flat objects: read as Python's decoder reads them, or left to it."""

from __future__ import annotations

import json
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from misword.core.errors import InputError
from misword.io.files.sources import Source, TextLines
from misword.io.transcripts.formats import jsonl
from misword.io.transcripts.formats.jsonl import SAMPLE, JsonLines, read_flat_lines

TYPES = {
    "text": st.text(st.characters(exclude_categories=["Cs"])),
    "whole": st.integers(-(10**17), 10**17),
    "number": st.floats(allow_nan=False, allow_infinity=False),
    "truth": st.booleans(),
}


def flat(text: str) -> pl.DataFrame | None:
    return read_flat_lines(TextLines(text.encode()), 1 << 20)


def in_python(text: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What the line-by-line reader returns: the table, or its error."""
    with monkeypatch.context() as patch:
        patch.setattr(jsonl, "read_flat_lines", lambda *_: None)
        return in_any_way(text)


def in_any_way(text: str) -> Any:
    try:
        table = JsonLines().table(Source("a.jsonl", "a.jsonl", text.encode()))
    except InputError as error:
        return str(error)
    return table.frame.to_dict(as_series=False), table.frame.schema, table.lines, table.not_text


@given(
    st.lists(st.fixed_dictionaries({k: st.none() | v for k, v in TYPES.items()}), min_size=1),
    st.booleans(),
    st.sampled_from([(", ", ": "), (",", ":"), (" ,\t", " : ")]),
)
def test_the_same_as_by_python(
    records: list[dict[str, Any]], ascii_only: bool, separators: tuple[str, str]
) -> None:
    text = "\n".join(
        json.dumps(record, ensure_ascii=ascii_only, separators=separators) for record in records
    )
    with pytest.MonkeyPatch.context() as patch:
        expected = in_python(text, patch)
    assert repr(in_any_way(text)) == repr(expected)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False, width=64), min_size=1))
def test_numbers_to_the_last_bit(values: list[float]) -> None:
    frame = flat("\n".join(f'{{"n": {value!r}}}' for value in values))
    if frame is not None:
        assert frame["n"].to_list() == values


@pytest.mark.parametrize(
    "line",
    [
        '{"id": "b", "n": 2, "id": "b"}',  # a key twice
        '{"n": 2, "id": "b"}',  # another order
        '{"id": "b"}',  # a key less
        '{"id": "b", "n": 2, "more": 1}',
        '{"id": "b", "n": "2"}',  # another type
        '{"id": "b", "n": true}',
        '{"id": 7, "n": 2}',
        '{"id": "b", "n": 9223372036854775808}',
        '{"id": "b", "n": 02}',
        '{"id": "b", "n": [2]}',
        '{"id": {"a": 1}, "n": 2}',
        '{"id": "\\ud800", "n": 2}',  # half a surrogate pair
        '{"id": "\\udc00\\ud800", "n": 2}',
        '{"id": "\\x", "n": 2}',
        '{"id": "a\tb", "n": 2}',  # a control character
        '{"\\u0069d": "b", "n": 2}',
        '{"id": "b", "n": 2},',
        '{"id": "b", "n": 2} {"id": "b", "n": 2}',
        '{"id": "b", "n": 2',
        '["b", 2]',
        "",
        "\u00a0",
    ],
)
@pytest.mark.parametrize("after", [1, SAMPLE + 1])
def test_other_lines_are_left_to_python(
    line: str, after: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = '{"id": "a", "n": 1}\n'
    text = f"{good * after}{line}\n{good}"
    assert flat(text) is None
    assert repr(in_any_way(text)) == repr(in_python(text, monkeypatch))


def test_escapes_and_space_around_values() -> None:
    lines = (
        ' { "id" : "a\\"b\\\\\\n\\u00e9" , "n" : null } ',
        '{"id":"\\ud83d\\ude00","n":-0}\r',
        '{"id":null,"n":12}',
    )
    frame = flat("\n".join(lines))
    assert frame is not None
    assert frame.rows() == [('a"b\\\né', None), ("😀", 0), (None, 12)]


def test_types_come_from_the_first_lines() -> None:
    frame = flat('{"a": null, "b": 1, "c": null}\n{"a": true, "b": 0.5, "c": null}\n')
    assert frame is not None
    assert frame.schema == {"a": pl.Boolean, "b": pl.Float64, "c": pl.String}
    integers = '{"b": 1}\n' * SAMPLE
    assert flat(integers + '{"b": 1.5}\n') is None


def test_keys_with_signs_of_patterns() -> None:
    frame = flat('{"a.*": "x", "é^$": 1, "": 2}\n')
    assert frame is not None
    assert frame.columns == ["a.*", "é^$", ""]
    assert flat('{"a.*": "x"}\n{"abc": "x"}\n') is None


def test_long_lines_are_left_to_python() -> None:
    text = '{"a": "' + "x" * 200 + '"}\n'
    assert read_flat_lines(TextLines(text.encode()), 100) is None
    many = b'{"a": "x"}\n' * 50
    frame = read_flat_lines(TextLines(many), 100)
    assert frame is not None
    assert frame.height == 50
