"""Completion of commands, options and values by shells."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from misword.cli.command_line import parser_of
from misword.cli.commands import COMMANDS
from misword.cli.commands.files.completion import SHELLS, Words, words_of
from misword.cli.main import main

COMPLETE = """
COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_misword; printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.fixture(scope="module")
def script() -> str:
    commands = {name: words_of(parser_of(name), about) for name, about in COMMANDS.items()}
    return SHELLS["bash"](commands)


def complete(script: str, line: str) -> set[str]:
    """What bash offers after a line; a line that ends with a space begins a new word."""
    words = [*line.split(), *([""] if line.endswith(" ") else [])]
    quoted = " ".join(f"'{word}'" for word in words)
    done = subprocess.run(
        ["bash", "-c", script + COMPLETE.format(words=quoted)],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


def test_bash(script: str) -> None:
    assert complete(script, "misword ") == set(COMMANDS)
    beginning = {"compare", "combine", "correlate", "corrupt", "completion"}
    assert complete(script, "misword co") == beginning
    assert complete(script, "misword score --form") == {"--format"}
    assert complete(script, "misword score ref.txt --format ") == {"table", "json", "csv", "md"}
    assert complete(script, "misword score --missing d") == {"delete"}
    assert complete(script, "misword vectors ") == {"info", "convert", "neighbors", "train"}
    assert {"-k", "--quiet", "-q"} <= complete(script, "misword vectors info -")
    assert complete(script, "misword score r") == set()  # files, which bash completes itself


def test_words_of_a_command() -> None:
    words = words_of(parser_of("completion"), "about")
    assert words.arguments == ("bash", "zsh", "fish")
    assert set(words.options) == {"-h", "--help", "-q", "--quiet", "--debug", "--max-bytes"}


@pytest.mark.parametrize("shell", SHELLS)
def test_the_command_prints_a_script(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    printed = capsys.readouterr().out
    assert f"misword completion {shell}" in printed
    for command in COMMANDS:
        assert command in printed
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=printed, text=True, check=True)


def test_quotes_do_not_end_a_text() -> None:
    words = {"x": Words("it's \\", {"--a": "don't"}, {"--a": ("b'c",)})}
    assert "-d 'it\\'s \\\\'" in SHELLS["fish"](words)
    subprocess.run(["bash", "-n"], input=SHELLS["bash"](words), text=True, check=True)
