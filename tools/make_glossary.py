"""Write docs/glossary.md's tables of parts, and the list of `misword parts`, from the registries.

    python tools/make_glossary.py

The tables stand between two marks in the page. Each part's row has its name, its title and family,
and the first line of its docstring, so that a new part needs no other entry. The rest of the page
is written by hand and stays as it is. The list is a file of the package, so that the command need
not import all parts.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from misword.cli.commands.files.parts import LIST, REGISTRIES, list_of_parts, registry
from misword.core.parts import Part
from misword.core.parts.registry import Registry

PAGE = Path(__file__).parent.parent / "docs" / "glossary.md"
START, END = "<!-- parts: written by tools/make_glossary.py -->", "<!-- end of parts -->"
TITLES = {
    "analyzers": "Analyzers (lemmatizers and taggers)",
    "downstreams": "Downstream scores",
    "formats": "Formats of transcripts",
    "mappings": "Mapping methods",
    "vector_formats": "Formats of word vectors",
}


def updated(page: str) -> str:
    """Return the text of the page with new tables between the two marks."""
    before, start, rest = page.partition(START)
    _, end, after = rest.partition(END)
    if not (start and end):
        raise SystemExit(f"{PAGE}: the marks {START!r} and {END!r} are missing")
    return f"{before}{START}\n\n{tables()}\n{END}{after}"


def tables() -> str:
    """Return a Markdown table for each registry."""
    return "\n".join(line for kind in REGISTRIES for line in _table(registry(kind)))


def _table(parts: Registry[Part]) -> Iterator[str]:
    """Yield the lines of one table: heading, header, and a row for each of misword's own parts."""
    title = TITLES.get(parts.kind, parts.kind.capitalize())
    yield from (f"### {title}", "", "| name | title | family | what it is |", "|:--|:--|:--|:--|")
    for name, entry in sorted(parts.entries().items()):
        if entry.target.startswith("misword."):  # parts of other packages are left out
            yield _row(name, parts.load(name))
    yield ""


def _row(name: str, part: type[Part]) -> str:
    """Return the row of one part."""
    definition = (part.__doc__ or "").strip().partition("\n")[0]
    cells = (f"`{name}`", part.title or name, part.family, definition)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


if __name__ == "__main__":
    PAGE.write_text(updated(PAGE.read_text("utf-8")), "utf-8")
    LIST.write_text(list_of_parts(), "utf-8")
