"""The utterances that a system made worse: which they are, and what they have more of."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np

from misword.asr.comparison.contrast import contrast, unfit
from misword.asr.comparison.side_by_side import Matched
from misword.io.transcripts.columns import typed
from misword.stat.bootstrap import Bootstrap
from misword.stat.scores import Column
from misword.text.disfluencies import disfluencies

if TYPE_CHECKING:
    import polars as pl


def worst(matched: Matched, column: Column, number: int) -> pl.DataFrame:
    """The utterances of each system that cost the corpus most by a metric, with all texts.

    `errors` is what they add to the sum of errors (or distances): a short utterance that is all
    wrong has a greater rate and may still matter less.
    """
    import polars as pl

    tables = []
    for name in matched.others:
        before, after = matched.rates(column, name)
        baseline, system = matched.terms(column, name)
        said, heard = matched.texts(matched.baseline), matched.texts(name)
        table = said.select("utt").with_columns(
            pl.lit(column.label).alias("metric"),
            pl.lit(name).alias("system"),
            pl.Series("baseline_rate", before),
            pl.Series("rate", after),
            pl.Series("change", after - before),
            pl.Series("errors", (system - baseline)[:, 0].astype(np.float64)),
            said["reference"],
            said["hypothesis"].alias("baseline_text"),
            heard["hypothesis"].alias("text"),
        )
        lost = table.fill_nan(None).filter(pl.col("errors") > 0)
        by = ["errors", "change"]
        tables.append(
            lost.sort(by, descending=True, nulls_last=True, maintain_order=True).head(number)
        )
    return pl.concat(tables).select("metric", "system", pl.exclude("metric", "system"))


def described(matched: Matched, lang: str) -> pl.DataFrame:
    """What is known of each utterance: its metadata, disfluencies in its reference, its length."""
    import polars as pl

    said = matched.texts(matched.baseline)["reference"]
    counted = [pl.Series(name, values) for name, values in disfluencies(said, lang).items()]
    counted.append(said.str.extract_all(r"\S+").list.len().alias("words"))
    known = matched.first.table.select(matched.first.metadata)
    columns = [typed(column) for column in known.get_columns()]
    for column in counted:
        name = column.name
        while name in {other.name for other in columns}:
            name += " (counted)"
        columns.append(column.alias(name))
    return pl.DataFrame(columns)


def contrasts(
    matched: Matched, column: Column, known: pl.DataFrame, drawing: Bootstrap
) -> tuple[pl.DataFrame, dict[str, str]]:
    """What the utterances that got worse have more of; and why columns were left out.

    Utterances without a rate, such as those with an empty reference, are in neither group.
    """
    import polars as pl

    tables = []
    for name in matched.others:
        ways = matched.direction(column, name)
        defined = ~np.isnan(ways)
        found = contrast(known.filter(defined), ways[defined] > 0, known.columns, **asdict(drawing))
        named = [pl.lit(name).alias("system"), pl.lit(column.label).alias("metric")]
        tables.append(found.select(*named, pl.all()))
    return pl.concat(tables), unfit(known, known.columns)
