"""The extras of pyproject.toml: `all` has what the commands of the README need."""

from __future__ import annotations

import re
import tomllib

from extras import PYPROJECT, _packages

EXTRAS: dict[str, list[str]] = tomllib.loads(PYPROJECT.read_text("utf-8"))["project"][
    "optional-dependencies"
]
# Large packages, and those of one language or one option, are installed by their own name.
APART = {"causal", "estnltk", "faiss", "neural", "ray"}
README = PYPROJECT.parent / "README.md"


def test_all_has_every_extra_but_the_large_ones() -> None:
    named = {name for line in EXTRAS["all"] for name in re.findall(r"\w+", line.partition("[")[2])}
    assert named == set(EXTRAS) - APART - {"all", "bench", "dev"}


def test_all_has_the_packages_of_the_readme() -> None:
    """`--channel voleti` and `mean-stop` read frequencies of words (wordfreq)."""
    assert "wordfreq" in _packages(EXTRAS, "all")


def test_extras_of_the_pages_exist() -> None:
    pages = [README, *(README.parent / "docs").glob("*.md")]
    named = {
        name
        for page in pages
        for names in re.findall(r"misword\[([\w,]+)\]", page.read_text("utf-8"))
        for name in names.split(",")
    }
    assert named <= set(EXTRAS)
