"""What registered parts have in common: their contract, requirements, bibliography and checks.

A part is one entry of a registry: a metric, a view, a cost, a normalizer, an encoder, a channel,
a mapping method, a file format. It is a frozen dataclass whose fields are its options. Each
registry derives its own contract from `Part` and adds what its parts do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

from misword.core.context import Context
from misword.core.errors import MissingExtraError, OptionError

# Named settings that decide a number, in the order in which a signature prints them.
Settings = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Requirement:
    """Modules that must be importable, the command that installs them, and their licence.

    `libraries` are shared libraries that no Python package contains, without the prefix `lib` and
    without a suffix (`voikko`). An empty requirement is always installed.

    Known problems: only the presence of a module is checked, not its version.

    >>> Requirement(("json",), "nothing to do").installed
    True
    """

    modules: tuple[str, ...] = ()
    install: str = ""
    licence: str = ""
    libraries: tuple[str, ...] = ()

    @property
    def missing(self) -> tuple[str, ...]:
        """Names of the modules and libraries that cannot be found."""
        from ctypes.util import find_library  # imports a module for other processes

        modules = [module for module in self.modules if find_spec(module) is None]
        libraries = [name for name in self.libraries if find_library(name) is None]
        return (*modules, *(f"lib{name}" for name in libraries))

    @property
    def installed(self) -> bool:
        """Whether every module and library can be found."""
        return not self.missing

    def check(self, name: str) -> None:
        """Raise an error with the install command if a package that `name` needs is missing."""
        if missing := self.missing:
            raise MissingExtraError(
                f"{name!r} needs {' and '.join(missing)}, not installed",
                fix=f"{self.install}{self.terms}",
            )

    @property
    def terms(self) -> str:
        """The licence in brackets, and the extra that copyleft packages are in."""
        if not self.licence:
            return ""
        copyleft = "GPL" in self.licence and "misword[" in self.install
        extra = "; misword[copyleft] installs it, misword[all] does not" if copyleft else ""
        return f"  (licence: {self.licence}{extra})"


class Part:
    """Base class of every registered part; a part overrides only what is special about it.

    `name` is the name in the registry. `title` is the name as papers write it (`WER-E`); it is
    `name` where a part does not set it. `family` is the aspect of language that the part is about
    (`words`, `sounds`, `semantics`). `cites` lists the papers to cite: keys of misword's own
    bibliography (`le2016`), or whole BibTeX entries, which is what a part of another package gives.

    `revision` is raised when a number of the part can move although no option changed: because the
    part computes something else, or because code that it shares with others does. Signatures have
    it instead of the version of misword, so that results of two versions can be compared if no
    number moved between them.

    `main_option` is the option whose value a spec may begin with, without its name; empty if all
    options must be named.

    `needs` are the fields of the `Context` without which the part cannot work (`lang`, `vectors`);
    `uses` are the fields that it reads where they are set (`lang`, `cache`).

    The report, `misword parts` and `--help` read these members. A new part therefore needs an entry
    in its registry and nowhere else.
    """

    __slots__ = ()

    name: ClassVar[str] = ""
    title: ClassVar[str] = ""
    family: ClassVar[str] = ""
    cites: ClassVar[tuple[str, ...]] = ()
    revision: ClassVar[int] = 1
    main_option: ClassVar[str] = ""

    @property
    def needs(self) -> tuple[str, ...]:
        """Fields of the context that must be set."""
        return ()

    @property
    def uses(self) -> tuple[str, ...]:
        """Fields of the context that are read where they are set."""
        return ()

    @classmethod
    def languages(cls) -> tuple[str, ...]:
        """Return the codes of the languages that the part covers; empty if it covers any language.

        It must not import anything heavy: `misword parts` calls it for every part.
        """
        return ()

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """Return the packages and libraries that the part needs for a language."""
        return Requirement()

    def check(self, context: Context) -> None:
        """Raise an error before any work if the part cannot be used in this context."""
        self.requirement(context.lang).check(self.name)

    def settings(self, context: Context) -> Settings:
        """Return the settings that decide the part's numbers; by default these are its options."""
        return options_of(self)


def options_of(part: Any) -> Settings:
    """Return the options of a part as settings of a signature."""
    values = ((field.name, getattr(part, field.name)) for field in fields(part) if field.init)
    return tuple((name, spell(value)) for name, value in values)


def signed_name(part: Part) -> str:
    """Return the name of a part within a signature: with its revision, unless that is 1."""
    return part.name if part.revision == 1 else f"{part.name}-{part.revision}"


def spell(value: object) -> str:
    """Return an option's value as text that `misword.core.parts.registry.convert` can read."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def describe(part: Part | type[Part]) -> dict[str, Any]:
    """Return title, family and BibTeX entries of a part, for `Result.provenance["parts"]`.

    `part` may be a class, since these three do not depend on options.

    >>> from misword.asr.metrics import METRICS
    >>> describe(METRICS.create("wer-s"))["title"]
    'WER-S'
    """
    return {
        "title": part.title or part.name,
        "family": part.family,
        "cites": [bibtex(cite) for cite in part.cites],
    }


def bibtex(cite: str) -> str:
    """Return the BibTeX entry of a key of `references.bib`; a whole entry is returned as it is.

    >>> bibtex("le2016").splitlines()[0]
    '@inproceedings{le2016,'
    """
    return cite if cite.startswith("@") else _bibliography()[cite]


@cache
def _bibliography() -> dict[str, str]:
    """Return the BibTeX entries of `references.bib` in this folder, by key."""
    text = (files("misword.core.parts") / "references.bib").read_text("utf-8")
    blocks = re.split(r"\n\n(?=@)", text.strip())
    return {re.match(r"@\w+\{([^,]+),", block)[1]: block for block in blocks}  # type: ignore[index]


@contextmanager
def suggesting(alternatives: Sequence[str]) -> Iterator[None]:
    """Add the names of alternative parts to the fix of a `MissingExtraError` raised inside."""
    try:
        yield
    except MissingExtraError as error:
        if not alternatives:
            raise
        fix = f"{error.fix}; or name another part: {', '.join(alternatives)}"
        raise MissingExtraError(error.what, where=error.where, fix=fix) from None


def package_folder(module: str) -> Path:
    """Return the folder of an installed package, found without importing it."""
    spec = find_spec(module)
    assert spec is not None, f"{module} is not installed"
    return Path(str(spec.origin)).parent


@cache
def version_of(package: str) -> str:
    """Return the version of an installed package for a signature; `unknown` if it has none."""
    from importlib.metadata import PackageNotFoundError, version  # slow to import

    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"


def check_at_least(part: object, **least: int) -> None:
    """Raise an error if an option of a part is below its least value.

    >>> from types import SimpleNamespace
    >>> check_at_least(SimpleNamespace(neighbors=0), neighbors=1)
    Traceback (most recent call last):
    misword.core.errors.OptionError: neighbors is 0
      use 1 or more
    """
    for name, low in least.items():
        if getattr(part, name) < low:
            raise OptionError(f"{name} is {getattr(part, name)}", fix=f"use {low} or more")


def check_between(part: object, **bounds: tuple[float, float]) -> None:
    """Raise an error if an option of a part is not within its bounds.

    The bounds themselves are allowed; nan is not.
    """
    for name, (low, high) in bounds.items():
        if not low <= getattr(part, name) <= high:
            raise OptionError(
                f"{name} is {getattr(part, name)}", fix=f"use a number from {low} to {high}"
            )
