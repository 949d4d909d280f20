"""Options of all commands: one that has no effect on a run is said to have none."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import misword
from misword.cli.commands import COMMANDS, options_of
from misword.cli.main import applicable, flags_of, main
from misword.core.options import flags_in, without_effect

# Values with which no `Need` holds.
UNMET = {
    "alpha": 1.0,
    "scale": 1.0,
    "block": None,
    "normalize": "none",
    "format": "table",
    "flags": "none",
}


def needed(command: str, name: str) -> list[str]:
    """Return the options that an option needs, as far as the command has them."""
    options = options_of(command)
    named = (need if isinstance(need, str) else need.name for need in options[name].needs)
    return [other for other in named if other in options]


NEEDING = [
    (command, name) for command in COMMANDS for name in options_of(command) if needed(command, name)
]


def test_needed_options_exist() -> None:
    known = {name for command in COMMANDS for name in options_of(command)}
    for command in COMMANDS:
        for option in options_of(command).values():
            needs = (need if isinstance(need, str) else need.name for need in option.needs)
            assert known.issuperset(needs)


@pytest.mark.parametrize(("command", "name"), NEEDING)
def test_an_option_without_what_it_needs_is_noted(command: str, name: str) -> None:
    options = options_of(command)
    plain = [need for need in options[name].needs if need in options]
    flag = options[name].flags_of(name)[0]
    values: dict[str, Any] = {each: option.default for each, option in options.items()}
    values |= dict.fromkeys(needed(command, name)) | UNMET | {name: "other"}
    assert flag in [note.split()[0] for note in without_effect(options, values)]
    for other in plain:
        if not needed(command, str(other)):
            notes = without_effect(options, {**values, str(other): "set"})
            assert flag not in [note.split()[0] for note in notes]


@pytest.mark.parametrize("command", COMMANDS)
def test_defaults_are_never_noted(command: str) -> None:
    options = options_of(command)
    assert without_effect(options, {each: option.default for each, option in options.items()}) == []


@pytest.mark.parametrize(
    "given",
    [["--max-words", "5"], ["--vector-format", "glove"], ["--seed", "3", "--bootstrap", "0"]],
)
def test_a_run_prints_the_note(
    given: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("ref", "hyp"):
        (tmp_path / name).write_text("a b\n")
    assert main(["score", str(tmp_path / "ref"), str(tmp_path / "hyp"), *given]) == 0
    assert f"note: {given[0]} has no effect here" in capsys.readouterr().err


@cache
def written_advice() -> list[str]:
    """Return the texts of `fix` in the modules that several commands share, and named advice."""
    home = Path(misword.__file__).parent
    trees = [
        ast.parse(file.read_text("utf-8"))
        for room in ("core", "io", "text", "embed")
        for file in sorted((home / room).rglob("*.py"))
    ]
    texts = [
        text_of(node.value)
        for tree in trees
        for node in ast.walk(tree)
        if (isinstance(node, ast.keyword) and node.arg == "fix")
        or (isinstance(node, ast.Assign) and "FIX" in ast.unparse(node.targets[0]))
    ]
    return [text for text in texts if flags_in(text)]


def text_of(node: ast.AST) -> str:
    """Return the literal text within an expression; a value that is inserted is X."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.FormattedValue):
        return "X"
    return "".join(map(text_of, ast.iter_child_nodes(node)))


@pytest.mark.parametrize("command", COMMANDS)
def test_errors_advise_options_that_the_command_has(command: str) -> None:
    known = set().union(*map(flags_of, COMMANDS))
    texts = written_advice()
    assert len(texts) > 40
    for text in texts:
        shown = flags_in(applicable(text, command))
        assert shown & known <= flags_of(command), text


@pytest.mark.parametrize(
    ("words", "has"), [("score {0} {0}", True), ("corrupt {0} --wer 0.1 --channel uniform", False)]
)
def test_an_error_of_a_reader_advises_options_of_the_command(
    words: str, has: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = tmp_path / "ref.txt"
    text.write_bytes(b"caf\xe9 noir\n")
    run = words.format(text).split()
    assert main([*run, "-o", str(tmp_path / "new.txt")] if run[0] == "corrupt" else run) == 2
    said = capsys.readouterr().err
    assert "iconv" in said
    assert ("--encoding" in said) == has
