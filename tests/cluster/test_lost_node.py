"""A machine of a Ray cluster is lost while shards are in flight: `make test-cluster`."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from polars.testing import assert_frame_equal

import misword
from shards_made import SYSTEMS, corpus, write_shards

pytestmark = [pytest.mark.cluster, pytest.mark.slow]
PATIENCE = 100  # seconds


def kill_when_begun(node: Any, out: Path, killed: list[int]) -> None:
    """End the processes of a node by their ids, once the first shards are finished."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and len(list(out.glob("utterances/*.json"))) < 2:
        time.sleep(0.02)
    for processes in node.all_processes.values():
        for each in processes:
            os.kill(each.process.pid, signal.SIGKILL)
            killed.append(each.process.pid)


def test_the_run_ends_with_the_same_numbers(cluster: Any, tmp_path: Path) -> None:
    folder = write_shards(corpus(240_000), tmp_path / "run", 12)
    options: dict[str, Any] = {"by": "dialect", "bootstrap": 100}
    reading: dict[str, Any] = {"hypothesis_column": SYSTEMS}
    (node,) = (each for each in cluster.worker_nodes)
    killed: list[int] = []
    killer = Thread(target=kill_when_begun, args=(node, tmp_path / "out", killed))
    killer.start()
    found = misword.compare(
        misword.shards(folder, engine="ray", out=tmp_path / "out", **reading), **options
    )
    killer.join()
    assert killed
    expected = misword.compare(misword.shards(folder, engine="serial", **reading), **options)
    assert_frame_equal(found.differences, expected.differences, check_exact=True)
    assert_frame_equal(found.groups, expected.groups, check_exact=True)
    tables = [each.scores.summary(bootstrap=100) for each in (found, expected)]
    assert_frame_equal(*tables, check_exact=True)
    notes = found.scores.notes
    assert any("processed again, because a worker or its data was lost" in n for n in notes)
