"""Parts by name: a table of names, imported on first use, with options read from dataclass fields.

A part is a frozen dataclass; its fields are its options. A spec is `name` or `name:option=value`,
a list of specs is separated by commas: `wer,cer:spaces=false,ties=jiwer,mer`. Other packages add
parts through the entry-point group `misword.<kind>`, e.g. `misword.metrics`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import entry_points
from types import NoneType, UnionType
from typing import Any, Generic, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from misword.core.errors import MissingExtraError, OptionError

PartT = TypeVar("PartT")
OPTION = re.compile(r"^\w+=")
TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a part is (`module:Class`) and the extra of misword it needs, if any."""

    target: str
    extra: str | None = None


class Registry(Generic[PartT]):
    """A named family of parts (`kind` in the plural, as in `misword.metrics`).

    >>> from misword.asr.metrics import METRICS
    >>> METRICS.create("wer:ties=jiwer")
    WER(ties='jiwer')
    """

    def __init__(self, kind: str, parts: Mapping[str, Entry]) -> None:
        self.kind = kind
        self._built_in = dict(parts)

    def entries(self) -> dict[str, Entry]:
        """All parts by name: our own first, then those of other packages (which cannot replace)."""
        found = {p.name: Entry(p.value) for p in entry_points(group=f"misword.{self.kind}")}
        return {**found, **self._built_in}

    def names(self) -> list[str]:
        """All names, sorted."""
        return sorted(self.entries())

    def load(self, name: str) -> type[PartT]:
        """Import the class behind a name."""
        entry = self._built_in.get(name) or self.entries().get(name)
        if entry is None:
            near = get_close_matches(name.lower(), self.names(), 1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            raise OptionError(
                f"no part {name!r} among the {self.kind}",
                fix=f"{hint}known: {', '.join(self.names())}",
            )
        module, _, attribute = entry.target.partition(":")
        try:
            part: type[PartT] = getattr(import_module(module), attribute)
        except ModuleNotFoundError as error:
            if entry.extra is None and name in self._built_in:
                raise
            wanted = f"'misword[{entry.extra}]'" if entry.extra else error.name
            raise MissingExtraError(
                f"{name!r} needs the package {error.name!r}", fix=f"pip install {wanted}"
            ) from error
        return part

    def create(self, spec: str) -> PartT:
        """Build a part from its spec, e.g. `cer:spaces=false`."""
        name, _, settings = spec.partition(":")
        part = self.load(name.strip())
        options = {}
        hints = get_type_hints(part)
        known = [field.name for field in fields(part) if field.init]  # type: ignore[arg-type]
        for setting in filter(None, settings.split(",")):
            key, equals, value = setting.partition("=")
            if not equals or key not in known:
                what = f"{name!r} has no option {key!r}" if equals else f"{setting!r} has no '='"
                raise OptionError(what, fix=f"options of {name!r}: {', '.join(known) or 'none'}")
            options[key] = convert(value, hints[key], f"{name}:{key}")
        return part(**options)

    def create_all(self, specs: str | Iterable[str]) -> dict[str, PartT]:
        """Build several parts, keyed by their specs, in order; a spec given twice counts once."""
        return {spec: self.create(spec) for spec in split_specs(specs)}


def split_specs(specs: str | Iterable[str]) -> list[str]:
    """Cut a comma-separated list of specs; `option=value` goes with the spec before it.

    >>> split_specs("wer,cer:spaces=false,ties=jiwer,mer")
    ['wer', 'cer:spaces=false,ties=jiwer', 'mer']
    """
    if not isinstance(specs, str):
        return [spec for text in specs for spec in split_specs(text)]
    found: list[str] = []
    for piece in filter(None, (piece.strip() for piece in specs.split(","))):
        if OPTION.match(piece) and found:
            found[-1] += f",{piece}"
        else:
            found.append(piece)
    return found


def convert(text: str, hint: Any, where: str) -> Any:
    """Read an option's value as its declared type."""
    if get_origin(hint) is Literal:
        known = {str(value): value for value in get_args(hint)}
        if text in known:
            return known[text]
        raise OptionError(f"{where} is {text!r}", fix=f"use one of: {', '.join(known)}")
    if get_origin(hint) in (Union, UnionType):  # an option that may be left unset
        return convert(text, next(kind for kind in get_args(hint) if kind is not NoneType), where)
    if hint is bool:
        if text.lower() in TRUTH:
            return TRUTH[text.lower()]
        raise OptionError(f"{where} is {text!r}", fix="use true or false")
    try:
        return hint(text)
    except ValueError:
        raise OptionError(f"{where} is {text!r}, not a {hint.__name__}") from None
