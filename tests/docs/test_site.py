"""The documentation as a site: it is built without a warning, and its links lead somewhere."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from urllib.parse import unquote

import pytest

import misword
from extras import needs

ROOT = Path(__file__).parents[2]
MODULES = sorted(path.stem for path in (ROOT / "tools" / "docs_site").glob("[!_]*.py"))


class Links(HTMLParser):
    """The addresses and the ids of a page."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.targets: set[str] = set()
        self.loaded: set[str] = set()
        self.ids: set[str] = set()
        self.feed(page.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.ids.add(value)
            if name in ("href", "src") and value:
                (self.targets if tag == "a" else self.loaded).add(value)


@pytest.mark.slow
@needs("furo")
def test_the_site(tmp_path: Path) -> None:
    """Sphinx has no warning; no link is dead; the API and the navigation are complete.

    It is one test, because each worker of the tests would build the site again. Another process
    builds it, because autodoc changes modules.
    """
    site = tmp_path / "site"
    command = [sys.executable, str(ROOT / "tools" / "make_site.py"), str(site)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    pages = {page: Links(page) for page in sorted(site.rglob("*.html"))}
    assert not dead_links(pages)
    loaded = {target for links in pages.values() for target in links.loaded}
    assert len(loaded) > 5
    assert not [target for target in loaded if re.match(r"(https?:)?//", target)]
    ids = {name for page, links in pages.items() if page.parent.name == "api" for name in links.ids}
    public = {f"misword.{name}" for name in misword.__all__ if not name.startswith("_")}
    assert {*public, "misword.report.write_report"} <= ids
    assert docs_pages() <= pages[site / "index.html"].targets


def dead_links(pages: dict[Path, Links]) -> list[tuple[str, str]]:
    """Pages and addresses that lead to no file, or to no element of a page."""
    dead = []
    for page, links in pages.items():
        for target in links.targets | links.loaded:
            name, _, anchor = unquote(target.partition("?")[0]).partition("#")
            if re.match(r"[a-z]+:", target):
                continue
            path = (page.parent / name).resolve() if name else page
            if not path.is_file() or (anchor and path in pages and anchor not in pages[path].ids):
                dead.append((page.name, target))
    return dead


def docs_pages() -> set[str]:
    """The pages of docs as the site names them, except its entry."""
    docs = ROOT / "docs"
    names = {str(path.relative_to(docs).with_suffix(".html")) for path in docs.rglob("*.md")}
    return {name.replace("README", "index") for name in names - {"README.html"}}


@needs("furo")
@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples(name: str) -> None:
    assert doctest.testmod(import_module(f"docs_site.{name}")).failed == 0


def test_the_entry_lists_every_page() -> None:
    """docs/README.md is the navigation on a forge and of the site."""
    docs = ROOT / "docs"
    listed = set(re.findall(r"\]\(([^)#]+)\)", (docs / "README.md").read_text("utf-8")))
    pages = {path.name for path in docs.glob("*.md")} - {"README.md"}
    notebooks = {f"notebooks/{path.name}" for path in docs.glob("notebooks/*.ipynb")}
    assert pages | notebooks <= listed


def test_the_page_of_measurements_lists_every_result() -> None:
    text = (ROOT / "docs" / "speed.md").read_text("utf-8")
    results = {path.name for path in (ROOT / "bench" / "results").glob("*.md")}
    assert set(re.findall(r"\]\(\.\./bench/results/([\w.-]+)\)", text)) == results
