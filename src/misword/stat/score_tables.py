"""Tables of scores: the columns that identify rows, checks before tables are joined, totals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from misword.core.errors import MismatchError, OptionError
from misword.core.formatting import listed
from misword.stat.measure import MetricColumn, metric_provenance
from misword.stat.row_set import RowSet

if TYPE_CHECKING:
    import polars as pl

# The columns that identify a row.
KEYS = ("utt", "system", "rank")
MOST_CHUNKS = 64  # of a table: a step of a sum takes time in proportion to the chunks


def check_same_metrics(left: Iterable[MetricColumn], right: Iterable[MetricColumn]) -> None:
    """Raise unless both have the same metrics, with the same signatures."""
    mine = {column.label: column.signature for column in left}
    theirs = {column.label: column.signature for column in right}
    if mine.keys() != theirs.keys():
        raise MismatchError(
            f"metrics differ: {', '.join(mine)} / {', '.join(theirs)}",
            fix="score both by the same metrics",
        )
    for label, signature in mine.items():
        if differences := signature.differences(theirs[label]):
            raise MismatchError(f"signatures of {label} differ: {'; '.join(differences)}")


def joined_rows(upper: pl.DataFrame, lower: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of two tables; columns that one of them lacks are null there."""
    import polars as pl

    table = pl.concat([upper, lower], how="diagonal_relaxed")
    return table.rechunk() if table.n_chunks() > MOST_CHUNKS else table


def key_set(table: pl.DataFrame, known: RowSet | None) -> RowSet:
    """Return the set of the keys of the rows: `known`, if that is the set of this table."""
    if known is not None and known.table is table:
        return known
    return replace(RowSet.of(table.select(KEYS)), table=table)


def refuse_doubled(table: pl.DataFrame) -> None:
    """Raise if two rows have the same keys."""
    duplicated = table.select(KEYS).is_duplicated()
    if duplicated.any():
        utt, system = table.row(duplicated.arg_max() or 0)[:2]
        raise MismatchError(
            f"utterance {utt!r} of {system!r} is in both",
            fix="if these are different utterances, give them ids: score(..., ids=...)",
        )


def with_totals(groups: pl.DataFrame, totals: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of groups, then those of all groups together, which `total` marks."""
    import polars as pl

    marked = [
        table.with_columns(total=pl.lit(at)) for table, at in ((groups, False), (totals, True))
    ]
    return pl.concat(marked, how="diagonal_relaxed")


def refuse_own_names(names: Iterable[str], statistics: Iterable[str]) -> None:
    """Raise if a name of a column to group by is that of a column of summaries.

    `statistics` are the names of the metrics' statistics.
    """
    own = {"metric", "rate", "low", "high", "reference", "utterances", "total"}
    own |= {"without", "forgiven"}
    own |= {*statistics}
    for name in own.intersection(names):
        raise OptionError(f"the summary has a column {name!r} of its own", fix="rename yours")


def check_system(systems: Sequence[str], label: str, system: str) -> None:
    """Raise if a metric is asked for without a system where there are several, or of none."""
    if not system and len(systems) > 1:
        raise OptionError(
            f"{label!r} of which system? There are {listed(systems)}",
            fix=f"name it: scores[{label!r}, {systems[0]!r}]",
        )
    if system and system not in systems:
        raise OptionError(f"no system {system!r} here", fix=f"there are: {listed(systems)}")


def empty_reference_notes(empty: Mapping[int, Sequence[str]], pairs: int) -> list[str]:
    """Return notes on pairs with an empty reference: `empty` has metrics by the number of these."""
    return [
        f"{count} of {pairs} pairs have an empty reference for {', '.join(labels)}: "
        "no rate of their own, their insertions count in the total"
        for count, labels in empty.items()
        if count
    ]


def pair_notes(columns: Sequence[MetricColumn], table: pl.DataFrame) -> list[str]:
    """Return notes on the pairs of a table of scores that the rates do not show."""
    empty: dict[int, list[str]] = {}
    for column in columns:
        empty.setdefault(column.empty_references(table), []).append(column.label)
    notes = empty_reference_notes(empty, len(table))
    return notes + [text for column in columns for text in column.remarks(table)]


def interleaved(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Return the rows of metrics as one table, in which the metrics of a group follow each other.

    There is a frame for each metric, with the same groups.
    """
    import polars as pl

    joined = pl.concat(frames, how="diagonal_relaxed")
    order = np.arange(len(joined)).reshape(len(frames), -1).T.ravel()
    return joined[order].fill_nan(None)


def score_provenance(
    columns: Sequence[MetricColumn], families: Sequence[str], features: Sequence[str]
) -> dict[str, Any]:
    """Return the metrics, their tables of words, forgiven families and features of scores."""
    return {
        **metric_provenance(columns),
        "words": {column.label: column.words for column in columns},
        **({"forgiven": list(families)} if families else {}),
        **({"features": list(features)} if features else {}),
    }


def no_words(
    tables: Mapping[str, object], metric: str | None, columns: Iterable[MetricColumn]
) -> OptionError:
    """Return the error for scores without words, or for a metric that aligns no words."""
    aligned = f"{metric} has no words"
    what = aligned if "words" in tables else "these scores have no word records"
    aligning = [column.label for column in columns if column.words]
    return OptionError(what, fix="words are aligned by: " + ", ".join(aligning))
