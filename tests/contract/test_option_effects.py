"""The law of options: each option of each command changes the result, is refused, or is noted.

Each command runs once on small files, and once more with each of its options. What the second run
prints and writes (without the provenance, which records options) differs from the first run, or the
option is an error, or a note names it.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

from misword.cli.commands import COMMANDS, options_of
from misword.cli.main import main
from small_runs import BESIDE, CASES, OF_COMMANDS, RUNS, VALUES, usual_run, value_of, write_inputs

# Options that change no result by nature, with the reason.
SPEED = "how fast the same result is computed"
WITHOUT_RESULT = {
    "workers": SPEED,
    "cache": SPEED,
    "engine": SPEED,
    "timeout": "when a call of a tool is ended: tests/unit/cli/commands/test_mcp_command.py",
    "starts": "the search may find the same weights from all starts",
}
# Options of one command that change nothing in small files, with the reason.
FINDINGS = "these small files have nothing on which it acts"
IN_LARGER_FILES = dict.fromkeys(
    (
        *(("check", name) for name in ("lang", "vectors", "strict")),
        *(("check", name) for name in ("input_format", "reference_column")),
        ("audit", "threshold"),
        ("compare", "lang"),
        *(("segment", name) for name in ("costs", "metadata", "missing")),
    ),
    FINDINGS,
) | {
    (
        "build",
        "keep_going",
    ): "tables, the format here, have no entries to skip: tests/unit/io/dictionaries tries it"
}
OUT = "out"
Seen = tuple[int, str, dict[str, bytes]]


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that all commands read."""
    folder = tmp_path_factory.mktemp("inputs")
    write_inputs(folder)
    return folder


def without_provenance(path: Path) -> bytes:
    """Return the content of a file that a command wrote, without what records the options."""
    if path.suffix != ".json":
        return path.read_bytes()
    content = json.loads(path.read_text("utf-8"))
    for name in ("provenance", "settings", "options", "checksum", "sha256", "files"):
        content.pop(name, None)
    return json.dumps(content, sort_keys=True).encode()


class Runs:
    """Runs of a command in a folder of their own."""

    def __init__(self, command: str, capsys: pytest.CaptureFixture[str]) -> None:
        self.command, self.capsys = command, capsys
        self.known: dict[str, Seen] = {}
        self.notes: dict[str, str] = {}

    def run(self, words: str) -> tuple[Seen, str]:
        """Return what a run prints and writes, and its notes."""
        shutil.rmtree(OUT, ignore_errors=True)
        Path(OUT).mkdir()
        self.capsys.readouterr()
        try:
            code = main([self.command, *shlex.split(words)])
        except SystemExit as end:
            code = int(end.code or 0)
        printed = self.capsys.readouterr()
        files = {
            str(path): without_provenance(path)
            for path in sorted(Path(OUT).rglob("*"))
            if path.is_file()
        }
        return (code, printed.out, files), printed.err

    def fault(self, name: str) -> str:
        """Return what is wrong: the option has no effect and no note says so; or nothing."""
        flag = options_of(self.command)[name].flags_of(name)[-1]
        usual = usual_run(self.command, name)
        if usual not in self.known:
            self.known[usual], notes = self.run(usual)
            self.notes[usual] = notes
            if self.known[usual][0] not in (0, 1) and name not in CASES:
                return f"{usual}: {notes}"
        value = value_of(self.command, name)
        seen, notes = self.run(f"{usual} {flag} {value}")
        if seen[0] == 2:
            unknown = "usage:" in notes or notes == self.notes[usual]
            return f"{flag} {value}: {notes}" if unknown or not notes.strip() else ""
        if seen[0] not in (0, 1):
            return f"{flag} {value}: exit code {seen[0]}: {notes}"
        noted = re.search(rf"{flag} has no effect|no [a-z ]+ here uses {flag}\b", notes)
        if seen == self.known[usual] and not noted:
            return f"{flag} {value}: no effect, and no note says so"
        return ""


def test_every_option_has_a_value_here() -> None:
    known = {
        name
        for command in COMMANDS
        for name, option in options_of(command).items()
        if not option.positional
    }
    assert RUNS.keys() == COMMANDS.keys()
    assert VALUES.keys() | WITHOUT_RESULT.keys() == known
    assert not VALUES.keys() & WITHOUT_RESULT.keys()
    for command, name in (*OF_COMMANDS, *BESIDE, *IN_LARGER_FILES):
        assert name in (options_of(command) if command else VALUES)


@pytest.mark.parametrize("command", COMMANDS)
def test_options_change_the_result_or_are_refused_or_noted(
    command: str,
    inputs: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = tmp_path / "desk"
    shutil.copytree(inputs, folder)
    monkeypatch.chdir(folder)
    runs = Runs(command, capsys)
    tested = [
        name
        for name, option in options_of(command).items()
        if not option.positional
        and name not in WITHOUT_RESULT
        and (command, name) not in IN_LARGER_FILES
    ]
    faults = [fault for name in tested if (fault := runs.fault(name))]
    assert not faults, "\n".join(faults)
