"""Tests that need a package which is not installed are skipped, by the name of that package.

On a machine with all packages of the extra `dev`, nothing is skipped here: an error about a missing
package is then a failure of the test.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

import pytest

from misword.core.errors import MissingExtraError
from release.project import packages_of_extra


def needs(*modules: str) -> pytest.MarkDecorator:
    """Skip a test unless these modules can be imported."""
    missing = [module for module in modules if find_spec(module) is None]
    return pytest.mark.skipif(bool(missing), reason=f"needs {', '.join(missing)}")


def reason_to_skip(error: Exception) -> str | None:
    """Why a test that ended with `error` is skipped; None if the error is a failure."""
    if isinstance(error, MissingExtraError) and missing_packages():
        return error.what
    if isinstance(error, ModuleNotFoundError) and error.name:
        package = error.name.partition(".")[0]
        if package != "misword" and find_spec(package) is None:
            return f"needs {package}"
    return None


@cache
def missing_packages() -> tuple[str, ...]:
    """Packages of the extra `dev`, and of the extras it names, that are not installed."""
    return tuple(name for name in sorted(packages_of_extra("dev")) if not _installed(name))


def _installed(package: str) -> bool:
    try:
        version(package)
    except PackageNotFoundError:
        return False
    return True
