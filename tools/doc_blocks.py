"""Reads the code blocks of the documentation: the tests and the check of a release run them."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass

FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Outputs that have no table; all others are shown as a terminal shows them.
WITHOUT_TABLE = {"--format", "parts", "gate"}


@dataclass(frozen=True, slots=True)
class Command:
    """A command of a console block, as words, and the lines that it prints."""

    words: list[str]
    output: list[str]

    @property
    def arguments(self) -> list[str]:
        """The words after `misword`, and the format of a terminal."""
        form = [] if WITHOUT_TABLE.intersection(self.words) else ["--format", "table"]
        return self.words[1:] + form


def code_blocks(text: str, language: str) -> list[str]:
    """Return the content of each block in a language."""
    return [body for found, body in FENCE.findall(text) if found == language]


def commands(block: str) -> list[Command]:
    """Return the commands of a console block: `$ misword ...`, each followed by its output."""
    found = []
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        found.append(Command(shlex.split(command), lines(shown)))
    return found


def lines(text: str) -> list[str]:
    """Return the lines that are not empty, without spaces at their ends."""
    return [line.rstrip() for line in text.splitlines() if line.strip()]
