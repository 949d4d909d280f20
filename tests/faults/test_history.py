"""The history of a benchmark when its writers are killed, and when there are several."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

from misword.io.history import read_history

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")

WRITER = """
import sys
import misword
from misword.io.history import append, appending
texts = ["the cat sat"] * 50, {"a": ["a cat sat"] * 50}
path, times = sys.argv[1], int(sys.argv[2])
for number in range(times):
    rows = misword.bench({"one": texts, "two": texts}, "wer", bootstrap=0).rows
    with appending(path):
        append(path, rows)
    print(rows["run"][0], flush=True)
"""


def start(path: Path, times: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(path), str(times)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def runs(path: Path) -> dict[str, int]:
    """Return the number of rows of each run; a run is there whole or not at all."""
    counted = read_history(path).group_by("run").len()
    assert counted["len"].unique().to_list() in ([], [2])
    return dict(counted.iter_rows())


@pytest.mark.slow
def test_a_killed_writer_leaves_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    path, draw = tmp_path / "runs.parquet", random.Random(3)
    known: set[str] = set()
    for _ in range(5):
        with start(path, 1000) as writer:
            try:
                while not path.exists() or len(runs(path)) == len(known):
                    time.sleep(0.01)
                time.sleep(draw.random() / 10)
            finally:
                writer.kill()
            assert writer.stdout is not None
            said = set(writer.stdout.read().split())
        found = set(runs(path))
        assert known | said <= found
        assert len(found) <= len(known | said) + 1  # one was in place and not yet said
        known = found
    assert pl.read_parquet(path).height == 2 * len(known)


@pytest.mark.slow
def test_two_writers_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "runs.parquet"
    with start(path, 8) as one, start(path, 8) as other:
        said = [writer.communicate()[0].split() for writer in (one, other)]
    assert [len(own) for own in said] == [8, 8]
    assert set(runs(path)) == {*said[0], *said[1]}
