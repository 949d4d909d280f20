"""Print a script that lets the shell complete commands, options and their values.

The script has the options of this version of misword: print it again after an update. The folder of
zsh must be in fpath before compinit runs.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from shlex import quote
from typing import Annotated, Literal, TypedDict

from misword.cli.command_line import parser_of
from misword.cli.commands import COMMANDS
from misword.cli.printing import print_data
from misword.core.options import Option

EXAMPLES = """\
examples:
  misword completion bash >> ~/.bash_completion
  misword completion zsh > ~/.zfunc/_misword
  misword completion fish > ~/.config/fish/completions/misword.fish
"""


class Shell(TypedDict, total=False):
    """The shell that completes."""

    shell: Annotated[Literal["bash", "zsh", "fish"], Option("the shell", positional=True)]


OPTIONS = (Shell,)


def run(options: argparse.Namespace) -> None:
    """Print the script of the shell."""
    commands = {name: words_of(parser_of(name), about) for name, about in COMMANDS.items()}
    print_data(SHELLS[options.shell](commands))


# Scripts that let a shell complete commands, options and their values.
#
# A script is made of the parsers of all commands, so it has the options of the installed version.


@dataclass(frozen=True, slots=True)
class Words:
    """What can follow a command.

    `options` are its options with their help, `values` the values of options that have a fixed set
    of them, `arguments` the words of its first argument, if they are a fixed set (`info`).
    """

    about: str
    options: Mapping[str, str]
    values: Mapping[str, tuple[str, ...]]
    arguments: tuple[str, ...] = ()


def words_of(parser: argparse.ArgumentParser, about: str) -> Words:
    """Return what can follow a command, by its parser."""
    options: dict[str, str] = {}
    values: dict[str, tuple[str, ...]] = {}
    arguments: tuple[str, ...] = ()
    for action in parser._actions:  # argparse has no public list of them
        if action.option_strings:
            about_option = (action.help or "").partition(";")[0].replace("%%", "%")
            options |= dict.fromkeys(action.option_strings, about_option)
            if action.choices:
                values |= dict.fromkeys(action.option_strings, tuple(map(str, action.choices)))
        elif action.choices:
            arguments = tuple(map(str, action.choices))
    return Words(about, options, values, arguments)


def bash_script(commands: Mapping[str, Words]) -> str:
    """Return the script for bash; files are completed where no word fits."""
    cases = [
        f"    {quote(f'{name} {option}')}) fitting={quote(' '.join(values))};;"
        for name, words in commands.items()
        for option, values in words.values.items()
    ]
    following = [
        f"    {quote(name)}) options={quote(' '.join(words.options))}; "
        f"arguments={quote(' '.join(words.arguments))};;"
        for name, words in commands.items()
    ]
    return f"""\
# Completion of misword for bash, made by: misword completion bash
_misword() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}"
  local command="${{COMP_WORDS[1]}}" fitting="" options="" arguments=""
  case "$command $before" in
{_lines(cases)}
  esac
  case "$command" in
{_lines(following)}
  esac
  if [[ $COMP_CWORD -eq 1 ]]; then
    fitting={quote(" ".join(commands))}
  elif [[ -z $fitting && $word == -* ]]; then
    fitting="$options"
  elif [[ -z $fitting && $COMP_CWORD -eq 2 ]]; then
    fitting="$arguments"
  fi
  COMPREPLY=($(compgen -W "$fitting" -- "$word"))
}}
complete -o default -F _misword misword
"""


def zsh_script(commands: Mapping[str, Words]) -> str:
    """Return the script for zsh; files are completed where no word fits."""
    cases = [
        f"    {quote(f'{name} {option}')}) fitting=({_quoted(values)});;"
        for name, words in commands.items()
        for option, values in words.values.items()
    ]
    following = [
        f"    {quote(name)}) options=({_quoted(words.options)}); "
        f"arguments=({_quoted(words.arguments)});;"
        for name, words in commands.items()
    ]
    return f"""\
#compdef misword
# Completion of misword for zsh, made by: misword completion zsh
_misword() {{
  local -a fitting options arguments
  case "$words[2] $words[CURRENT-1]" in
{_lines(cases)}
  esac
  case "$words[2]" in
{_lines(following)}
  esac
  if (( CURRENT == 2 )); then
    fitting=({_quoted(commands)})
  elif (( ! $#fitting )) && [[ $words[CURRENT] == -* ]]; then
    fitting=($options)
  elif (( ! $#fitting && CURRENT == 3 )); then
    fitting=($arguments)
  fi
  if (( $#fitting )); then compadd -- $fitting; else _files; fi
}}
# A file in fpath is run as the function itself at the first completion.
if [[ $funcstack[1] == _misword ]]; then _misword "$@"; else compdef _misword misword; fi
"""


def fish_script(commands: Mapping[str, Words]) -> str:
    """Return the script for fish, which completes files by itself."""
    lines = ["# Completion of misword for fish, made by: misword completion fish"]
    for name, words in commands.items():
        lines.append(
            f"complete -c misword -f -n __fish_use_subcommand -a {name} -d {_fish(words.about)}"
        )
        start = f"complete -c misword -n '__fish_seen_subcommand_from {name}'"
        if words.arguments:
            lines.append(f"{start} -a {_fish(' '.join(words.arguments))}")
        for option, about in words.options.items():
            flag = f"-l {option[2:]}" if option.startswith("--") else f"-s {option[1:]}"
            values = words.values.get(option)
            known = f" -x -a {_fish(' '.join(values))}" if values else ""
            lines.append(f"{start} {flag}{known} -d {_fish(about)}")
    return "\n".join(lines) + "\n"


def _fish(text: str) -> str:
    """Return a text in the quotes of fish, where a backslash escapes."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _quoted(words: Iterable[str]) -> str:
    return " ".join(map(quote, words))


def _lines(lines: Iterable[str]) -> str:
    return "\n".join(lines)


SHELLS: dict[str, Callable[[Mapping[str, Words]], str]] = {
    "bash": bash_script,
    "zsh": zsh_script,
    "fish": fish_script,
}
