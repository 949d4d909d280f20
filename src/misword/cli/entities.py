"""Options for entities and keywords, and the tables of their rates."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from misword.cli.output import Table, p_value, percent, span
from misword.core.formatting import group_values

if TYPE_CHECKING:
    import polars as pl

    from misword.asr.compare import Comparison

SHOWN = 40  # classes of each system and group; the result has all


def add_entities(parser: argparse.ArgumentParser) -> None:
    """Declare the options for entities and keywords."""
    group = parser.add_argument_group("words that matter")
    group.add_argument(
        "--entities",
        metavar="SOURCE",
        help="also the error rate of entities by class, and how many are found as a whole: tags "
        "(of nlp references, with --tags-from, or of the column entities: spans in characters or "
        "BIO tags), tags:COLUMN, or spacy (finds them in the references; --lang names the "
        "language)",
    )
    group.add_argument(
        "--keywords",
        metavar="FILE",
        help="also the error rate, recall and precision of the terms in a file, one a line; a tab "
        "(in .csv files a comma) and a class may follow",
    )


def entity_tables(rates: pl.DataFrame, by: Sequence[str], confidence: float) -> list[Table]:
    """Return a row for each system, group and class: rate, recall and precision with intervals."""
    shown = rates.group_by("system", *by, maintain_order=True).head(SHOWN)
    rows = shown.to_dicts()
    sources = rates["source"].unique(maintain_order=True).to_list()
    precise = any(row["precision"] is not None for row in rows)
    between = f"{confidence * 100:g} % interval"
    header = ["system", *by, *(["source"] if len(sources) > 1 else []), "class", "%", between]
    header += ["sub", "del", "ins", "words", "recall %", between]
    header += ["precision %", between] if precise else []
    body = [
        [
            *(row["system"], *group_values(row, by)),
            *([row["source"]] if len(sources) > 1 else []),
            row["class"],
            *_rate(row, "rate"),
            *(_count(row[name]) for name in ("substitutions", "deletions", "insertions", "words")),
            *_rate(row, "recall"),
            *(_rate(row, "precision") if precise else ()),
            _count(row["terms"]),
        ]
        for row in rows
    ]
    title = f"Errors by class of {' and '.join(sources)}"
    if more := rates.height - len(rows):
        title += f"; {more:,} more rows are in the result (--out, --format json)"
    left = header.index("class") + 1
    return [Table([*header, "terms"], body, left=left, title=title)] if body else []


def differences_title(comparison: Comparison) -> str:
    """Return what the table of classes shows."""
    rows = len(comparison.entities)
    corrected = f"; p corrected for {rows} comparisons (Holm)" if rows > 1 else ""
    more = len(comparison.entities) - SHOWN * len(comparison.scores.systems[1:])
    rest = f"; {more:,} more rows are in the result (--out, --format json)" if more > 0 else ""
    return f"Change by class of words in points{corrected}{rest}"


def differences_table(comparison: Comparison) -> Table:
    """Return a row for each class and system: both rates, their difference, both recalls."""
    base, *others = comparison.scores.systems
    between = f"{comparison.bootstrap.confidence * 100:g} % interval"
    sources = comparison.entities["source"].n_unique() > 1
    header = [*(["source"] if sources else []), "class", "system"]
    header += [f"{base} %", "%", "points", between, "p"]
    header += [f"{base} recall %", "recall %", "words", "terms"]
    body = [
        [
            *((row["source"],) if sources else ()),
            *(row["class"], row["system"]),
            *(percent(row["baseline_rate"]), percent(row["rate"])),
            percent(row["difference"], signed=True),
            span(row["low"], row["high"], signed=True),
            p_value(row["p_holm"]),
            *(percent(row["baseline_recall"]), percent(row["recall"])),
            *(_count(row["words"]), _count(row["terms"])),
        ]
        for row in comparison.entities.head(SHOWN * len(others)).to_dicts()
    ]
    return Table(header, body, left=2 + sources)


def _rate(row: dict[str, Any], name: str) -> tuple[str, str]:
    """Return a rate and its interval."""
    return percent(row[name]), span(row[f"{name}_low"], row[f"{name}_high"])


def _count(number: int | None) -> str:
    return "" if number is None else f"{number:,}"
