"""Latencies of streaming recognisers: of systems, from the records of words, segments and results.

- `latency_words` has a row for each right word whose time in the speech is known: `first` and
  `final`, in seconds from its end in the speech until it was first shown and until it was final.
- `latency_segments` has a row for each segment: `latency`, in seconds from the end of its speech to
  its last final result, null if the end is not known; `words` of the final result, and `revised`,
  how many words of earlier results were taken back.
- `latency_results` has a row for each result: `before`, in seconds, how long before the final one;
  `words` of the beginning of the reference that it fits best, and its `errors` there.

Each row has `utt`, `system` and `rank`.
"""

from __future__ import annotations

from collections.abc import Mapping

from misword.core.lazy import pl
from misword.stat.score_tables import (
    FINAL_SEGMENT,
    LATENCY,
    LATENCY_RESULTS,
    LATENCY_SEGMENTS,
    LATENCY_WORDS,
    PARTIALS,
)

# Percentiles of latencies.
LEVELS = (50, 95, 99)
# Partial results are in groups by how many seconds before the final one they came.
BEFORE = (0.25, 0.5, 1.0, 2.0, 4.0)
FINAL_RESULT = "final"
FIRST_WORD, FINAL_WORD = "first word", "final word"
KINDS = {
    FIRST_WORD: (LATENCY_WORDS, "first"),
    FINAL_WORD: (LATENCY_WORDS, "final"),
    FINAL_SEGMENT: (LATENCY_SEGMENTS, "latency"),
}


def latency_tables(records: Mapping[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """Return the latencies of each system, and the errors of its partial results."""
    if LATENCY_SEGMENTS not in records:
        return {}
    return {LATENCY: latencies(records), PARTIALS: errors_of_results(records[LATENCY_RESULTS])}


def latencies(records: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Return a row for each system and kind of latency: count, mean and percentiles in seconds.

    `revised` is the number of revised words for each final word.
    """
    segments = records[LATENCY_SEGMENTS]
    systems = segments["system"].unique(maintain_order=True)
    revised = segments.group_by("system").agg(
        (pl.col("revised").sum() / pl.col("words").sum()).fill_nan(None).alias("revised")
    )
    parts = []
    for kind, (record, column) in KINDS.items():
        known = records[record].drop_nulls(column)
        values = pl.col(column)
        parts.append(
            known.group_by("system").agg(
                pl.lit(kind).alias("of"),
                pl.len().cast(pl.Int64).alias("count"),
                values.mean().alias("mean"),
                *(values.quantile(level / 100, "linear").alias(f"p{level}") for level in LEVELS),
            )
        )
    found = pl.concat(parts).join(revised, on="system", how="left")
    order = {name: place for place, name in enumerate(systems)}
    kinds = {name: place for place, name in enumerate(KINDS)}
    return found.sort(
        pl.col("system").replace_strict(order, return_dtype=pl.Int64),
        pl.col("of").replace_strict(kinds, return_dtype=pl.Int64),
    )


def errors_of_results(results: pl.DataFrame) -> pl.DataFrame:
    """Return the error rate of the partial results of each system, by how soon they became final.

    >>> import polars as pl
    >>> rows = {"system": ["a", "a"], "before": [0.3, 0.0], "words": [4, 8], "errors": [2, 1]}
    >>> errors_of_results(pl.DataFrame(rows)).select("before", "rate").rows()
    [('final', 0.125), ('up to 0.5 s', 0.5)]
    """
    labels = [FINAL_RESULT, *(f"up to {edge:g} s" for edge in BEFORE), f"over {BEFORE[-1]:g} s"]
    before = pl.col("before")
    place = sum(((before > edge).cast(pl.Int64) for edge in BEFORE), (before > 0).cast(pl.Int64))
    placed = results.with_columns(place.alias("place"))
    found = placed.group_by("system", "place", maintain_order=True).agg(
        pl.len().cast(pl.Int64).alias("results"), pl.col("words", "errors").sum()
    )
    rate = (pl.col("errors") / pl.col("words")).fill_nan(None)
    names = dict(enumerate(labels))
    shown = pl.col("place").replace_strict(names, return_dtype=pl.String).alias("before")
    order = {name: at for at, name in enumerate(results["system"].unique(maintain_order=True))}
    system = pl.col("system").replace_strict(order, return_dtype=pl.Int64)
    return found.sort(system, "place").select(
        "system", shown, "results", "words", "errors", rate.alias("rate")
    )
