"""The version of misword is written in three files and, at a release, in a tag: all must agree."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from release.project import ROOT

VERSION = Path("src/misword/core/version.py")
CHANGELOG = Path("CHANGELOG.md")
CITATION = Path("CITATION.cff")
UNRELEASED = "Unreleased"


def version(root: Path = ROOT) -> str:
    """Return the version that the package states."""
    return _search(root / VERSION, r'^__version__ = "(.+)"$')


def version_problems(root: Path = ROOT, tag: str | None = None) -> list[str]:
    """Return what does not agree; `tag` is the tag of the release, None between releases."""
    expected = version(root)
    problems = [
        f"{path} says {found}, {VERSION} says {expected}"
        for path, found in (
            (CHANGELOG, newest_release(root)),
            (CITATION, _search(root / CITATION, r"^version: (\S+)$")),
        )
        if found != expected
    ]
    if tag is not None and tag != f"v{expected}":
        problems.append(f"the tag is {tag}, {VERSION} says {expected}")
    if tag is not None and has_unreleased_changes(root):
        problems.append(f"{CHANGELOG} still has a section {UNRELEASED}")
    return problems


def newest_release(root: Path = ROOT) -> str:
    """Return the version of the first release in the changelog."""
    return _search(root / CHANGELOG, rf"^## (?!{UNRELEASED})(\S+)")


def has_unreleased_changes(root: Path = ROOT) -> bool:
    """Return whether the changelog has a section of changes that no release has."""
    return f"## {UNRELEASED}" in (root / CHANGELOG).read_text("utf-8").splitlines()


def current_tag(root: Path = ROOT) -> str | None:
    """Return the tag of the commit that is checked out, None if it has none."""
    command = ["git", "describe", "--tags", "--exact-match", "--match", "v*"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    return done.stdout.strip() or None


def _search(path: Path, pattern: str) -> str:
    match = re.search(pattern, path.read_text("utf-8"), re.MULTILINE)
    return match[1] if match else "no version"
