"""Modules that import an optional package say what to install where it is missing."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib.metadata import packages_distributions

from packaging.utils import canonicalize_name

from release.project import ROOT, required_packages

SOURCE = ROOT / "src" / "misword"
# What a module has that checks for a package: a requirement, an error of its own, or a search.
GUARDS = ("Requirement", "REQUIREMENT", "MissingExtraError", "find_spec")


def test_imports_of_optional_packages_are_guarded() -> None:
    required = {canonicalize_name(name) for name in required_packages()}
    packages = packages_distributions()
    found = []
    for path in SOURCE.rglob("*.py"):
        if path.name == "pytest_plugin.py":  # pytest itself loads it
            continue
        text = path.read_text("utf-8")
        beside = [other.read_text("utf-8") for other in path.parent.glob("*.py")]
        for name in imported(ast.parse(text)):
            owners = {canonicalize_name(owner) for owner in packages.get(name, [])}
            # A module of a part may leave the check to the module that declares the part.
            checked = any(guard in text for guard in GUARDS) or any(
                f'("{name}",)' in t for t in beside
            )
            if owners and not owners & required and not checked:
                found.append(f"{path.relative_to(ROOT)} imports {name}")
    assert found == []


def imported(tree: ast.Module) -> Iterator[str]:
    """Yield the names of the top-level packages that a module imports, anywhere in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module.partition(".")[0]
