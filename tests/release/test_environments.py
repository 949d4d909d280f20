"""Interpreters are found by their version, and a command that fails says what it printed."""

from __future__ import annotations

import subprocess
import sys

import pytest

from release.environments import StepError, interpreter, run


def test_an_interpreter_has_the_version_that_was_asked_for() -> None:
    wanted = "{}.{}".format(*sys.version_info)
    program = interpreter(wanted)
    assert program is not None
    printed = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    assert printed.stdout.startswith(f"Python {wanted}.")


def test_a_version_that_the_machine_does_not_have() -> None:
    assert interpreter("3.999") is None


def test_a_failed_command_shows_its_output() -> None:
    with pytest.raises(StepError, match="no such thing"):
        run([sys.executable, "-c", "import sys; sys.exit('no such thing')"])
