"""Registries: the parts of misword by name, imported when they are first used.

A part is a frozen dataclass derived from `Part`; its fields are its options. A spec names a part
and its options: `name` or `name:option=value,option=value`. Commas separate the specs of a list:
`wer,cer:spaces=false,ties=jiwer,mer`. A part can have a main option, whose value may come first and
without a name: `ngram:lm.arpa` is `ngram:file=lm.arpa`.

To add a part to misword, write its class in a file of the registry's folder. A registry whose
parts have an order, or need packages that are not installed with misword, has a table: add one line
to it. Another package adds a part with an entry point in the group
`misword.<kind>`, e.g. `misword.metrics`.

Known problems: a value in a spec cannot contain a comma.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Generic, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from misword.core.errors import MissingExtraError, OptionError, did_you_mean
from misword.core.parts import Part

PartT = TypeVar("PartT", bound=Part)
OPTION = re.compile(r"^\w+=")
# A class of a source file with its body, and the line of a class that names a part.
CLASS = re.compile(r"^class (?P<name>\w+)(?P<body>.*?)(?=^\S|\Z)", re.MULTILINE | re.DOTALL)
NAME = re.compile(r'^    name: ClassVar\[str\] = "([^"]+)"\n    title: ', re.MULTILINE)
LARGEST = 2**63 - 1  # of numbers
GROUPS = "misword."  # how the names of the groups of entry points begin
BOOLEANS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


@dataclass(frozen=True, slots=True)
class Entry:
    """The location of a part (`module:Class`) and the extra of misword that it needs, if any."""

    target: str
    extra: str | None = None


class Registry(Generic[PartT]):
    """The parts of one kind by name.

    `kind` is a plural noun, as in the entry-point group `misword.metrics`. `parts` is the table of
    the built-in parts, or the name of a package: then all parts in its files. Nothing is imported
    until a part is loaded, so that `misword --help` starts quickly. Parts of other packages are
    added to the built-in ones and cannot replace them.

    >>> from misword.asr.metrics import METRICS
    >>> METRICS.create("mer:ties=jiwer")
    MER(ties='jiwer', words='whitespace')
    """

    def __init__(self, kind: str, parts: Mapping[str, Entry] | str) -> None:
        self.kind = kind
        self._parts = parts
        self._classes: tuple[dict[str, Entry], dict[str, type[PartT]]] = {}, {}

    @cached_property
    def _built_in(self) -> dict[str, Entry]:
        return find_parts(self._parts) if isinstance(self._parts, str) else dict(self._parts)

    @property
    def noun(self) -> str:
        """The name of one part in errors: `metric`, `dictionary format`, `family`."""
        plural = self.kind.replace("_", " ")
        return f"{plural[:-3]}y" if plural.endswith("ies") else plural.removesuffix("s")

    def entries(self) -> dict[str, Entry]:
        """Return the entries of all parts by name, those of other packages first."""
        return {**plugins(f"misword.{self.kind}"), **self._built_in}

    def names(self) -> list[str]:
        """Return the names of all parts, sorted."""
        return sorted(self.entries())

    def spelled(self, spec: str) -> str:
        """Return a spec with the name as the registry has it; it may be in upper or lower case.

        >>> from misword.asr.metrics import METRICS
        >>> METRICS.spelled("CER:spaces=false")
        'cer:spaces=false'
        """
        name, colon, settings = spec.strip().partition(":")
        if name not in self._built_in:
            known = self.entries()
            if name not in known:
                name = {other.lower(): other for other in known}.get(name.lower(), name)
        return f"{name}{colon}{settings}"

    def load(self, name: str) -> type[PartT]:
        """Import and return the class of a part."""
        name = self.spelled(name)
        entry = self._built_in.get(name) or self.entries().get(name)
        if entry is None:
            raise OptionError(
                f"unknown {self.noun} {name!r}",
                fix=f"{did_you_mean(name, self.names())}known: {', '.join(self.names())}",
            )
        module, _, attribute = entry.target.partition(":")
        try:
            part: type[PartT] = getattr(import_module(module), attribute)
        except ModuleNotFoundError as error:
            if entry.extra is None and name in self._built_in:
                raise  # a module of misword itself is missing: a bug, not a missing package
            package = f"'misword[{entry.extra}]'" if entry.extra else error.name
            raise MissingExtraError(
                f"{name!r} needs the package {error.name!r}", fix=f"pip install {package}"
            ) from error
        if not (isinstance(part, type) and issubclass(part, Part)):
            raise OptionError(
                f"{name!r} of the {self.kind} is not a part",
                where=entry.target,
                fix="derive its class from the base class in the folder of the registry",
            )
        return part

    def classes(self) -> dict[str, type[PartT]]:
        """Return the classes of all parts by name, in the order of the table."""
        entries = self.entries()
        if entries != self._classes[0]:  # also if a package with a part was installed
            self._classes = entries, {name: self.load(name) for name in entries}
        return self._classes[1]

    def create(self, spec: str) -> PartT:
        """Return the part that a spec describes, e.g. `cer:spaces=false`."""
        name, _, settings = self.spelled(spec).partition(":")
        part = self.load(name)
        options = {}
        hints = get_type_hints(part) if settings else {}  # slow for a class with many bases
        names = [field.name for field in fields(part) if field.init]  # type: ignore[arg-type]
        for place, setting in enumerate(filter(None, settings.split(","))):
            key, equals, value = setting.partition("=")
            if part.main_option and not place and not equals:
                key, equals, value = part.main_option, "=", setting
            if not equals or key not in names:
                what = f"{name!r} has no option {key!r}" if equals else f"{setting!r} has no '='"
                listed = f"options of {name!r}: {', '.join(names) or 'none'}"
                raise OptionError(what, fix=f"{did_you_mean(key, names)}{listed}")
            options[key] = convert(value, hints[key], f"{name}:{key}")
        return part(**options)

    def create_all(self, specs: str | Iterable[str]) -> dict[str, PartT]:
        """Return the parts of several specs, by spec and in order; a repeated spec counts once."""
        return {self.spelled(spec): self.create(spec) for spec in split_specs(specs)}


def find_parts(package: str) -> dict[str, Entry]:
    """Return the parts in the files of a package by name; the files are read, not imported.

    A part is a class with a line `name: ClassVar[str] = "..."` and its title on the next line.
    """
    spec = find_spec(package)
    assert spec is not None
    assert spec.submodule_search_locations
    folder = Path(spec.submodule_search_locations[0])
    found = {}
    for path in folder.glob("[!_]*.py"):
        for match in CLASS.finditer(path.read_text("utf-8")):
            if name := NAME.search(match["body"]):
                found[name[1]] = Entry(f"{package}.{path.stem}:{match['name']}")
    return dict(sorted(found.items()))


def plugins(group: str) -> dict[str, Entry]:
    """Return the parts that other packages register in a group of entry points, by name.

    The search reads a file of each installed package, once for all groups. It is repeated only if
    packages may have been installed or removed since: if `sys.path` or one of its folders has
    changed.
    """
    return _search(tuple((folder, _time_of_change(folder)) for folder in sys.path)).get(group, {})


@lru_cache
def _search(folders: tuple[tuple[str, int], ...]) -> dict[str, dict[str, Entry]]:
    """Return the parts of other packages by group and name."""
    from importlib.metadata import entry_points

    points = entry_points()
    return {
        group: {point.name: Entry(point.value) for point in points.select(group=group)}
        for group in points.groups
        if group.startswith(GROUPS)
    }


def _time_of_change(folder: str) -> int:
    """Return the time of the last change of a folder in nanoseconds; 0 if there is none."""
    try:
        return os.stat(folder or os.curdir).st_mtime_ns
    except OSError:
        return 0


def split_specs(specs: str | Iterable[str]) -> list[str]:
    """Split a comma-separated list into specs; `option=value` belongs to the spec before it.

    >>> split_specs("wer,cer:spaces=false,ties=jiwer,mer")
    ['wer', 'cer:spaces=false,ties=jiwer', 'mer']
    """
    if not isinstance(specs, str):
        return [spec for text in specs for spec in split_specs(text)]
    separate: list[str] = []
    for piece in filter(None, (piece.strip() for piece in specs.split(","))):
        if OPTION.match(piece) and separate:
            separate[-1] += f",{piece}"
        else:
            separate.append(piece)
    return separate


def convert(text: str, hint: Any, where: str) -> Any:
    """Return an option's value, converted from text to its declared type.

    `hint` is the type of the dataclass field: a `Literal`, `bool`, `int`, `float`, `str`, or one of
    these with None. `where` names the option in errors.

    >>> convert("yes", bool, "cer:spaces"), convert("5", int | None, "wer:size")
    (True, 5)
    """
    if get_origin(hint) is Literal:
        choices = {str(value): value for value in get_args(hint)}
        if text in choices:
            return choices[text]
        raise OptionError(f"{where} is {text!r}", fix=f"use one of: {', '.join(choices)}")
    if get_origin(hint) in (Union, UnionType):  # an option that may be left unset
        return convert(text, next(kind for kind in get_args(hint) if kind is not NoneType), where)
    if hint is bool:
        if text.lower() in BOOLEANS:
            return BOOLEANS[text.lower()]
        raise OptionError(f"{where} is {text!r}", fix="use true or false")
    try:
        value = hint(text)
    except ValueError:
        raise OptionError(f"{where} is {text!r}, not a {hint.__name__}") from None
    if isinstance(value, int | float) and abs(value) > LARGEST:
        raise OptionError(f"{where} is {text!r}", fix=f"use a number of at most {LARGEST}")
    return value
