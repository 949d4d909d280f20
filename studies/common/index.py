"""The index of the studies, made from the summaries of their pages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from studies.common.conclusions import EXPLANATIONS
from studies.common.markdown import bullets, page, paragraph, table

INDEX = "README.md"
INTRODUCTION = """Tables and figures of papers, computed again with misword: from the authors'
own files where they are published, and on other data. `make studies` writes these pages; all
numbers in them come from the code in `studies/`. It needs the corpora in `../shared/data`, the
packages of the extra `dev`, and IRSTLM. A study whose data are missing is left out, and its page
stays as it is."""


def write_index(folder: Path) -> None:
    """Write the index of all pages in a folder."""
    rows = [
        [f"[{title}]({path.name})", *cells]
        for path in sorted(folder.glob("*.md"))
        if path.name != INDEX
        for title, cells in summary_rows(path.read_text("utf-8"))
    ]
    text = page(
        "# Studies",
        paragraph(INTRODUCTION),
        table(["paper", "part", "claim", "status"], rows, text_columns=4),
        "What a status means:",
        bullets(f"**{status}**: {meaning}." for status, meaning in EXPLANATIONS.items()),
    )
    (folder / INDEX).write_text(text, "utf-8")


def summary_rows(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the title of a page and the cells of each row of its summary.

    >>> list(summary_rows("# Le: again\\n\\n## Summary\\n\\n| part |\\n|:--|\\n| Table 1 |\\n"))
    [('Le', ['Table 1'])]
    """
    title = text.partition("\n")[0].removeprefix("# ").partition(":")[0]
    found = re.search(r"^## Summary\n\n\|.*\n\|.*\n((?:\|.*\n?)*)", text, re.MULTILINE)
    for line in found[1].splitlines() if found else []:
        yield title, [cell.strip() for cell in line.strip("|").split(" | ")]
