"""Commands on a Ray cluster that loses a machine, an agent or its driver: `make test-cluster`."""

from __future__ import annotations

import json
import os
import signal
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from killed_runs import (
    Command,
    Ended,
    Expected,
    KilledRun,
    contents,
    expected_outputs,
    hidden_files,
    make_commands,
)

pytestmark = [pytest.mark.cluster, pytest.mark.slow]
NAMES = ["score", "compare", "oracle", "corrupt"]
SHARDS = 12


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Command]:
    return make_commands(tmp_path_factory.mktemp("shards"), 48_000, SHARDS)


@pytest.fixture(scope="module")
def expected(commands: dict[str, Command], tmp_path_factory: pytest.TempPathFactory) -> Expected:
    return expected_outputs(commands, tmp_path_factory.mktemp("expected"))


def check(name: str, command: Command, ended: Ended, out: Path, expected: Expected) -> None:
    assert (ended.code, ended.hung, ended.left) == (0, False, []), ended.err
    printed, written = expected[name]
    assert json.loads(ended.out) == printed
    assert contents(out) == written
    assert command.finished(out) == SHARDS
    assert not hidden_files(out)


def agents(raylet: int) -> list[int]:
    """Return the agents of a machine: processes that its raylet has started, beside workers."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((path / "stat").read_text().rpartition(") ")[2].split()[1])
            line = (path / "cmdline").read_bytes()
        except OSError:
            continue
        if parent == raylet and b"agent" in line.lower():
            found.append(int(path.name))
    return found


def processes(node: Any, part: str) -> list[int]:
    """Return the processes of a part of a machine."""
    raylet = [each.process.pid for each in node.all_processes["raylet"]]
    if part == "agents":
        return agents(raylet[0])
    if part == "raylet":
        return raylet
    return [each.process.pid for group in node.all_processes.values() for each in group]


def has_finished(command: Command, out: Path, least: int) -> bool:
    return command.finished(out) >= least


@pytest.mark.parametrize(
    ("name", "part"),
    [*((name, "machine") for name in NAMES), ("score", "raylet"), ("score", "agents")],
)
def test_a_lost_machine(
    name: str,
    part: str,
    nodes: Any,
    commands: dict[str, Command],
    expected: Expected,
    tmp_path: Path,
) -> None:
    command, out = commands[name], tmp_path / "out"
    (node,) = nodes.worker_nodes
    run = KilledRun(command.line(out, f"ray:{nodes.address}", workers=4), tmp_path / "tmp")
    assert run.until(partial(has_finished, command, out, 2))
    lost = processes(node, part)
    assert lost
    for process in lost:
        os.kill(process, signal.SIGKILL)
    check(name, command, run.end(), out, expected)


@pytest.mark.parametrize("name", NAMES)
def test_a_lost_driver(
    name: str,
    nodes: Any,
    commands: dict[str, Command],
    expected: Expected,
    tmp_path: Path,
) -> None:
    """A driver is terminated, one is killed, and the same command then finishes the work."""
    command, out = commands[name], tmp_path / "out"
    line = command.line(out, f"ray:{nodes.address}", workers=2)
    codes = {signal.SIGTERM: 143, signal.SIGKILL: -signal.SIGKILL}
    for number, (sign, code) in enumerate(codes.items(), 1):
        run = KilledRun(line, tmp_path / "tmp")
        assert run.until(partial(has_finished, command, out, 2 * number))
        run.kill(run.process.pid, sign)
        ended = run.end()
        assert (ended.code, ended.hung, ended.left) == (code, False, []), ended.err
        assert not (out / "result.json").exists()
        assert "Traceback" not in ended.err
    ended = KilledRun(line, tmp_path / "tmp").end()
    check(name, command, ended, out, expected)
    assert f"of {SHARDS} shards had been finished before" in ended.err
