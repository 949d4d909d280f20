"""Adds the inflected forms of translations to an evaluation set.

A candidate that is an inflected form of the gold word is right for a dictionary, but counts as
wrong if the gold lexicon has base forms only (Denisová and Rychlý 2023, section 4.2).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from misword.bli.building.word_analysis import WordAnalysis
from misword.embed.vectors.vocabulary import Vocabulary

if TYPE_CHECKING:
    import polars as pl


def with_forms(
    evaluation: pl.DataFrame, vocabulary: Vocabulary, analysis: WordAnalysis
) -> pl.DataFrame:
    """Add a pair for each loaded target word that has the lemma of a translation.

    The column `form_of` has the translation that a form belongs to; it is empty for translations
    of the dictionary.
    """
    import polars as pl

    words = list(vocabulary)
    loaded = pl.DataFrame(
        {
            "form": words,
            "lemma": analysis.lemmas("target", words),
            "rank": range(1, len(words) + 1),
        },
        schema={"form": pl.String, "lemma": pl.String, "rank": pl.Int64},
    )
    targets = evaluation["target"].unique().sort().to_list()
    lemmas = pl.DataFrame(
        {"target": targets, "lemma": analysis.lemmas("target", targets)},
        schema={"target": pl.String, "lemma": pl.String},
    )
    forms = lemmas.join(loaded, on="lemma").select("target", "form", "rank")
    added = (
        evaluation.join(forms, on="target")
        .with_columns(form_of="target", target="form", target_rank="rank")
        .drop("form", "rank")
        .join(evaluation.select("source", "target"), on=["source", "target"], how="anti")
        .sort("source", "sense", "form_of", "target_rank")
        .unique(["source", "target"], keep="first", maintain_order=True)
    )
    plain = evaluation.with_columns(form_of=pl.lit(""))
    return pl.concat([plain, added.select(plain.columns)])
