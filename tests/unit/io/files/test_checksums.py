"""Checksums of JSON files and folders, and the record of what was verified."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from misword.core.errors import InputError
from misword.io.files import checksums
from misword.io.files.checksums import (
    KEY,
    VerificationRecord,
    check_files,
    check_json,
    file_checksum,
    json_checksum,
)

values = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
contents = st.dictionaries(st.text(), values | st.lists(values), max_size=5)


@given(contents)
def test_the_notation_does_not_matter(content: dict[str, object]) -> None:
    sealed = {**content, KEY: json_checksum(content)}
    backwards = dict(reversed(sealed.items()))
    for text in (json.dumps(sealed), json.dumps(backwards, indent=3, ensure_ascii=True)):
        check_json(json.loads(text), "file")


@given(contents, st.text(), values)
def test_another_value_is_noticed(content: dict[str, object], key: str, value: object) -> None:
    sealed = {**content, KEY: json_checksum(content)}
    changed = {**sealed, key: value}
    if json.dumps(changed, sort_keys=True) != json.dumps(sealed, sort_keys=True):
        with pytest.raises(InputError, match="its checksum does not fit"):
            check_json(changed, "file")


def test_content_without_a_checksum_is_not_judged() -> None:
    check_json({"a": 1}, "file")


def test_files(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"content")
    expected = {"a": file_checksum(file)}
    check_files(tmp_path, expected)
    file.write_bytes(b"Content")
    with pytest.raises(InputError, match="its checksum does not fit") as caught:
        check_files(tmp_path, expected)
    assert caught.value.where == str(file)
    file.unlink()
    with pytest.raises(InputError, match="cannot be read"):
        check_files(tmp_path, expected)


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MISWORD_CACHE", str(tmp_path / "cache"))
    (tmp_path / "a").write_bytes(b"content")
    return tmp_path / "a"


def verification(file: Path) -> VerificationRecord:
    found = VerificationRecord.of([file])
    assert found is not None
    return found


def test_a_change_undoes_the_record(file: Path) -> None:
    """Also if size and modification time stay the same."""
    assert not verification(file).is_known()
    verification(file).remember()
    assert verification(file).is_known()
    stat = file.stat()
    file.write_bytes(b"Content")
    os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert not verification(file).is_known()
    file.unlink()
    assert VerificationRecord.of([file]) is None


def test_old_records_are_removed(file: Path) -> None:
    first = verification(file)
    first.remember()
    long_ago = time.time() - 2 * checksums.KEPT
    os.utime(first.record, (long_ago, long_ago))
    file.write_bytes(b"more content")
    verification(file).remember()
    assert not first.record.exists()


def test_no_cache_folder_is_no_error(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MISWORD_CACHE", str(file / "below"))
    verification(file).remember()
    assert not verification(file).is_known()
