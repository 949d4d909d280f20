"""The first table that `misword compare` prints: systems beside the baseline."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from misword.cli.output import TextTable, p_value, percent, span
from misword.core.formatting import group_values, listed
from misword.core.lazy import pl

if TYPE_CHECKING:
    from misword.asr.comparison.compare import Comparison

if TYPE_CHECKING:
    from misword.asr.comparison.compare import Comparison
    from misword.asr.sharded.compare_shards import ShardedComparison

    Compared = Comparison | ShardedComparison


def systems_table(comparison: Compared) -> TextTable:
    """Return a row for each metric and system: both rates, change, interval, tests, counts."""
    rows = comparison.differences.to_dicts()
    tests = {"p": "p", "p_blocks": "p, blocks", "p_mapsswe": "p, MAPSSWE"}
    tests = {k: v for k, v in tests.items() if any(row[k] is not None for row in rows)}
    between = f"{comparison.bootstrap.confidence * 100:g} % interval"
    base = comparison.systems[0]
    header = ["metric", "system", f"{base} %", "%", "change %", between]
    header += [*tests.values(), "better", "worse", "same"]
    body = [
        [
            row["metric"],
            row["system"],
            percent(row["baseline_rate"]),
            percent(row["rate"]),
            percent(row["relative"], signed=True),
            span(row["relative_low"], row["relative_high"], signed=True),
            *(p_value(row[f"{test}_holm"]) for test in tests),
            *(f"{row[end]:,}" for end in ("better", "worse", "same")),
        ]
        for row in rows
    ]
    return TextTable(header, body, left=2)


def footnote(comparison: Compared) -> str:
    """Return a sentence on the numbers of the first table."""
    times, rows = comparison.bootstrap.times, len(comparison.differences)
    resampled = "utterances"
    if comparison.block:
        resampled = f"{comparison.blocks:,} blocks ({comparison.block})"
    text = f"Change against {comparison.systems[0]}, negative is better"
    if comparison.utterances == 1:
        return f"{text}."
    if times:
        text += f"; intervals by paired bootstrap of {resampled}, {times:,} times"
    text += ". p by paired permutation test"
    if comparison.block and comparison.differences["p_blocks"].null_count() == rows:
        text += " of utterances"
    return text + (f", corrected for {rows} comparisons (Holm)." if rows > 1 else ".")


# The table of groups of utterances that `misword compare --by` prints.

GROUPS_SHOWN = 20  # groups of each metric and system; the result has all


def groups_title(comparison: Compared) -> str:
    """Return what the table shows, and how many groups it leaves out."""
    count = len(comparison.groups)
    sizes = comparison.groups.group_by("metric", "system").len()["len"].to_list()
    title = f"Change by {listed(comparison.by)} in points, the largest increase first"
    if count > 1:
        title += f"; p corrected for {count:,} comparisons (Holm)"
    more = max(sizes, default=0) - GROUPS_SHOWN
    return title + (f"; {more:,} more groups are in the result (--out, --format json)" * (more > 0))


def groups_table(comparison: Compared) -> TextTable:
    """Return a row for each group: both rates, their difference with interval and p-value."""
    shown = comparison.groups.group_by("metric", "system", maintain_order=True).head(GROUPS_SHOWN)
    between = f"{comparison.bootstrap.confidence * 100:g} % interval"
    base = comparison.systems[0]
    header = ["metric", "system", *comparison.by, f"{base} %", "%", "points", between, "p", "utts"]
    body = [
        [
            row["metric"],
            row["system"],
            *group_values(row, comparison.by),
            percent(row["baseline_rate"]),
            percent(row["rate"]),
            percent(row["difference"], signed=True),
            span(row["low"], row["high"], signed=True),
            p_value(row["p_holm"]),
            f"{row['utterances']:,}",
        ]
        for row in shown.to_dicts()
    ]
    return TextTable(header, body, left=2 + len(comparison.by))


# Options for entities and keywords, and the tables of their rates.

CLASSES_SHOWN = 40  # classes of each system and group; the result has all


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


def entity_tables(rates: pl.DataFrame, by: Sequence[str], confidence: float) -> list[TextTable]:
    """Return a row for each system, group and class: rate, recall and precision with intervals."""
    shown = rates.group_by("system", *by, maintain_order=True).head(CLASSES_SHOWN)
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
    return [TextTable([*header, "terms"], body, left=left, title=title)] if body else []


def differences_title(comparison: Comparison) -> str:
    """Return what the table of classes shows."""
    rows = len(comparison.entities)
    corrected = f"; p corrected for {rows} comparisons (Holm)" if rows > 1 else ""
    more = len(comparison.entities) - CLASSES_SHOWN * len(comparison.scores.systems[1:])
    rest = f"; {more:,} more rows are in the result (--out, --format json)" if more > 0 else ""
    return f"Change by class of words in points{corrected}{rest}"


def differences_table(comparison: Comparison) -> TextTable:
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
        for row in comparison.entities.head(CLASSES_SHOWN * len(others)).to_dicts()
    ]
    return TextTable(header, body, left=2 + sources)


def _rate(row: dict[str, Any], name: str) -> tuple[str, str]:
    """Return a rate and its interval."""
    return percent(row[name]), span(row[f"{name}_low"], row[f"{name}_high"])


def _count(number: int | None) -> str:
    return "" if number is None else f"{number:,}"


# What was forgiven, in tables and below alignments: families by short names.

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


def counts_table(rows: Sequence[dict[str, Any]], by: Sequence[str]) -> TextTable | None:
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
    return TextTable(header, body, left=1 + len(by), title="Forgiven differences of writing")
