"""What was forgiven, in tables and below alignments: families by short names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from misword.cli.output import Table
from misword.core.formatting import group_values

COUNT = "forgiven."  # the start of the columns of a summary that count differences of a family
# Names that would make a table wider than a terminal, or a column wider than its words.
SHORT_NAMES = {
    "abbreviations": "abbr.",
    "apostrophes": "apos.",
    "compounds": "comp.",
    "contractions": "contr.",
    "equivalents": "equiv.",
    "punctuation": "punct.",
}


def short_name(family: str) -> str:
    """Return the short name of a family; families of other packages keep their names."""
    return SHORT_NAMES.get(family, family)


def legend(families: Sequence[str]) -> str:
    """Return a line with the meaning of short names.

    >>> legend(["case", "contractions"])
    'forgiven: case, contr. contractions'
    """
    listed = [
        family if short_name(family) == family else f"{short_name(family)} {family}"
        for family in families
    ]
    return f"forgiven: {', '.join(listed)}"


def counts_table(rows: Sequence[dict[str, Any]], by: Sequence[str]) -> Table | None:
    """Return the number of forgiven differences by system, group and family.

    `rows` are those of a summary. None if nothing could be forgiven.
    """
    counted = {
        (bool(row.get("total")), row["system"], *group_values(row, by)): row
        for row in rows
        if row.get("forgiven") is not None
    }
    if not counted:
        return None
    names = [name for name in rows[0] if name.startswith(COUNT)]
    shown = [name for name in names if any(row[name] for row in counted.values())]
    body = [
        [*group, *(f"{row[name]:,}" for name in ("forgiven", *shown))]
        for (_, *group), row in counted.items()
    ]
    families = [name.removeprefix(COUNT) for name in shown]
    header = ["system", *by, "all", *map(short_name, families)]
    return Table(header, body, left=1 + len(by), title="Forgiven differences of writing")
