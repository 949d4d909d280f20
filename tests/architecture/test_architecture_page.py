"""docs/architecture.md names the folders and files that exist, and all of them."""

from __future__ import annotations

import re
from pathlib import Path

import misword

SOURCE = Path(misword.__file__).parent
PAGE = (Path(__file__).parents[2] / "docs" / "architecture.md").read_text("utf-8")
REGISTRIES = {
    path.parent
    for path in SOURCE.rglob("__init__.py")
    if "Registry(" in path.read_text("utf-8") and path.parent.name != "parts"
}


def listed_names() -> set[str]:
    """Paths, relative to the package, of the modules and folders in the tree of the page."""
    block = PAGE.partition("## The tree")[2].partition("A folder with a plural name")[0]
    folder, names = Path(), set()
    parents: dict[int, Path] = {}
    for line in re.findall(r"^    .+$", block, re.MULTILINE):
        text = line[4:]
        indent = len(text) - len(text.lstrip())
        words = text.split()
        if indent <= 2:
            folder = (parents[0] if indent else Path()) / words[0].rstrip("/")
            parents[indent] = folder
            names.add(f"{folder}/")
            words = words[1:]
        names |= {str(folder / word) + ("/" if word.endswith("/") else "") for word in words}
    return names


def test_the_tree_names_what_exists() -> None:
    for name in listed_names():
        path = SOURCE / name
        assert path.is_dir() if name.endswith("/") else path.with_suffix(".py").is_file(), name


def test_every_module_outside_of_registries_is_in_the_tree() -> None:
    """The parts of a registry are not listed: there may be many, and the folder's name says it."""
    names = listed_names()
    for path in SOURCE.rglob("*.py"):
        module = path.relative_to(SOURCE).with_suffix("")
        is_detailed = any(
            name.startswith(f"{module.parent}/") and not name.endswith("/") for name in names
        )
        if is_detailed and module.name != "__init__" and path.parent not in REGISTRIES:
            assert str(module) in names, module


def test_answers_name_files_that_exist() -> None:
    table = PAGE.partition("## Where is")[2].partition("\n## ")[0]
    paths = re.findall(r"`([\w/.]+\.(?:py|bib))`", table)
    assert len(paths) >= 13
    for path in paths:
        assert (SOURCE / path).is_file(), path
