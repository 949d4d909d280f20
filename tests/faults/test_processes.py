"""Processes that write the same folder again and again, while others read it or kill them."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from misword.core.types import Result
from misword.io.results import read_result

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")

WRITER = """
import os, sys
from itertools import count
import polars as pl
from misword.core.types import Result
from misword.io.results import write_result
os.fsync = lambda handle: None  # more replacements in the same time
for number in count():
    tables = {name: pl.DataFrame({"x": [number] * (number % 7 + 1)}) for name in ("a", "b")}
    write_result(Result("test", tables, {"number": number}), sys.argv[1])
"""


def start_writer(out: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", WRITER, str(out)])


def wait_for(out: Path) -> None:
    while not (out / "result.json").exists():
        time.sleep(0.01)


def assert_consistent(result: Result) -> int:
    number = int(result.provenance["number"])
    for table in result.tables.values():
        assert table["x"].to_list() == [number] * (number % 7 + 1)
    return number


def test_readers_do_not_fail(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with start_writer(out) as writer:
        try:
            wait_for(out)
            numbers = [assert_consistent(read_result(out)) for _ in range(400)]
        finally:
            writer.kill()
    assert len(set(numbers)) > 10
    assert numbers == sorted(numbers)


def test_a_killed_writer_leaves_a_whole_folder(tmp_path: Path) -> None:
    out = tmp_path / "out"
    draw = random.Random(5)
    last = -1
    for _ in range(6):
        with start_writer(out) as writer:
            try:
                wait_for(out)
                while last >= 0 and assert_consistent(read_result(out)) == last:
                    time.sleep(0.001)
                time.sleep(draw.random() / 50)
            finally:
                writer.kill()
        last = assert_consistent(read_result(out))
        (out / "notes").write_text("mine", encoding="utf-8")
    with start_writer(out) as writer:
        try:
            while assert_consistent(read_result(out)) == last:
                time.sleep(0.001)
        finally:
            writer.kill()
    assert (out / "notes").read_text(encoding="utf-8") == "mine"
    assert sum(name.startswith(".") for name in os.listdir(tmp_path)) <= 1


def test_two_writers(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with start_writer(out) as one, start_writer(out) as other:
        try:
            wait_for(out)
            for _ in range(100):
                assert_consistent(read_result(out))
            assert one.poll() is other.poll() is None
        finally:
            one.kill()
            other.kill()
