"""The tables that `misword audit` prints: flags, leaks, composition, systems."""

from __future__ import annotations

from typing import Any

from misword.bli.auditing.comparison import ComparedSystems
from misword.bli.auditing.result import Audit
from misword.cli.output import Table, p_value, percent, span


def audit_tables(found: Audit) -> list[Table]:
    """Return the tables of flags, leaks and composition."""
    flags = [
        [
            row["flag"],
            row["example"],
            f"{row['pairs']:,}",
            percent(row["share"]),
            f"{row['headwords']:,}",
            percent(row["headword_share"]),
        ]
        for row in found.summary().to_dicts()
    ]
    header = ["flag", "example", "pairs", "%", "headwords", "%"]
    flags += [[name, f"not given: {why}", "", "", "", ""] for name, why in found.not_given.items()]
    tables = [Table(header, flags, left=2, prose={"example"})]
    if not found.leaks.is_empty():
        rows = [[row["shared"], *_count(row, "of")] for row in found.leaks.to_dicts()]
        tables.append(Table(["shared with training", "number", "of", "%"], rows))
    by_kind: dict[str, list[list[str]]] = {}
    for row in found.composition.to_dicts():
        by_kind.setdefault(row["by"], []).append([row["value"], *_count(row, "whole")])
    tables += [Table([kind, "number", "of", "%"], rows) for kind, rows in by_kind.items()]
    return [*tables, *_system_tables(found.systems)]


def _system_tables(systems: ComparedSystems | None) -> list[Table]:
    """Return the tables of the comparison of systems."""
    if systems is None:
        return []
    rates = [
        [row["gold"], row["system"], row["metric"], percent(row["rate"]),
         span(row["low"], row["high"]), f"{row['part']:,}", f"{row['whole']:,}", str(row["place"])]
        for row in systems.rankings.to_dicts()
    ]  # fmt: skip
    header = ["gold lexicon", "system", "rate", "%", "interval", "found", "of", "place"]
    tables = [Table(header, rates, left=3)]
    if systems.margins:
        compared = [
            [row["gold"], f"{row['system']} – {row['baseline']}",
             percent(row["difference"], signed=True),
             span(row["low"], row["high"], signed=True), p_value(row["p_holm"]),
             f"{row['headwords']:,}", row["better"], "yes" if row["changed"] else "no"]
            for row in systems.conclusions.to_dicts()
        ]  # fmt: skip
        header = ["gold lexicon", "systems", "difference", "interval", "p", "headwords", "better",
                  "changed"]  # fmt: skip
        tables.append(Table(header, compared, left=2))
        margins = [
            [f"{one.first} – {one.second}", one.arithmetic, f"{one.open:,}"]
            for one in systems.margins
        ]
        tables.append(Table(["margin of", "calculation", "still to be judged"], margins, left=2))
    return tables


def _count(row: dict[str, Any], whole: str) -> list[str]:
    """Return a count, the whole, and the share in percent."""
    return [f"{row['count']:,}", f"{row[whole]:,}", percent(row["count"] / max(1, row[whole]))]
