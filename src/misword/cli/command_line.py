"""The command line of a command, made from the declarations of its options: parser and help.

`misword score --help` shows the options that most people need, `misword score --help all` all of
them, in groups.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from textwrap import fill
from typing import Any, NoReturn

from misword.cli.commands import module_of
from misword.cli.options import General
from misword.cli.printing import errors_are_json, print_data, print_error_object
from misword.core.errors import did_you_mean, shortened, visible
from misword.core.options import OPTIONS, Option, declared

# The last line of every help text.
GLOSSARY = "Terms are explained in docs/glossary.md."
ALL = "all"  # the word after --help
WIDTH = 78  # of texts that argparse does not wrap
# Titles of the groups that many commands share, in the order of the help.
SHARED = ("reading", "language and meaning", "comparing", "intervals", "shards", "output")
EXAMPLES_SHOWN = 6  # in the short help


class Parser(argparse.ArgumentParser):
    """A parser of declared options, with suggestions for misspelt ones.

    `--help` prints the text that `short_help` returns, `--help all` that of all options. Options
    cannot be abbreviated: an abbreviation changes its meaning when an option is added.
    """

    def __init__(self, *, short_help: Callable[[], str] | None = None, **options: Any) -> None:
        super().__init__(
            formatter_class=argparse.RawDescriptionHelpFormatter,
            add_help=False,
            allow_abbrev=False,
            **options,
        )
        self.short_help = short_help
        self.renamed: dict[str, str] = {}
        self.add_argument(
            *("-h", "--help"),
            action=_Help,
            nargs="?",
            metavar=ALL,
            default=argparse.SUPPRESS,
            help="show the options that most people need; with `all`, every option"
            if short_help
            else "show this text; with `all`, every option",
        )

    def add_options(self, families: Iterable[Any], *, common: bool = False) -> None:
        """Add the options of families; with `common`, only those of the short help."""
        groups: dict[str, Any] = {}
        known = declared(*families).items()
        for name, option in sorted(known, key=lambda pair: place_of(pair[1])):
            if common and not (option.common or option.positional or option.required):
                continue
            group = OPTIONS if common or option.positional else option.group
            if group is OPTIONS:
                self._add(self, name, option)
                continue
            if group.title not in groups:
                about = fill(group.about, WIDTH) or None
                groups[group.title] = self.add_argument_group(group.title, about)
            self._add(groups[group.title], name, option)

    def _add(self, group: Any, name: str, option: Option) -> None:
        about = help_of(option).replace("%", "%%")
        if option.positional:
            several: Any = {"nargs": option.values, "default": option.default}
            argument = group.add_argument(
                name,
                type=_reader(option),
                metavar=option.metavar or None,
                choices=option.choices or None,
                help=about,
                **(several if option.values else {}),
            )
            if option.default is not None:  # then it may be left out
                argument.required, argument.default = False, option.default
            return
        flags = option.flags_of(name)
        if option.was:
            self.renamed[f"--{option.was.replace('_', '-')}"] = flags[-1]
        if isinstance(option.default, bool):
            action = "store_false" if option.default else "store_true"
            group.add_argument(*flags, dest=name, action=action, default=option.default, help=about)
            return
        words = option.metavar.split() if isinstance(option.values, int) else [option.metavar]
        group.add_argument(
            *flags,
            dest=name,
            type=_reader(option),
            metavar=tuple(words) if len(words) > 1 else option.metavar or None,
            choices=option.choices or None,
            action=_Append if option.repeated else "store",
            nargs=option.values,
            required=option.required,
            default=option.default,
            help=about,
        )

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse the arguments; a former name of an option is an error that says the new one."""
        for word in args or ():
            flag = word.partition("=")[0]
            if flag in self.renamed and flag not in self._option_string_actions:
                self.error(f"{flag} is now {self.renamed[flag]}")
        return super().parse_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """Print the error with a suggestion for a misspelt option or value, and exit."""
        unknown = re.match(r"unrecognized arguments: .*?(--?[\w-]+)", message)
        choice = re.search(r"invalid choice: '(.*)' \(choose from (.*)\)", message)
        hint = ""
        if unknown:
            hint = did_you_mean(unknown[1], self._option_string_actions)
        elif choice:
            hint = did_you_mean(choice[1], re.findall(r"[\w.-]+", choice[2]))
        if errors_are_json():
            command = self.prog.partition(" ")[2]
            print_error_object(kind="usage", message=message, where="", hint=hint.strip(),
                               exit_code=2, command=command)  # fmt: skip
            self.exit(2)
        super().error(f"{shortened(visible(message))}\n  {hint}".rstrip())

    def format_help(self) -> str:
        """Return the help text with all options."""
        return f"{super().format_help().rstrip()}\n\n{GLOSSARY}\n"


class _Help(argparse.Action):
    """Prints the short help, or all of it, and ends the program."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option: Any = None) -> None:
        short = None if values == ALL else parser.short_help
        print_data(parser.format_help() if short is None else short())
        parser.exit()


class _Append(argparse.Action):
    """Collects the values of an option that may be repeated."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option: Any = None) -> None:
        setattr(namespace, self.dest, [*(getattr(namespace, self.dest) or ()), values])


def _reader(option: Option) -> Callable[[str], Any]:
    """Return the function that reads the value of an option, for argparse."""

    def read(text: str) -> Any:
        try:
            return option.read(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return read


def help_of(option: Option) -> str:
    """Return what an option does, its default, and where the names of its values are listed.

    >>> help_of(Option("number of resamples", default=1000))
    'number of resamples (default 1000)'
    """
    text, default = option.help, option.default
    if option.registry and "`misword parts" not in text:
        text += f"; `misword parts {option.registry}` lists them"
    if isinstance(default, bool) or default in (None, "", ()) or "(default" in text:
        return text
    shown = ",".join(f"{value:g}" for value in default) if isinstance(default, tuple) else default
    return (
        f"{text} (default {shown:g})" if isinstance(shown, float) else f"{text} (default {shown})"
    )


def place_of(option: Option) -> int:
    """Return where the help has an option: those that many commands share come last."""
    title = option.group.title
    return SHARED.index(title) + 1 if title in SHARED else 0


def parser_of(command: str) -> Parser:
    """Return the parser of a command."""
    module = module_of(command)
    about, examples = module.__doc__, module.EXAMPLES
    families = module.OPTIONS
    parser = Parser(
        prog=f"misword {command}",
        usage=_short_usage(command, families),
        description=about,
        epilog=examples,
        short_help=partial(short_help, command, families, about, examples),
    )
    parser.set_defaults(command=command)
    parser.add_options(families)
    parser.add_options((General,))
    return parser


def short_help(command: str, families: Sequence[Any], description: str, examples: str) -> str:
    """Return the help of a command with the options that most people need."""
    parser = Parser(
        prog=f"misword {command}",
        usage=_short_usage(command, families),
        description=description.partition("\n\n")[0],
        epilog=_first_examples(examples),
    )
    parser.add_options(families, common=True)
    more = sum(not option.positional for option in declared(*families).values())
    text = parser.format_help().removesuffix(f"{GLOSSARY}\n")
    return f"{text}`misword {command} --help {ALL}` shows all {more} options. {GLOSSARY}\n"


def _short_usage(command: str, families: Sequence[Any]) -> str:
    """Return the usage line: the command, its arguments and `[options]`."""
    words = [f"misword {command}"]
    for name, option in declared(*families).items():
        shown = option.metavar or name
        if option.positional:
            several = "*" if option.values == "+" and option.default is not None else option.values
            words.append({"*": f"[{shown} ...]", "+": f"{shown} ...", "?": f"[{shown}]"}.get(
                str(several), shown))  # fmt: skip
        elif option.required:
            words.append(f"{option.flags_of(name)[0]} {option.metavar}")
    return " ".join([*words, "[options]"])


def _first_examples(text: str) -> str:
    """Return the first examples; one that ends with a backslash goes on in the next line."""
    head, *lines = text.rstrip().split("\n")
    shown: list[str] = []
    count = 0
    for line in lines:
        if not (shown and shown[-1].endswith("\\")):
            count += 1
        if count > EXAMPLES_SHOWN:
            break
        shown.append(line)
    return "\n".join([head, *shown])
