"""The utterances that a system made worse: their texts, and how they differ from the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from misword.asr.comparison.contrast import contrast, unfit
from misword.asr.comparison.matched_systems import MatchedSystems
from misword.io.transcripts.categories import interpret
from misword.stat.bootstrap import Bootstrap
from misword.stat.measure import MetricColumn
from misword.text.disfluencies import disfluencies

if TYPE_CHECKING:
    import polars as pl


def worst_utterances(systems: MatchedSystems, column: MetricColumn, number: int) -> pl.DataFrame:
    """Return the `number` utterances of each system with the most added errors, with all texts.

    `errors` is the number of errors (or the sum of distances) that the utterance has more than
    with the baseline. The utterances are sorted by it and not by their rate: a short utterance
    that is all wrong has a high rate but adds few errors.
    """
    import polars as pl

    tables = []
    for name in systems.others:
        baseline_rates, rates = systems.rates(column, name)
        baseline_terms, terms = systems.terms(column, name)
        baseline_texts, texts = systems.texts(systems.baseline), systems.texts(name)
        table = baseline_texts.select("utt").with_columns(
            pl.lit(column.label).alias("metric"),
            pl.lit(name).alias("system"),
            pl.Series("baseline_rate", baseline_rates),
            pl.Series("rate", rates),
            pl.Series("change", rates - baseline_rates),
            pl.Series("errors", (terms - baseline_terms)[:, 0].astype(np.float64)),
            baseline_texts["reference"],
            baseline_texts["hypothesis"].alias("baseline_text"),
            texts["hypothesis"].alias("text"),
        )
        worse = table.fill_nan(None).filter(pl.col("errors") > 0)
        by = ["errors", "change"]
        tables.append(
            worse.sort(by, descending=True, nulls_last=True, maintain_order=True).head(number)
        )
    return pl.concat(tables).select("metric", "system", pl.exclude("metric", "system"))


def describe_utterances(systems: MatchedSystems, lang: str) -> pl.DataFrame:
    """Return the properties of each utterance: metadata, disfluencies and words of its reference.

    `lang` is the language whose fillers count as disfluencies.
    """
    import polars as pl

    references = systems.texts(systems.baseline)["reference"]
    counts = [pl.Series(name, values) for name, values in disfluencies(references, lang).items()]
    counts.append(references.str.extract_all(r"\S+").list.len().alias("words"))
    baseline = systems.baseline_scores
    metadata = baseline.table.select(baseline.metadata).get_columns()
    columns = [interpret(column) for column in metadata]
    for column in counts:
        name = column.name
        while name in {other.name for other in columns}:
            name += " (counted)"
        columns.append(column.alias(name))
    return pl.DataFrame(columns)


def contrast_worsened(
    systems: MatchedSystems, column: MetricColumn, properties: pl.DataFrame, bootstrap: Bootstrap
) -> tuple[pl.DataFrame, dict[str, str]]:
    """Compare the utterances that got worse with the others, by their properties.

    Returns the table of contrasts, and the reason why each column of `properties` that is not in
    it was left out. An utterance without a rate, such as one with an empty reference, is in
    neither group.
    """
    import polars as pl

    tables = []
    for name in systems.others:
        directions = systems.directions(column, name)
        defined = ~np.isnan(directions)
        table = contrast(
            properties.filter(defined), directions[defined] > 0, properties.columns, bootstrap
        )
        labels = [pl.lit(name).alias("system"), pl.lit(column.label).alias("metric")]
        tables.append(table.select(*labels, pl.all()))
    return pl.concat(tables), unfit(properties, properties.columns)
