"""JSON with duplicate keys, deep nesting and other faults, alone and in each format with JSON."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from misword.core.errors import InputError
from misword.io.files.limits import limited
from misword.io.files.sources import open_source
from misword.io.files.strict_json import JsonError, parse_json
from misword.io.lexicons import read_lexicon
from misword.io.transcripts.columns import Columns
from misword.io.transcripts.formats import jsonl
from misword.io.transcripts.formats.nlp import entity_types
from misword.io.transcripts.metadata import read_metadata
from misword.io.transcripts.read import read_transcript
from misword.io.transcripts.rewriting import rewritable

DEEP = "[" * 100_000
FAULTS = [
    ('{"text": "a", "text": "b"}', "duplicate key 'text'"),
    ('{"text": "a", "more": {"x": 1, "x": 1}}', "duplicate key 'x'"),
    (f'{{"text": "a", "more": {DEEP}', "nested too deeply"),
    (f'{{"text": "a", "more": {"[" * 100_000}{"]" * 100_000}}}', "nested too deeply"),
    (f'{{"text": "a", "more": {"9" * 5000}}}', "not JSON"),
    ('{"text": "a", "more": \'x\'}', "not JSON"),
]


@pytest.mark.parametrize(("text", "message"), FAULTS)
def test_faults_are_errors(text: str, message: str) -> None:
    with pytest.raises(JsonError, match=message):
        parse_json(text)


def test_json_is_read() -> None:
    text = '{"a": [1, {"b": null}], "c": {"b": "x"}, "d": 1.5}'
    assert parse_json(text) == {"a": [1, {"b": None}], "c": {"b": "x"}, "d": 1.5}


@pytest.mark.parametrize(("text", "message"), FAULTS)
def test_the_line_of_a_fault_is_named(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    path.write_text(f'{{"text": "fine"}}\n{text}\n')
    for read in (
        lambda: read_transcript(path, role="reference"),
        lambda: read_metadata(path),
        lambda: read_lexicon(path),
    ):
        with pytest.raises(InputError, match=message) as caught:
            read()
        assert caught.value.where == f"{path}:2"


@pytest.mark.parametrize(("text", "message"), FAULTS[:4])
def test_a_file_without_a_name_is_not_read_as_plain_lines(
    text: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "file"
    path.write_text(f"{text}\n")
    with pytest.raises(InputError, match=message):
        read_transcript(path, role="reference")


@pytest.mark.parametrize(("text", "message"), FAULTS)
def test_sidecars(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "call.json"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        entity_types(open_source(path))


@pytest.mark.parametrize("depth", [300, 600, 900, 940, 960, 980, 990])
def test_nesting_near_the_limit_is_read_or_refused(depth: int, tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    path.write_text(f'{{"text": "a b", "more": {"[" * depth}{"]" * depth}}}\n')
    with suppress(InputError):
        transcript = read_transcript(path, role="reference")
        assert transcript.frame["more"].to_list() == ["[" * depth + "]" * depth]
        with rewritable(path, None, Columns()) as file, (tmp_path / "new").open("wb") as new:
            writer = file.writer(new)
            writer.write(b"c")
            writer.finish()


def test_a_very_long_line_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    path.write_text('{"text": "fine"}\n{"text": "' + "a" * 10_000 + '"}\n')
    with limited(100_000), pytest.raises(InputError, match="the line has more than") as caught:
        read_transcript(path, role="reference")
    assert caught.value.where == f"{path}:2"
    assert read_transcript(path, role="reference").frame.height == 2


def test_a_large_empty_table_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl, "SPARSE_CELLS", 10_000)
    path = tmp_path / "file.jsonl"
    path.write_text("".join(f'{{"text": "a", "key{n}": 1}}\n' for n in range(300)))
    with pytest.raises(InputError, match="301 different keys in 300 objects"):
        read_transcript(path, role="reference")


def test_nested_values_are_text(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    path.write_text('{"text": "a", "words": [{"w": "é", "a": 1}]}\n{"text": "b", "words": "no"}\n')
    frame = read_transcript(path, role="reference").frame
    assert frame["words"].to_list() == ['[{"a": 1, "w": "é"}]', "no"]
    path.write_text('{"text": ["a"]}\n')
    with pytest.raises(InputError, match="is not text"):
        read_transcript(path, role="reference")
