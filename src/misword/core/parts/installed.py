"""Installed packages: their folders and versions, and hints where one is missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from misword.core.errors import MissingExtraError


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
