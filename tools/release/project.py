"""What pyproject.toml says: dependencies, extras, and the versions of Python."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PYPROJECT = ROOT / "pyproject.toml"
# Extras of the developers: they are not for users.
DEVELOPMENT = {"bench", "dev"}
PYTHON = "Programming Language :: Python :: "


def project() -> dict[str, Any]:
    """Return the table `project` of pyproject.toml."""
    table: dict[str, Any] = tomllib.loads(PYPROJECT.read_text("utf-8"))["project"]
    return table


def pythons() -> list[str]:
    """Return the versions of Python that the classifiers name, oldest first."""
    named = [name.removeprefix(PYTHON) for name in project()["classifiers"]]
    return [name for name in named if re.fullmatch(r"3\.\d+", name)]


def extras() -> list[str]:
    """Return the extras for users, sorted."""
    return sorted(set(project()["optional-dependencies"]) - DEVELOPMENT)


def required_packages() -> set[str]:
    """Return the packages that misword needs."""
    return {_name_and_extras(line)[0] for line in project()["dependencies"]}


def packages_of_extra(extra: str) -> set[str]:
    """Return the packages that an extra, and the extras it names, list."""
    names = set()
    for line in project()["optional-dependencies"][extra]:
        name, inner = _name_and_extras(line)
        if name == "misword":
            names |= {package for part in inner for package in packages_of_extra(part)}
        else:
            names.add(name)
    return names


def _name_and_extras(requirement: str) -> tuple[str, list[str]]:
    """`"misword[all,causal]"` gives the name `misword` and its two extras."""
    match = re.match(r"([\w.-]+)(?:\[(.*?)\])?", requirement)
    assert match is not None, requirement
    return match[1], (match[2] or "").split(",")
