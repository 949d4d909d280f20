"""Records of finished shards: what was written is read, unless something changed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from misword.io.shards.records import ShardRecord


@pytest.fixture
def record(tmp_path: Path) -> ShardRecord:
    (tmp_path / "out").mkdir()
    (tmp_path / "a.parquet").write_text("outside")
    (tmp_path / "out" / "a.parquet").write_text("inside")
    return ShardRecord(str(tmp_path / "out" / "a.json"), str(tmp_path / "out"), "digest")


def test_a_record_is_read_as_it_was_written(record: ShardRecord) -> None:
    assert record.read() is None
    record.write(["a.parquet"], {"rows": 3})
    assert record.read() == (["a.parquet"], {"rows": 3})
    assert replace(record, digest="other").read() is None
    Path(record.folder, "a.parquet").unlink()
    assert record.read() is None


@pytest.mark.parametrize("name", ["../a.parquet", "x/../../a.parquet", "/etc/hostname"])
def test_files_outside_the_folder_are_not_read(record: ShardRecord, name: str) -> None:
    record.write([name], {})
    assert record.read() is None
