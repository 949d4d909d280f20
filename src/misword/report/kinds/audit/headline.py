"""The headline of an audit of a gold lexicon."""

from __future__ import annotations

from misword.core.formatting import counted, listed, percent
from misword.core.types import Result
from misword.report.result_access import rows

# Flags that the headline names, and how.
NAMED = {
    "proper-noun": "are proper nouns",
    "training-pair": "are in the training lexicon",
    "identical": "are the same word twice",
}


def audit_headline(result: Result) -> str:
    """Return the shares of names, leaks and identical pairs, and whether systems change places."""
    flags = {row["flag"]: row for row in rows(result, "summary")}
    if not flags:
        return ""
    found = [
        f"{percent(flags[name]['share'], 1)} % {text}"
        for name, text in NAMED.items()
        if name in flags and flags[name]["pairs"]
    ]
    pairs = counted(int(result.provenance.get("pairs", 0)), "pair")
    sentence = f"Of {pairs}, {listed(found)}." if found else f"{pairs}, none of them a name."
    return f"{sentence}{_changes(result)}"


def _changes(result: Result) -> str:
    """Return how many conclusions about systems change; nothing without systems."""
    compared = rows(result, "conclusions")
    if not compared:
        return ""
    changed = {(row["baseline"], row["system"]) for row in compared if row["changed"]}
    whole = {(row["baseline"], row["system"]) for row in compared}
    if not changed:
        return " No conclusion about the systems changes."
    number = counted(len(whole), "comparison")
    return f" {len(changed)} of {number} of systems end differently on a cleaned lexicon."
