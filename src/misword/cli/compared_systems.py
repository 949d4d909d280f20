"""The first table that `misword compare` prints: systems beside the baseline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from misword.cli.output import Table, p_value, percent, span

if TYPE_CHECKING:
    from misword.asr.compare import Comparison
    from misword.asr.compare_shards import ShardedComparison

    Compared = Comparison | ShardedComparison


def systems_table(comparison: Compared) -> Table:
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
    return Table(header, body, left=2)


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
