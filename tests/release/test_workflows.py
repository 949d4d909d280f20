"""The workflows of the forge name targets and versions that exist; CITATION.cff has its fields."""

from __future__ import annotations

import re
from typing import Any

import pytest

from release.project import ROOT, project, pythons

yaml = pytest.importorskip("yaml")
FOLDER = ROOT / ".github" / "workflows"
WORKFLOWS = sorted(FOLDER.glob("*.yml"))
TARGETS = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))


def jobs(name: str) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load((FOLDER / name).read_text("utf-8"))["jobs"]
    return content


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_commands_are_targets_of_the_makefile(path: Any) -> None:
    steps = [step for job in jobs(path.name).values() for step in job["steps"]]
    commands = [step["run"] for step in steps if "run" in step]
    for command in commands:
        assert command.split()[0] == "make"
        assert command.split()[1] in TARGETS
    assert commands


def test_all_systems_with_wheels_and_all_versions_are_tested() -> None:
    matrix = jobs("test.yml")["test"]["strategy"]["matrix"]
    assert {name.partition("-")[0] for name in matrix["os"]} == {"ubuntu", "macos", "windows"}
    assert matrix["python"] == pythons()


def test_a_release_is_checked_with_all_versions() -> None:
    (check,) = [step for step in jobs("publish.yml")["build"]["steps"] if "run" in step]
    assert f"REQUIRE={','.join(pythons())}" in check["run"]
    installed = jobs("publish.yml")["build"]["steps"][1]["with"]["python-version"].split()
    assert sorted(installed) == pythons()


def test_published_files_have_attestations_and_a_list_of_components() -> None:
    publish = jobs("publish.yml")["publish"]
    assert publish["permissions"]["id-token"] == "write"
    used = {step["uses"].partition("@")[0]: step.get("with", {}) for step in publish["steps"]}
    assert used["pypa/gh-action-pypi-publish"] == {"attestations": True}
    assert used["softprops/action-gh-release"] == {"files": "sbom/*"}


def test_the_oldest_version_is_the_required_one() -> None:
    assert project()["requires-python"] == f">={pythons()[0]}"


def test_the_citation_has_the_required_fields() -> None:
    """Those of the Citation File Format 1.2.0; `make release-check` validates the whole file."""
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert {"authors", "cff-version", "message", "title"} <= set(citation)
    assert citation["license"] == "Apache-2.0"
