"""Runs the commands of README.md with an installed misword, outside of the source tree."""

from __future__ import annotations

import shutil
from pathlib import Path

from doc_blocks import Command, code_blocks, commands, lines
from release.environments import Environment, StepError
from release.project import ROOT

README = ROOT / "README.md"
FILES = {
    "ref.txt": "the cat sat on the mat\nso { um / @ } we go\n",
    "hyp.txt": "the cat sad on mat\nso we go\n",
}


def readme_commands() -> list[Command]:
    """Return the commands of the console blocks."""
    blocks = code_blocks(README.read_text("utf-8"), "console")
    return [command for block in blocks for command in commands(block)]


def readme_problems(environment: Environment) -> list[str]:
    """Run all commands in a new folder; return those that do not print what README.md shows."""
    folder = environment.folder / "readme"
    write_files(folder, environment)
    problems = []
    for command in readme_commands():
        try:
            printed = lines(environment.run("misword", *command.arguments, cwd=folder))
        except StepError as error:
            problems.append(str(error))
            continue
        if printed != command.output:
            problems.append(
                "\n".join(["README.md shows another output:", *command.words, *printed])
            )
    return problems


def write_files(folder: Path, environment: Environment) -> None:
    """Write the files that README.md uses: the demonstration corpus, and two texts."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, text in FILES.items():
        (folder / name).write_text(text, "utf-8")
    environment.run("misword", "demo", "--copy", "demo", cwd=folder)
