"""The page on a package index: links of README.md, and the links beside it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from misword.core.version import __version__

ROOT = Path(__file__).parents[2]
ADDRESS = "https://git.example.org/o/misword"
VARIABLES = ("MISWORD_REPOSITORY", "GITHUB_SERVER_URL", "GITHUB_REPOSITORY")


def metadata(monkeypatch: pytest.MonkeyPatch, **variables: str) -> Any:
    """The metadata of a build with these variables of the environment."""
    from hatchling.metadata.core import ProjectMetadata
    from hatchling.plugin.manager import PluginManager

    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return ProjectMetadata(str(ROOT), PluginManager())


def test_links_of_the_description_lead_to_files_of_this_version(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    readme = metadata(monkeypatch, MISWORD_REPOSITORY=f"{ADDRESS}/").core.readme
    # Links, images, pictures, and the targets of named links.
    places = re.findall(r'\]\(([^)]+)\)|(?:src|srcset)="([^"]+)"|^\[[^]]+\]: (\S+)', readme, re.M)
    targets = ["".join(found) for found in places]
    paths = re.findall(rf"{ADDRESS}/(blob|raw)/v{re.escape(__version__)}/([^)\s\"#]+)", readme)
    assert len(targets) == len(paths) > 50
    for kind, path in paths:
        assert (ROOT / path).exists()
        assert (kind == "raw") == path.endswith(".png")


def test_project_links_are_those_of_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a workflow of GitHub, the address is known from its variables."""
    found = metadata(
        monkeypatch, GITHUB_SERVER_URL="https://github.com", GITHUB_REPOSITORY="o/misword"
    ).core.urls
    assert found["Source"] == "https://github.com/o/misword"
    assert {"Documentation", "Issues", "Changelog"} < set(found)


def test_without_an_address_the_description_is_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    core = metadata(monkeypatch).core
    assert core.readme == (ROOT / "README.md").read_text("utf-8")
    assert core.urls == {}
