"""The pages that Sphinx reads: those of docs, pages of other files, the API, the notebooks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from docs_site import reference
from docs_site.links import ADDED, ROOT, linked_sources, rewritten, site_path
from docs_site.notebook_pages import notebook_page

DOCS = ROOT / "docs"
ORPHAN = "---\norphan: true\n{}---\n"  # a page that is not in the navigation
LANGUAGES = {".py": "python", ".h": "c", ".c": "c"}


def write_sources(folder: Path) -> None:
    """Write all pages to a folder; files that are as they were keep their time."""
    files = {path: text.encode() for path, text in site_pages().items()}
    for path in [*DOCS.rglob("*.png"), *DOCS.rglob("*.svg"), *DOCS.rglob("*.ipynb")]:
        files[path.relative_to(DOCS).as_posix()] = path.read_bytes()
    for path in folder.rglob("*"):
        if path.is_file() and path.relative_to(folder).as_posix() not in files:
            path.unlink()
    for name, content in files.items():
        path = folder / name
        if not path.exists() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


def site_pages() -> dict[str, str]:
    """Return the text of each page by its path on the site."""
    pages = {name: (ROOT / name).read_text("utf-8") for name in ADDED}
    for path in sorted([*DOCS.rglob("*.md"), *DOCS.rglob("*.ipynb")]):
        is_notebook = path.suffix == ".ipynb"
        text = notebook_page(path) if is_notebook else path.read_text("utf-8")
        pages[path.relative_to(ROOT).as_posix()] = text
    made = {site_path(name): rewritten(text, name) for name, text in pages.items()}
    made |= {site_path(name): _source_page(name) for name in linked_sources(pages)}
    benches = [name for name in made if name.startswith("bench/")]  # docs/speed.md lists them
    made |= {name: ORPHAN.format("") + made[name] for name in benches}
    index = "studies/index.md"
    studies = sorted(name for name in made if name.startswith("studies/") and name != index)
    made[index] += "\n" + _toctree("", [f"/{name}" for name in studies])
    made["index.md"] += "\n" + "\n".join(toctrees(made["index.md"]))
    return made | reference.pages()


def toctrees(page: str) -> Iterator[str]:
    """Yield the navigation: a table of contents for each section with a list of links.

    >>> print(*toctrees("## For all\\n\\n- [Scoring](scoring.md): rules; [gate](gate.md)."))
    ```{toctree}
    :hidden:
    :caption: For all
    <BLANKLINE>
    Scoring <scoring.md>
    Gate <gate.md>
    ```
    <BLANKLINE>
    """
    for section in f"\n{page}".split("\n## ")[1:]:
        caption, _, content = section.partition("\n")
        listed = "\n".join(re.findall(r"^- .*(?:\n  .*)*", content, re.MULTILINE))
        entries = []
        for title, name in re.findall(r"\[([^]]+)\]\(([^)#]+\.md)\)", listed):
            entries.append(f"{title[0].upper()}{title[1:]} <{name}>")
            if name == "python.md":
                entries.append("API reference <api/index.md>")  # only the site has it
        if entries:
            yield _toctree(caption, entries)


def _toctree(caption: str, names: list[str]) -> str:
    head = ["```{toctree}", ":hidden:", *([f":caption: {caption}"] if caption else []), ""]
    return "\n".join([*head, *names, "```", ""])


def _source_page(path: str) -> str:
    """Return a page that shows a file of the repository; the search leaves it out."""
    text = (ROOT / path).read_text("utf-8")
    language = LANGUAGES.get(Path(path).suffix, "text")
    head = ORPHAN.format("nosearch: true\n")
    return f"{head}# {path}\n\n````{language}\n{text}\n````\n"
