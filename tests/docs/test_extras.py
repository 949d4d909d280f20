"""The extras of pyproject.toml: `all` has what the commands of the README need.

Test modules can be read without any extra: packages of extras are imported within tests, which are
then skipped by the name of the package (tests/extras.py).
"""

from __future__ import annotations

import ast
import re

from release.project import ROOT, packages_of_extra, project

EXTRAS: dict[str, list[str]] = project()["optional-dependencies"]
# Large packages, and those of one language or one option, are installed by their own name.
APART = {"causal", "estnltk", "faiss", "mcp", "neural", "ray"}
TESTS = sorted((ROOT / "tests").rglob("*.py"))
OPTIONAL = {
    package.lower().replace("-", "_")
    for extra in EXTRAS
    for package in packages_of_extra(extra) - {"hypothesis", "pytest"}
}


def test_all_has_every_extra_but_the_large_ones() -> None:
    named = {name for line in EXTRAS["all"] for name in re.findall(r"\w+", line.partition("[")[2])}
    copyleft = {n for line in EXTRAS["copyleft"] for n in re.findall(r"[\w-]+", line[7:])}
    assert named == set(EXTRAS) - APART - copyleft - {"all", "bench", "copyleft", "dev", "docs"}


def test_all_has_the_packages_of_the_readme() -> None:
    """`--channel voleti` and `mean-stop` read frequencies of words (wordfreq)."""
    assert "wordfreq" in packages_of_extra("all")


def test_extras_of_the_pages_exist() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    named = {
        name
        for page in pages
        for names in re.findall(r"misword\[([\w,-]+)\]", page.read_text("utf-8"))
        for name in names.split(",")
    }
    assert named <= set(EXTRAS)


def test_modules_of_tests_import_no_extra() -> None:
    found = {}
    for path in TESTS:
        for node in ast.parse(path.read_text("utf-8")).body:
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if extras := OPTIONAL.intersection(n.partition(".")[0].lower() for n in names):
                found[str(path)] = extras
    assert found == {}
