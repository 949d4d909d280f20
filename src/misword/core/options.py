"""Options: each is declared once, for signatures, the command line, help and provenance.

A family of options is a `TypedDict`. Each of its fields is annotated with an `Option`, which says
everything about it that its name and its type do not say:

    class Resampling(TypedDict, total=False):
        seed: Annotated[int, Option("seed of the resamples", default=0, read=whole(0))]

A function takes a family by `Unpack`, and `takes` adds what `Unpack` lacks: the options are in the
function's signature, options that were not given have their defaults, and an unknown name is an
error with a suggestion:

    @takes(Resampling)
    def compare(scores: Scores, **options: Unpack[Resampling]) -> Comparison:

`declared` returns the options of a family by name. The command line is made from them
(`cli/command_line.py`), with flags of the same names: `hypothesis_column` is --hypothesis-column.
An option that is True by default is switched off by --no-NAME.
"""

from __future__ import annotations

import builtins
import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from functools import cache, wraps
from math import isfinite
from typing import Any, ForwardRef, Literal, TypeVar, get_args, get_origin

from misword.core.errors import did_you_mean

F = TypeVar("F", bound=Callable[..., Any])
# Counts, such as words to read or rows to print. No input has more.
MOST = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Group:
    """Options that stand together in the help: their title, and what they are for."""

    title: str
    about: str = ""


OPTIONS = Group("options")


@dataclass(frozen=True, slots=True)
class Option:
    """What an option means, and how it is written on the command line.

    Attributes:
        help: what the option does; the default is added to it.
        default: the value without the option, in Python and in the shell.
        group: where the help lists it.
        common: whether the short help has it (`misword score --help`).
        metavar: what stands for the value in the help.
        read: makes the value from the text of the command line; raises ValueError.
        flags: how it is written, if not as --name; a positional argument has none.
        positional: whether it is an argument without a flag.
        values: the number of values for argparse (`*`, `+`, `?`, 2), if it is not one.
        repeated: whether the option may be given several times.
        required: whether a command cannot run without it.
        choices: the values that are allowed; those of a `Literal` need not be listed.
        registry: the kind of the parts whose names are its values (`misword parts KIND`).
        is_file: whether it names files that are read.
        recorded: whether results record it, because numbers may depend on it.
        used_by_parts: whether only some metrics read it, so that a note says if none does.
        was: the former name, for the error that tells the new one.
    """

    help: str
    _: KW_ONLY
    default: Any = None
    group: Group = OPTIONS
    common: bool = False
    metavar: str = ""
    read: Callable[[str], Any] = str
    flags: tuple[str, ...] = ()
    positional: bool = False
    values: str | int | None = None
    repeated: bool = False
    required: bool = False
    choices: tuple[str, ...] = ()
    registry: str = ""
    is_file: bool = False
    recorded: bool = True
    used_by_parts: bool = False
    was: str = ""

    def flags_of(self, name: str) -> tuple[str, ...]:
        """Return how the option is written on the command line.

        >>> Option("leave out", default=True).flags_of("cache")
        ('--no-cache',)
        """
        no = "no-" if self.default is True else ""
        return self.flags or (f"--{no}{name.replace('_', '-')}",)


class _Names(dict[str, Any]):
    """The names of a module; those that it imports for type checking only are `Any`."""

    def __missing__(self, name: str) -> Any:
        return vars(builtins).get(name, Any)


@cache
def declared(*families: Any) -> dict[str, Option]:
    """Return the options of families by name, in the order of their declaration.

    >>> from misword.stat.options import Resampling
    >>> declared(Resampling)["seed"].help
    'seed of the random draws'
    """
    found: dict[str, Option] = {}
    for family in families:
        for name, hint in family.__annotations__.items():
            if isinstance(hint, ForwardRef):
                module = sys.modules[hint.__forward_module__ or family.__module__]
                hint = eval(hint.__forward_arg__, vars(module), _Names(vars(module)))
            kind, option = get_args(hint)[:2]
            if get_origin(kind) is Literal:
                option = replace(option, choices=get_args(kind))
            found[name] = option
    return found


@cache
def defaults(*families: Any) -> dict[str, Any]:
    """Return the values of options that were not given, by name."""
    return {name: option.default for name, option in declared(*families).items()}


def chosen(options: Any, *families: Any) -> dict[str, Any]:
    """Return those of `options` that belong to families; their defaults where there are none.

    `options` is a mapping, or the namespace of a command line.
    """
    given: Mapping[str, Any] = options if isinstance(options, Mapping) else vars(options)
    return {name: given.get(name, value) for name, value in defaults(*families).items()}


def takes(*families: Any) -> Callable[[F], F]:
    """Return a decorator of functions that take the options of families as keyword arguments.

    An option may also be an argument of its own, such as `metrics`, to be given by position.
    """

    def decorate(function: F) -> F:
        own = inspect.signature(function)
        plain = [p for p in own.parameters.values() if p.kind is not p.VAR_KEYWORD]
        named = {p.name for p in plain}
        usual = {name: v for name, v in defaults(*families).items() if name not in named}
        known = [*named, *usual]

        @wraps(function)
        def call(*arguments: Any, **given: Any) -> Any:
            for name in given:
                if name not in known:
                    raise TypeError(_unknown(function.__name__, name, known, families))
            return function(*arguments, **{**usual, **given})

        added = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=value)
            for name, value in usual.items()
        ]
        call.__signature__ = own.replace(parameters=[*plain, *added])  # type: ignore[attr-defined]
        return call  # type: ignore[return-value]

    return decorate


def _unknown(function: str, name: str, known: list[str], families: tuple[Any, ...]) -> str:
    """Return what is wrong with an unknown argument, with the name that may be meant."""
    for new, option in declared(*families).items():
        if option.was == name:
            return f"{function}(): {name!r} is now {new!r}"
    hint = did_you_mean(name, known).rstrip()
    return f"{function}() has no option {name!r}" + (f"; {hint}" if hint else "")


def whole(least: int, most: int = MOST) -> Callable[[str], int]:
    """Return a function that reads a whole number from `least` to `most`.

    The limits keep a mistyped number from filling the memory.
    """

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            raise ValueError(f"invalid whole number value: {text!r}") from None
        if number < least:
            raise ValueError(f"{number} is below {least}")
        if number > most:
            raise ValueError(f"{number} is too large: use at most {most:,}")
        return number

    return read


def finite(text: str) -> float:
    """Read a finite number."""
    try:
        number = float(text)
    except ValueError:
        raise ValueError(f"invalid number value: {text!r}") from None
    if not isfinite(number):
        raise ValueError(f"{text} is not finite")
    return number


def share(text: str) -> float:
    """Read a number between 0 and 1."""
    number = finite(text)
    if not 0 < number < 1:
        raise ValueError(f"{text} is no share such as 0.95")
    return number


def listed(text: str) -> list[str]:
    """Read texts that are separated by commas.

    >>> listed("base,new")
    ['base', 'new']
    """
    return text.split(",")


def listed_of(read: Callable[[str], Any]) -> Callable[[str], list[Any]]:
    """Return a function that reads values between commas, each by `read`."""

    def read_all(text: str) -> list[Any]:
        return [read(piece) for piece in text.split(",")]

    return read_all
