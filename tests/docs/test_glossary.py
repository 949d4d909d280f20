"""The glossary: its tables of parts are those of the registries, its terms are in order."""

from __future__ import annotations

import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

from misword.cli.commands.files.parts import REGISTRIES, describe_all, listed_parts, registry
from misword.core.errors import MissingExtraError
from misword.core.parts.registry import Entry

ROOT = Path(__file__).parent.parent.parent
PAGE = ROOT / "docs" / "glossary.md"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.fixture
def tool() -> ModuleType:
    """The tool that writes the tables; skipped where a part's package is not installed."""
    for kind in REGISTRIES:
        for name in registry(kind).names():
            try:
                registry(kind).load(name)
            except MissingExtraError as error:
                pytest.skip(str(error))
    spec = spec_from_file_location("make_glossary", ROOT / "tools" / "make_glossary.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_tables_of_parts_are_up_to_date(tool: ModuleType) -> None:
    """If this fails, run `python tools/make_glossary.py`."""
    page = PAGE.read_text("utf-8")
    assert tool.updated(page) == page


def test_the_list_of_the_command_is_up_to_date(tool: ModuleType) -> None:
    """If this fails, run `python tools/make_glossary.py`."""
    assert tool.list_of_parts() == tool.LIST.read_text("utf-8")
    kinds = [row for kind in REGISTRIES for row in describe_all(kind, "")]
    assert list(listed_parts()) == kinds


def test_a_new_part_appears_in_its_table(tool: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line in the registry is enough; a part of another package is left out."""
    retrievers = registry("retrievers")
    more = {
        "new": Entry("misword.bli.retrievers.csls:CSLS"),
        "other": Entry("elsewhere.retrievers:Other"),
    }
    entries = retrievers.entries()
    monkeypatch.setattr(retrievers, "entries", lambda: entries | more)
    assert "| `new` | CSLS | retrieval | Twice the cosine" in tool.tables()
    assert "`other`" not in tool.tables()


def test_terms_are_in_alphabetical_order() -> None:
    """So that a reader finds a term without searching."""
    terms = PAGE.read_text("utf-8").partition("## Terms")[2].partition("\n## ")[0]
    names = re.findall(r"^### (.+)$", terms, re.MULTILINE)
    assert len(names) > 40
    assert names == sorted(names, key=str.lower)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_to_terms_lead_to_a_heading(page: Path) -> None:
    """`glossary.md#n-best-list` is the heading `N-best list`, as GitHub writes its anchor."""
    glossary = PAGE.read_text("utf-8")
    anchors = {_anchor(heading) for heading in re.findall(r"^#+ (.+)$", glossary, re.MULTILINE)}
    own = r"\]\(#([^)]+)\)" if page == PAGE else r"\]\((?:docs/)?glossary\.md#([^)]+)\)"
    assert set(re.findall(own, page.read_text("utf-8"))) <= anchors


def _anchor(heading: str) -> str:
    """Return the anchor of a heading: lower case, hyphens for spaces, no other signs."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
