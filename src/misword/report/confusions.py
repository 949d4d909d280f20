"""The commonest confusions, counted for each system."""

from __future__ import annotations

from typing import TYPE_CHECKING

from misword.report.reading import best

if TYPE_CHECKING:
    import polars as pl

SHOWN = 40


def confusions(words: pl.DataFrame, systems: list[str]) -> dict[str, pl.DataFrame]:
    """By kind of error a row per pair of words, most frequent first: `total`, then each system's.

    Counts are columns `0`, `1`, ... in the order of the systems, whose names may be anything.
    """
    import polars as pl

    errors = best(words).filter(pl.col("kind").cast(pl.String) != "hit")
    pair = ["kind", "reference", "hypothesis"]
    counted = errors.group_by(pair).agg(
        pl.len().alias("total"),
        *((pl.col("system") == name).sum().alias(str(i)) for i, name in enumerate(systems)),
    )
    ordered = counted.sort(
        "total", "reference", "hypothesis", descending=[True, False, False], nulls_last=True
    )
    kinds = pl.col("kind").cast(pl.String)
    found = {
        kind: ordered.filter(kinds == kind).head(SHOWN)
        for kind in ("substitution", "deletion", "insertion")
    }
    return {kind: frame for kind, frame in found.items() if not frame.is_empty()}
