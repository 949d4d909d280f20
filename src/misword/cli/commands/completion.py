"""Print a script that lets the shell complete commands, options and their values.

The script has the options of this version of misword: print it again after an update. The folder of
zsh must be in fpath before compinit runs.
"""

from __future__ import annotations

import argparse

from misword.cli.completion import SHELLS, words_of
from misword.cli.main import COMMANDS, parser_of
from misword.cli.printing import print_data

EXAMPLES = """\
examples:
  misword completion bash >> ~/.bash_completion
  misword completion zsh > ~/.zfunc/_misword
  misword completion fish > ~/.config/fish/completions/misword.fish
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("shell", choices=SHELLS, help="the shell")


def run(options: argparse.Namespace) -> None:
    """Print the script of the shell."""
    commands = {name: words_of(parser_of(name), about) for name, about in COMMANDS.items()}
    print_data(SHELLS[options.shell](commands))
