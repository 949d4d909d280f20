"""docs/architecture.md: files that exist, all rooms in the order of imports, five short walks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import misword
from import_graph import import_graph

SOURCE = Path(misword.__file__).parent
DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "architecture.md").read_text("utf-8")
NAMED = re.compile(r"`((?:\w+/)+[\w.]+\.(?:py|bib|c|h))`")


@pytest.mark.parametrize("name", ["architecture.md", "where-the-time-goes.md"])
def test_pages_name_files_that_exist(name: str) -> None:
    paths = NAMED.findall((DOCS / name).read_text("utf-8"))
    assert len(paths) >= 10
    for path in paths:
        there = SOURCE / path, DOCS.parent / path
        assert any(found.is_file() for found in there), path


def test_rooms_are_in_the_order_of_imports() -> None:
    table = PAGE.partition("## The rooms")[2].partition("\n## ")[0]
    rooms = re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)
    folders = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    assert set(rooms) == folders
    assert len(rooms) == 12
    for module, imported in import_graph().items():
        room = module.split(".")[1:2]
        for other in (name.split(".")[1] for name in imported if name.count(".")):
            if room and room[0] in rooms and other in rooms:
                assert rooms.index(other) <= rooms.index(room[0]), (module, other)


def test_walks_are_short() -> None:
    walks = PAGE.partition("## Five walks")[2].partition("\n## ")[0]
    titles = re.findall(r"^\*\*(.+?)\*\*", walks, re.MULTILINE)
    parts = re.split(r"^\*\*.+?\*\*", walks, flags=re.MULTILINE)[1:]
    assert len(titles) == 5
    for title, text in zip(titles, parts, strict=True):
        assert 5 <= len(set(NAMED.findall(text))) <= 20, title
