"""What a part needs that misword may not have installed, told without importing it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from ctypes.util import find_library
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

from misword.core.errors import MissingExtraError


@dataclass(frozen=True, slots=True)
class Requirement:
    """Importable modules, the line that installs them, and the licence they come under.

    `libraries` are shared libraries that no Python package brings, without `lib` and suffix.

    >>> Requirement(("json",), "nothing to do").installed
    True
    """

    modules: tuple[str, ...] = ()
    install: str = ""
    licence: str = ""
    libraries: tuple[str, ...] = ()

    @property
    def missing(self) -> tuple[str, ...]:
        """Modules and libraries that cannot be found."""
        modules = [module for module in self.modules if find_spec(module) is None]
        libraries = [name for name in self.libraries if find_library(name) is None]
        return (*modules, *(f"lib{name}" for name in libraries))

    @property
    def installed(self) -> bool:
        """Whether everything is there."""
        return not self.missing

    def check(self, name: str) -> None:
        """Raise an error with the line that installs what `name` lacks."""
        if missing := self.missing:
            licence = f"  (licence: {self.licence})" if self.licence else ""
            raise MissingExtraError(
                f"{name!r} needs {' and '.join(missing)}, not installed",
                fix=f"{self.install}{licence}",
            )


@contextmanager
def suggesting(others: Sequence[str]) -> Iterator[None]:
    """Let an error about a missing package also name the parts that could do instead."""
    try:
        yield
    except MissingExtraError as error:
        if not others:
            raise
        fix = f"{error.fix}; or name another part: {', '.join(others)}"
        raise MissingExtraError(error.what, where=error.where, fix=fix) from None


@cache
def version_of(package: str) -> str:
    """The version of an installed package, for a signature."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"
