"""The version is the same in all files, and the check of it finds what differs."""

from __future__ import annotations

from pathlib import Path
from shutil import copy2

import pytest

import misword
from release.project import ROOT
from release.versions import CHANGELOG, CITATION, VERSION, version, version_problems


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """The files that state the version, as they are at a release."""
    for path in (VERSION, CHANGELOG, CITATION):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        copy2(ROOT / path, tmp_path / path)
    text = (tmp_path / CHANGELOG).read_text("utf-8")
    before, _, after = text.partition("## Unreleased\n")
    released = after[after.index(f"## {version()}") :] if after else before
    (tmp_path / CHANGELOG).write_text(before + released, "utf-8")
    return tmp_path


def test_the_versions_of_this_tree_agree() -> None:
    assert version() == misword.__version__
    assert version_problems() == []


def test_a_release_has_its_tag(tree: Path) -> None:
    assert version_problems(tree, f"v{version()}") == []
    assert len(version_problems(tree, "v99.0.0")) == 1


@pytest.mark.parametrize("path", [CHANGELOG, CITATION])
def test_another_version_is_found(path: Path, tree: Path) -> None:
    text = (tree / path).read_text("utf-8")
    (tree / path).write_text(text.replace(version(), "99.0.0"), "utf-8")
    (problem,) = version_problems(tree)
    assert problem == f"{path} says 99.0.0, {VERSION} says {version()}"


def test_a_release_has_no_unreleased_changes(tree: Path) -> None:
    text = (tree / CHANGELOG).read_text("utf-8")
    (tree / CHANGELOG).write_text(f"## Unreleased\n\n- a change\n\n{text}", "utf-8")
    assert version_problems(tree) == []
    assert len(version_problems(tree, f"v{version()}")) == 1
