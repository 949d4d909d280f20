"""No text of an input can command the terminal: control characters are shown as escapes."""

from __future__ import annotations

import ast
import os
import pty
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import misword.cli
from hostile_inputs import COMMANDS, FAILURES, HIDDEN, HYPOTHESES, MARKUP, write_hostile_inputs
from misword.cli.main import main


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Hostile inputs, and the files that the first commands make of them."""
    made = tmp_path_factory.mktemp("hostile")
    write_hostile_inputs(made)
    for command in COMMANDS[:2]:
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(made)
            assert main([*command, "--format", "json", "-q"]) == 0
    return made


@pytest.fixture(autouse=True)
def within(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("MISWORD_CACHE", str(folder / "cache"))


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command[:2]))
@pytest.mark.parametrize("form", ["table", "md"])
def test_output_for_people(
    command: list[str], form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--format", form]
    if command[0] == "gate":
        options = ["--format", {"table": "text", "md": "github"}[form]]
    elif command[0] == "report":
        options = []
    if "--out" in command:
        options.append("--force")
    assert main([*command, *options]) in (0, 1)
    out, err = capsys.readouterr()
    assert HIDDEN.search(out) is None
    assert HIDDEN.search(err) is None


def test_words_are_shown_with_escapes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["align", "ref.csv", HYPOTHESES[0], "--format", "table"]) == 0
    out, _ = capsys.readouterr()
    assert "ba\\x1b[5mt" in out
    assert "sys\\x1b]0;t\\x07[bold]" in out
    assert MARKUP in out


def exit_code(command: list[str]) -> object:
    try:
        return main(command)
    except SystemExit as stopped:  # of argparse
        return stopped.code


@pytest.mark.parametrize("command", FAILURES, ids=lambda command: " ".join(command[:2]))
def test_errors(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code(command) == 2
    out, err = capsys.readouterr()
    assert not out
    assert "\\" in err
    assert HIDDEN.search(err) is None


def on_terminal(arguments: list[str], folder: Path) -> str:
    """What Python writes on a terminal, which is its standard output and error."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, *arguments],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    data = b""
    while True:
        try:
            more = os.read(ours, 65536)
        except OSError:  # the process has closed the terminal
            break
        if not more:
            break
        data += more
    os.close(ours)
    assert process.wait() == 0
    return data.decode()


@pytest.mark.parametrize(
    "command",
    [
        ["align", "ref.csv", HYPOTHESES[0], "--limit", "5"],
        ["align", "ref.csv", HYPOTHESES[0], "--format", "csv"],
        ["align", "ref.csv", HYPOTHESES[0], "--format", "json"],
        ["corrupt", "ref.csv", "--wer", "0", "--channel", "uniform", "-o", "-"],
    ],
    ids=["table", "csv", "json", "-o -"],
)
def test_on_a_terminal(command: list[str], folder: Path) -> None:
    shown = on_terminal(["-m", "misword", *command], folder)
    assert "cat1" in shown
    # rich itself writes colours and moves the cursor for the spinner, and no other sequences.
    for attack in ("\x1b]", "\x1b[2J", "\x1b[5m", "\u009b", "\x07", "\x7f", "\u202e"):
        assert attack not in shown


PROGRESS = r"""
import time
from misword.cli import output
output.PATIENCE = -1
with output.status("spin \x1b]0;t\x07 [red]a[/red]"):
    time.sleep(0.3)
with output.bar("bar \x1b]0;t\x07 [red]b[/red]", 2) as step:
    step(1)
    time.sleep(0.3)
"""


def test_progress(folder: Path) -> None:
    shown = on_terminal(["-c", PROGRESS], folder)
    assert "spin \\x1b]0;t\\x07 [red]a[/red]" in shown
    assert "bar \\x1b]0;t\\x07 [red]b[/red]" in shown
    assert "\x07" not in shown


def test_warnings(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def warn(options: object) -> None:
        sys.stderr.write(warnings.formatwarning("old\x1b[2J", UserWarning, "f.py", 1))

    monkeypatch.setattr("misword.cli.commands.files.parts.run", warn)
    before = warnings.formatwarning
    assert main(["parts"]) == 0
    assert capsys.readouterr().err == "warning: old\\x1b[2J\n"
    assert warnings.formatwarning is before


def test_csv_in_a_pipe_is_exact(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["align", "ref.csv", HYPOTHESES[0], "--format", "csv"]) == 0
    assert "ba\x1b[5mt" in capsys.readouterr().out


def test_commands_print_only_through_the_module_for_it() -> None:
    for path in Path(misword.cli.__file__).parent.rglob("*.py"):
        calls = [node for node in ast.walk(ast.parse(path.read_text("utf-8")))
                 if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]  # fmt: skip
        assert not [call.lineno for call in calls if getattr(call.func, "id", "") == "print"], path
