"""The index of the studies, made from the summaries of their pages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from studies.common import conclusions, contents
from studies.common.markdown import bullets, page, paragraph, table
from studies.common.pages import CLAIMS, CONTENTS

INDEX = "README.md"
INTRODUCTION = """Tables and figures of papers, computed again with misword: from the authors'
own files where they are published, and on other data. `make studies` writes these pages; all
numbers in them come from the code in `studies/`. It needs the corpora in `../shared/data`, the
packages of the extra `dev`, and IRSTLM. A study whose data are missing is left out, and its
page stays as it is. The statuses follow from the numbers, too: none is written by hand."""
COMMANDS = """A section ends with the commands that compute its numbers, or their like on your own
files. Files with a folder are those of `../shared/data`; `build` is the folder of that name in the
repository, where a study keeps what it makes."""


def write_index(folder: Path) -> None:
    """Write the index of all pages in a folder."""
    text = page(
        "# Studies",
        paragraph(INTRODUCTION),
        paragraph(COMMANDS),
        f"## {CONTENTS}",
        table(["paper", *contents.HEADER], rows_of(folder, CONTENTS), text_columns=6),
        "What the status of printed numbers means:",
        explained(contents.OF_PRINTED_NUMBERS),
        "What the status of claims means:",
        explained(contents.OF_ALL_CLAIMS),
        "## Claims",
        table(["paper", "part", "claim", "status"], rows_of(folder, CLAIMS), text_columns=4),
        "What a status means:",
        explained(conclusions.EXPLANATIONS),
    )
    (folder / INDEX).write_text(text, "utf-8")


def explained(meanings: dict[str, str]) -> str:
    """Return a list of statuses and their meanings."""
    return bullets(f"**{status}**: {meaning}." for status, meaning in meanings.items())


def rows_of(folder: Path, heading: str) -> list[list[str]]:
    """Return the rows of a table of all pages, with a link to the page in front."""
    return [
        [f"[{title}]({path.name})", *cells]
        for path in sorted(folder.glob("*.md"))
        if path.name != INDEX
        for title, cells in table_rows(path.read_text("utf-8"), heading)
    ]


def table_rows(text: str, heading: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the title of a page and the cells of each row of the table under a heading.

    >>> text = "# Le: again\\n\\n## Summary\\n\\n| part | of |\\n|:--|:--|\\n| Table 1 |  |\\n"
    >>> list(table_rows(text, "Summary"))
    [('Le', ['Table 1', ''])]
    """
    title = text.partition("\n")[0].removeprefix("# ").partition(":")[0]
    found = re.search(rf"^## {heading}\n\n\|.*\n\|.*\n((?:\|.*\n?)*)", text, re.MULTILINE)
    for line in found[1].splitlines() if found else []:
        yield title, [cell.strip() for cell in line[1:-1].split(" | ")]
