"""Commands over shards whose workers and drivers are killed: no shard is lost, nothing is left.

Each command has the numbers of a run without kills, or continues after a killed one with the
same command.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from functools import partial
from pathlib import Path

import pytest

from killed_runs import (
    STEPS,
    Command,
    Ended,
    Expected,
    KilledRun,
    contents,
    expected_outputs,
    hidden_files,
    make_commands,
)
from misword.cli.main import main

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc"),
]
NAMES = ["score", "compare", "oracle", "corrupt"]
SHARDS = 8


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Command]:
    return make_commands(tmp_path_factory.mktemp("shards"), 8000, SHARDS)


@pytest.fixture(scope="module")
def expected(commands: dict[str, Command], tmp_path_factory: pytest.TempPathFactory) -> Expected:
    return expected_outputs(commands, tmp_path_factory.mktemp("expected"))


def has_finished(run: KilledRun, command: Command, out: Path, least: int) -> bool:
    return command.finished(out) >= least and bool(run.workers())


def check(
    name: str,
    command: Command,
    ended: Ended,
    folder: Path,
    expected: Expected,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Check numbers, rows, leftover processes and files."""
    assert (ended.code, ended.hung, ended.left) == (0, False, []), ended.err
    assert "Traceback" not in ended.err
    printed, written = expected[name]
    assert json.loads(ended.out) == printed
    assert contents(folder / "out") == written
    assert command.finished(folder / "out") == SHARDS
    assert not list((folder / "tmp").iterdir())
    assert not hidden_files(folder / "out")
    if name != "corrupt":
        assert main(["verify", str(folder / "out")]) == 0, capsys.readouterr()


@pytest.mark.parametrize("steps", [("start", "work"), ("sending",)])
@pytest.mark.parametrize("name", NAMES)
def test_killed_workers(
    name: str,
    steps: tuple[str, ...],
    commands: dict[str, Command],
    expected: Expected,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    command, out = commands[name], tmp_path / "out"
    run = KilledRun(command.line(out, "process"), tmp_path / "tmp")
    killed = [STEPS[step](run, command, out) for step in steps]
    check(name, command, run.end(), tmp_path, expected, capsys)
    assert killed[0]


@pytest.mark.parametrize("name", NAMES)
def test_ended_drivers(
    name: str,
    commands: dict[str, Command],
    expected: Expected,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A driver is terminated, one is killed, and the same command then finishes the work."""
    command, out = commands[name], tmp_path / "out"
    codes = {signal.SIGTERM: 143, signal.SIGKILL: -signal.SIGKILL}
    for number, (sign, code) in enumerate(codes.items(), 1):
        run = KilledRun(command.line(out, "process"), tmp_path / "tmp")
        assert run.until(partial(has_finished, run, command, out, number))
        run.kill(run.process.pid, sign)
        ended = run.end()
        assert (ended.code, ended.hung, ended.left) == (code, False, [])
        assert not (out / "result.json").exists()
        if sign == signal.SIGTERM:
            same = "and the same command continues with the others"
            assert json.loads(ended.err) == {
                **{"kind": "terminated", "where": "", "hint": "", "exit_code": code},
                "message": f"terminated; finished shards are in {out}, {same}",
                "command": name,
            }
            assert not list((tmp_path / "tmp").iterdir())
            assert not hidden_files(out)
    ended = KilledRun(command.line(out, "process"), tmp_path / "tmp").end()
    check(name, command, ended, tmp_path, expected, capsys)
    assert f"of {SHARDS} shards had been finished before" in ended.err


def test_an_interrupt_at_a_terminal(commands: dict[str, Command], tmp_path: Path) -> None:
    """Ctrl-C reaches the workers too, also while they start; the driver alone says a line."""

    command, out = commands["score"], tmp_path / "out"
    for least in (0, 1):
        run = KilledRun(command.line(out, "process"), tmp_path / "tmp")
        assert run.until(partial(has_finished, run, command, out, least))
        os.killpg(run.process.pid, signal.SIGINT)
        ended = run.end()
        assert (ended.code, ended.hung, ended.left) == (130, False, [])
        said = json.loads(ended.err)
        assert (said["kind"], said["exit_code"]) == ("interrupted", 130)
        assert said["message"].startswith("interrupted; finished shards are in ")
        assert ended.err.count("\n") == 1
        assert not list((tmp_path / "tmp").iterdir())
