"""The page of a paper: tables and figures with their status, the claims, and the sections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from studies.common.conclusions import Conclusion, Section
from studies.common.contents import contents_table
from studies.common.markdown import page, table

CONTENTS = "Tables and figures"
CLAIMS = "Summary"
FIGURES = "figures"


def write_page(
    path: Path,
    title: str,
    introduction: str,
    contents: Mapping[str, str],
    sections: Sequence[Section],
) -> None:
    """Write a page: title, introduction, tables and figures, all conclusions, and the sections."""
    conclusions = [line for section in sections for line in section.conclusions]
    text = page(
        f"# {title}",
        introduction,
        f"## {CONTENTS}\n\n{contents_table(contents, conclusions)}",
        f"## {CLAIMS}\n\n{summary(conclusions)}",
        *(with_commands(section) for section in sections),
    )
    path.write_text(text, "utf-8")
    figures = path.parent / FIGURES
    figures.mkdir(exist_ok=True)
    for section in sections:
        for name, chart in section.figures.items():
            (figures / name).write_text(chart, "utf-8")


def summary(conclusions: Sequence[Conclusion]) -> str:
    """Return the table of the claims of a page and their statuses."""
    rows = [line[:3] for line in conclusions]
    return table(["part", "claim", "status"], rows, text_columns=3)


def with_commands(section: Section) -> str:
    """Return the text of a section, with the commands that compute its numbers at the end.

    >>> print(with_commands(Section("## Table 5", (), ("misword score a.txt b.txt",))))
    ## Table 5
    <BLANKLINE>
        misword score a.txt b.txt
    """
    lines = "\n".join(f"    {command}" for command in section.commands)
    return page(section.text, lines).strip("\n")
