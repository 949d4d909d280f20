"""A Ray cluster of two nodes on this machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

STORE = 100 << 20  # bytes
ROOT = Path(__file__).parents[2]


@pytest.fixture
def nodes(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Two nodes with one core each, which read the sources of this tree."""
    pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    paths = os.pathsep.join(str(ROOT / name) for name in ("tests", "src"))
    monkeypatch.setenv("PYTHONPATH", paths)
    head = {"num_cpus": 1, "object_store_memory": STORE, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    cluster.add_node(num_cpus=1, object_store_memory=STORE)
    yield cluster
    cluster.shutdown()  # type: ignore[no-untyped-call]


@pytest.fixture
def cluster(nodes: Any) -> Iterator[Any]:
    """The two nodes; this process is connected to the first."""
    ray: Any = pytest.importorskip("ray")
    ray.init(address=nodes.address, log_to_driver=False, logging_level="ERROR")
    yield nodes
    ray.shutdown()
