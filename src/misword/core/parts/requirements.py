"""Packages and libraries that a part needs: whether they are installed, and how to install them.

misword itself needs few packages. A part that needs more says so with a `Requirement`, which looks
for the packages without importing them, since an import may take seconds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from ctypes.util import find_library
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from misword.core.errors import MissingExtraError


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
            licence = f"  (licence: {self.licence})" if self.licence else ""
            raise MissingExtraError(
                f"{name!r} needs {' and '.join(missing)}, not installed",
                fix=f"{self.install}{licence}",
            )


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
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"
