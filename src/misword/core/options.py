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
import re
import sys
from collections.abc import Callable, Collection, Mapping
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
class Need:
    """A value of another option, without which an option has no effect.

    Attributes:
        name: the other option.
        value: the value, as a note writes it after the flag.
        holds: whether the other option has such a value.
    """

    name: str
    value: str
    holds: Callable[[Any], bool]


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
        needs: options of which one must be set and have an effect itself, or else the option has
            no effect and a note says so; those that a command lacks do not count.
        ignored: why a command that shares the option with others does not read it.
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
    needs: tuple[str | Need, ...] = ()
    ignored: str = ""
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


def without_effect(options: Mapping[str, Option], values: Mapping[str, Any]) -> list[str]:
    """Return a sentence on each option that was set and has no effect beside the others.

    `options` are those of a command, `values` what was chosen.

    >>> from misword.embed.options import Language
    >>> without_effect(declared(Language), {"max_words": 10, "vectors": None})
    ['--max-words has no effect here: it is for --vectors']
    """
    found = []
    for name, option in options.items():
        reason = option.ignored
        if not reason and not _needs_hold(name, options, values):
            needs = " or ".join(_written(need, options) for need in _needs(name, options))
            reason = f"it is for {needs}"
        if reason and values.get(name, option.default) not in (option.default, []):
            found.append(f"{option.flags_of(name)[0]} has no effect here: {reason}")
    return found


def _needs(name: str, options: Mapping[str, Option]) -> list[Need]:
    """Return what an option needs, as far as the command has it."""
    named = [
        Need(need, "", bool) if isinstance(need, str) else need for need in options[name].needs
    ]
    return [need for need in named if need.name in options]


def _needs_hold(name: str, options: Mapping[str, Option], values: Mapping[str, Any]) -> bool:
    """Return whether one of the options that an option needs is set and has an effect itself."""
    needs = _needs(name, options)
    return not needs or any(
        need.holds(values.get(need.name)) and _needs_hold(need.name, options, values)
        for need in needs
    )


def _written(need: Need, options: Mapping[str, Option]) -> str:
    """Return how an option and its value are written; a positional argument has no flag."""
    option = options[need.name]
    flag = option.metavar if option.positional else option.flags_of(need.name)[0]
    return f"{flag} {need.value}".rstrip()


_FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
_QUOTED = re.compile(r"`[^`]*`")  # a command line of its own
_CLAUSES = re.compile(r"(; or |; |, or )")


def flags_in(text: str) -> set[str]:
    """Return the flags that a text names, without those of quoted command lines.

    >>> sorted(flags_in("use --encoding, see `misword vectors --out`"))
    ['--encoding']
    """
    return set(_FLAG.findall(_QUOTED.sub("", text)))


def advice_without(flags: Collection[str], fix: str) -> str:
    """Return the advice of an error without the clauses that name some flags.

    >>> advice_without({"--encoding"}, "convert the file: iconv; or name its --encoding")
    'convert the file: iconv'
    """
    clauses = _CLAUSES.split(fix)
    kept, separator = "", ""
    for clause, following in zip(clauses[::2], [*clauses[1::2], ""], strict=True):
        if flags_in(clause).isdisjoint(flags):
            kept += (separator if kept else "") + clause
        separator = following
    return kept


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
