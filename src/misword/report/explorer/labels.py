"""Labels of hypotheses, for the explorer's filters: flags, and classes of words with an error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from misword.core.types import Result
from misword.report.explorer.packing import Data, packed
from misword.report.result_access import best_hypotheses, table
from misword.report.utterance_rates import positions

if TYPE_CHECKING:
    import polars as pl

# The names of the filters.
FLAG, CLASS = "flag of the hypothesis", "error on a word of class"
ERRORS = ("substitutions", "deletions", "insertions")


def label_fields(result: Result, ids: list[str], systems: list[str]) -> list[Data]:
    """Return the labels that a result has: for each, its values and the hypotheses with them."""
    frames = {(FLAG, "Flag"): _flags(result), (CLASS, "Class"): _classes(result)}
    return [
        {"name": name, "label": label, **_packed_labels(frame, ids, systems)}
        for (name, label), frame in frames.items()
        if frame is not None and not frame.is_empty()
    ]


def class_names(frame: pl.DataFrame) -> pl.Series:
    """Return the class of each row; with its source, if there are several sources."""
    import polars as pl

    names = pl.col("class")
    if frame["source"].n_unique() > 1:
        names = names + " · " + pl.col("source")
    return frame.select(names.alias("label"))["label"]


def _flags(result: Result) -> pl.DataFrame | None:
    """Return utterance, system and flag of the hypotheses that look made up or stuck."""
    import polars as pl

    frame = table(result, "flagged")
    return None if frame is None else frame.select("utt", "system", pl.col("flag").alias("label"))


def _classes(result: Result) -> pl.DataFrame | None:
    """Return utterance, system and class where words of a class of entities have an error."""
    import polars as pl

    counts = table(result, "entity_counts")
    if counts is None:
        return None
    counts = best_hypotheses(counts).with_columns(class_names(counts))
    return counts.filter(pl.sum_horizontal(ERRORS) > 0).select("utt", "system", "label")


def _packed_labels(frame: pl.DataFrame, ids: list[str], systems: list[str]) -> Data:
    import polars as pl

    utterance = positions(frame["utt"].cast(pl.String), pl.Series(ids, dtype=pl.String))
    system = positions(frame["system"].cast(pl.String), pl.Series(systems, dtype=pl.String))
    values = frame["label"].unique().sort()
    known = (utterance >= 0) & (system >= 0)
    return {
        "values": values.to_list(),
        "utterances": packed(utterance[known]),
        "systems": packed(system[known]),
        "codes": packed(positions(frame["label"], values)[known]),
    }
