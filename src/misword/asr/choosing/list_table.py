"""The lists as a table for the report: texts, features, rates, and what was chosen by what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from misword.asr.choosing.scored_lists import ScoredLists

if TYPE_CHECKING:
    import polars as pl

# Ranks of each list in the table, beside the chosen ones, and the largest number of lists.
RANKS = 20
LISTS = 2_500
KEYS = ["utt", "system", "rank"]


def shown_lists(scored: ScoredLists, chosen: pl.DataFrame) -> pl.DataFrame:
    """Return the first hypotheses of each list and the chosen ones, with all that is known of them.

    `chosen` has the utterance, system and rank of each choice and who made it (`chosen_by`). The
    columns are `utt`, `system`, `rank`, `reference`, `text`, the features, the rate by each metric
    (`wer.rate`) and `chosen_by`, with commas between several. Texts that are not known are null.
    """
    import polars as pl

    scores, table = scored.scores, scored.scores.table
    shown = table.select("utt").unique(maintain_order=True).head(LISTS)
    by_row = chosen.group_by(KEYS, maintain_order=True).agg(pl.col("chosen_by").str.join(", "))
    rows = pl.concat(
        [
            table.filter(pl.col("rank") <= RANKS),
            table.filter(pl.col("rank") > RANKS).join(by_row, on=KEYS, how="semi"),
        ]
    )
    rows = rows.join(shown, on="utt", how="semi", maintain_order="left")
    rows = rows.join(by_row, on=KEYS, how="left", maintain_order="left")
    rates = [
        pl.Series(f"{column.label}.rate", column.measure.rate(column.terms(rows)), pl.Float64)
        for column in scores.columns
    ]
    kept = rows.select(*KEYS, *scores.features, "chosen_by").hstack(rates).fill_nan(None)
    order = shown.with_row_index("place")
    kept = kept.join(order, on="utt", how="left").sort("place", "system", "rank").drop("place")
    return _with_texts(kept, scored)


def _with_texts(rows: pl.DataFrame, scored: ScoredLists) -> pl.DataFrame:
    import polars as pl

    texts = scored.texts
    if texts is None:
        nothing = pl.lit(None, pl.String)
        return rows.with_columns(text=nothing, reference=nothing)
    known = texts.join(rows, on=KEYS, how="semi")
    if "text" in scored.references.columns:
        references = scored.references.select("utt", reference="text")
        known = known.select(*KEYS, text="hypothesis").join(references, on="utt", how="left")
    else:
        known = known.select(*KEYS, "reference", text="hypothesis")
    return rows.join(known, on=KEYS, how="left", maintain_order="left")
