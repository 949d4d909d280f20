"""How the findings of checks are shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from misword.core.formatting import counted, listed
from misword.core.tables import Table, count, part, prose, text
from misword.core.types import Description, Result
from misword.stat.descriptions.result_access import rows, titles

SEVERITIES = ("error", "warning", "note")


def findings_table(result: Result) -> Table:
    """Return a row for each finding."""
    return Table(
        "findings",
        (
            text("finding", ""),
            text("severity"),
            part("check", titles(result)),
            text("file"),
            text("place"),
            prose("message", "finding"),
            count("count", title="lines", page_only=True),
        ),
        rows(result, "findings"),
        is_faint=lambda row: bool(row["severity"] == "note"),
    )


def examples_table(result: Result, finding: int) -> Table:
    """Return the lines of the examples of a finding, each with the line it is compared with."""
    lines, found = [], [row for row in rows(result, "examples") if row["finding"] == finding]
    for row in found:
        lines.append({key: row[key] for key in ("file", "line", "text")})
        if row["other_line"]:
            lines.append(
                {"file": row["other_file"], "line": row["other_line"], "text": row["other_text"]}
            )
    check = next(row["check"] for row in rows(result, "findings") if row["finding"] == finding)
    return Table(
        f"examples {finding}",
        (text("file"), text("line"), prose("text")),
        lines,
        title=f"{finding}. {check}, {counted(len(found), 'example')}",
    )


def checks_table(result: Result) -> Table:
    """Return the checks that were made, with the number of their findings."""
    parts = result.provenance.get("parts", {})
    counts = Counter(row["check"] for row in rows(result, "findings"))
    return Table(
        "checks",
        (part("check", titles(result)), text("about"), count("findings")),
        [
            {"check": name, "about": parts.get(name, {}).get("family"), "findings": counts[name]}
            for name in result.provenance.get("checks", ())
        ],
    )


def check_tables(result: Result) -> Iterator[Table]:
    """Yield the findings, then the examples of errors and warnings."""
    yield findings_table(result)
    for row in rows(result, "findings"):
        if row["severity"] != "note":
            yield examples_table(result, row["finding"])


def check_headline(result: Result) -> str:
    """Return the numbers of findings, and the first of them."""
    findings = rows(result, "findings")
    if not findings:
        return "The checks found nothing." if "findings" in result.tables else ""
    counts = Counter(row["severity"] for row in findings)
    numbers = [counted(counts[name], name) for name in SEVERITIES if counts[name]]
    first = findings[0]
    return f"{listed(numbers)}. {first['file']}: {first['message']}."


CHECK = Description(
    check_tables,
    main=("findings",),
    data={"findings": "findings"},
    headline=check_headline,
)
