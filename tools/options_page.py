"""Write docs/options.md: all options of all commands, from their declarations.

python tools/options_page.py
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from misword.cli.command_line import help_of
from misword.cli.commands import COMMANDS, options_of
from misword.core.options import Option

PAGE = Path(__file__).parent.parent / "docs" / "options.md"
TITLES = {"options": "Options of single commands"}
HEAD = """\
# Options

All options of all commands. Each is declared once (`core/options.py`): the argument in Python has
the same name, with `_` for `-`, and the same default. `misword COMMAND --help` explains the options
that most people need, `--help all` every option of a command. This page is made by
`python tools/options_page.py`.
"""


def page() -> str:
    """Return the text of the page."""
    return "\n".join([HEAD, *_sections()])


def _sections() -> Iterator[str]:
    """Yield a heading and a table for each group of options, in the order of the commands."""
    groups: dict[str, dict[tuple[str, str], list[str]]] = {}
    for command in COMMANDS:
        for name, option in options_of(command).items():
            if not option.positional:
                row = (_flags(name, option), _cell(help_of(option)))
                title = option.group.title
                groups.setdefault(title, {}).setdefault(row, []).append(command)
    for title, rows in groups.items():
        heading = TITLES.get(title, title.capitalize())
        yield f"## {heading}\n\n| option | commands | what it does |\n|:--|:--|:--|"
        for (flags, about), commands in sorted(rows.items()):
            yield f"| {flags} | {_commands(commands)} | {about} |"
        yield ""


def _flags(name: str, option: Option) -> str:
    """Return how an option is written, with what stands for its value."""
    value = f" {option.metavar}" if option.metavar else ""
    return ", ".join(f"`{flag}{value}`" for flag in option.flags_of(name)).replace("|", "\\|")


def _cell(text: str) -> str:
    """Return a help text as a cell of Markdown."""
    return re.sub(r"([|<*_])", r"\\\1", text)


def _commands(names: list[str]) -> str:
    """Return the names of the commands that have an option."""
    return "all" if len(names) == len(COMMANDS) else ", ".join(names)


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
