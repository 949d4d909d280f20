"""Errors of the times of words and of segments: of systems and of recordings.

The record `word_times` has a row for each reference word with times: `utt`, `system`, `rank`, and
in seconds how much later the hypothesis has its begin (`begin`) and its end (`end`). Both are null
if the word is not right in the hypothesis, or has no times there. The record `segment_times` has
the same for each segment of the reference; one of both can be null.
"""

from __future__ import annotations

from collections.abc import Mapping

from misword.core.lazy import pl
from misword.stat.score_tables import (
    RECORDING_SEGMENTS,
    RECORDING_TIMES,
    SEGMENT_TIME_ERRORS,
    SEGMENT_TIMES,
    WITHIN,
    WORD_TIME_ERRORS,
    WORD_TIMES,
)

# A recording is out as a whole if the median of its begins or ends is off by more, in seconds.
OUT = 1.0
# Words of a recording that are enough to say so.
ENOUGH = 10


# The tables of each record: by system, and by recording.
TABLES = {
    WORD_TIMES: (WORD_TIME_ERRORS, RECORDING_TIMES),
    SEGMENT_TIMES: (SEGMENT_TIME_ERRORS, RECORDING_SEGMENTS),
}


def time_tables(records: Mapping[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """Return the errors of begins and ends of each system, and those of each recording."""
    tables = {}
    for record, (systems, recordings) in TABLES.items():
        if record in records:
            tables[systems] = errors_of_systems(records[record])
            tables[recordings] = errors_of_recordings(records[record])
    return tables


def errors_of_systems(words: pl.DataFrame) -> pl.DataFrame:
    """Return two rows for each system, of begins and of ends.

    `words` is the number of reference words with times, `coverage` the share of them that have an
    error; `bias` is the mean error, the others are of its size.

    >>> import polars as pl
    >>> words = {"system": ["a"] * 3, "begin": [0.1, -0.3, None], "end": [0.0, 0.0, None]}
    >>> errors_of_systems(pl.DataFrame(words)).select("side", "coverage", "bias", "mean").rows()[0]
    ('begin', 0.6666666666666666, -0.09999999999999999, 0.2)
    """
    rows = []
    for side in ("begin", "end"):
        error = pl.col(side)
        size = error.abs()
        rows.append(
            words.group_by("system", maintain_order=True).agg(
                pl.lit(side).alias("side"),
                pl.len().cast(pl.Int64).alias("words"),
                error.is_not_null().mean().alias("coverage"),
                error.mean().alias("bias"),
                size.median().alias("median"),
                size.mean().alias("mean"),
                size.quantile(0.9, "linear").alias("p90"),
                # Times are written with two or three decimals.
                *((size <= ms / 1000 + 1e-9).mean().alias(f"within{ms}") for ms in WITHIN),
            )
        )
    order = {name: place for place, name in enumerate(words["system"].unique(maintain_order=True))}
    place = pl.col("system").replace_strict(order, return_dtype=pl.Int64)
    return pl.concat(rows).sort(place, maintain_order=True)


def errors_of_recordings(words: pl.DataFrame) -> pl.DataFrame:
    """Return a row for each recording or utterance of each system, those that are most off first.

    `begin` and `end` are medians of signed errors, `median` is that of the sizes of both; `out`
    says whether the recording is out as a whole.
    """
    size = pl.concat([pl.col("begin"), pl.col("end")]).drop_nulls().abs()
    sides = [pl.col(side).median() for side in ("begin", "end")]
    far = pl.max_horizontal(pl.col("begin").abs(), pl.col("end").abs()) > OUT
    found = words.group_by("system", "utt", maintain_order=True).agg(
        pl.len().cast(pl.Int64).alias("words"),
        pl.col("begin").is_not_null().sum().cast(pl.Int64).alias("timed"),
        *sides,
        size.median().alias("median"),
        size.max().alias("most"),
    )
    known = found.filter(pl.col("median").is_not_null())
    out = (far & (pl.col("timed") >= ENOUGH)).fill_null(value=False)
    return known.with_columns(out.alias("out")).sort("median", descending=True, maintain_order=True)
