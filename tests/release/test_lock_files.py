"""The lock files have a version, with digests, of each package that pyproject.toml asks for."""

from __future__ import annotations

import re

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from lock import ALONE, FOLDER, LOCKS, OLDEST, TORCH, locked, wanted
from release.project import ROOT, extras, packages_of_extra, project

# Environments that the lock files must serve.
MARKERS = [
    {"python_version": python, "python_full_version": f"{python}.5", "sys_platform": system}
    for python in ("3.11", "3.12", "3.13")
    for system in ("linux", "darwin", "win32")
]


@pytest.mark.parametrize("name", sorted(LOCKS))
def test_lock_files_satisfy_the_project(name: str) -> None:
    chosen, own = LOCKS[name]
    lines = wanted(chosen, own) if name not in {"compiler", "wheels"} else map(Requirement, own)
    problems = [problem for line in lines for problem in missing(name, line)]
    assert not problems, "python tools/lock.py"


def test_the_oldest_versions_are_the_lower_bounds() -> None:
    """A lower bound that is not the version in the lock file is a bound nobody tested."""
    versions = locked("oldest")
    for line in wanted(*OLDEST):
        lowest = re.search(r"[>=]=([\d.]+)", str(line.specifier))
        if lowest and line.name != "torch" and applies(line, MARKERS[0]):
            (found,) = versions[canonicalize_name(line.name)][:1]
            release = re.sub(r"(\.0)+$", "", lowest[1])
            assert str(found.specifier)[2:].startswith(release), (line, found)


def test_every_file_has_a_digest() -> None:
    for path in FOLDER.glob("*.txt"):
        blocks = re.split(r"\n(?=\S)", path.read_text("utf-8"))
        packages = [block for block in blocks if re.match(r"[\w.-]+==", block)]
        assert packages
        assert all("--hash=sha256:" in block for block in packages), path


def test_packages_without_their_requirements_are_locked() -> None:
    assert sorted(locked("alone")) == sorted(line.partition("==")[0] for line in ALONE)


def test_the_version_of_torch_is_the_same_everywhere() -> None:
    assert str(locked("torch")["torch"][0].specifier) == f"=={TORCH}"
    assert f"torch=={TORCH}" in (ROOT / "Makefile").read_text("utf-8")
    for lines in project()["optional-dependencies"].values():
        assert f"torch=={TORCH}" not in lines, "an extra must serve environments with another torch"


def test_all_and_copyleft_are_apart() -> None:
    both = packages_of_extra("all") & packages_of_extra("copyleft")
    shared = {"panphon"} | packages_of_extra("spacy")
    assert both <= shared
    rest = set().union(*map(packages_of_extra, extras())) - packages_of_extra("all")
    assert packages_of_extra("copyleft") - shared <= rest


def missing(name: str, line: Requirement) -> list[str]:
    """Return the environments in which a lock file has no fitting version of a package."""
    if line.name == "torch":
        return []
    rows = locked(name).get(canonicalize_name(line.name), [])
    return [
        f"{line} with {environment}"
        for environment in MARKERS
        if applies(line, environment)
        and not any(
            applies(row, environment)
            and line.specifier.contains(str(row.specifier)[2:], prereleases=True)
            for row in rows
        )
    ]


def applies(line: Requirement, environment: dict[str, str]) -> bool:
    """Return whether a line holds in an environment."""
    return line.marker is None or line.marker.evaluate({"extra": "", **environment})
