"""The audit of an evaluation set that was built: what may still be wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from misword.bli.audit import audit
from misword.bli.building.result import lexicon_of
from misword.bli.building.word_analysis import Analyzers
from misword.embed.vectors.words import WordVectors

if TYPE_CHECKING:
    import polars as pl

# Flags that compare lemmas, which are those of the default lemmatizers.
BY_LEMMA = ("inflected", "training-headword")


def audit_of(
    evaluation: pl.DataFrame,
    train: pl.DataFrame,
    langs: Mapping[str, str],
    vectors: Mapping[str, WordVectors],
    max_words: int,
    names: Analyzers,
) -> list[dict[str, Any]]:
    """Return for each flag of `misword audit` its pairs, its headwords and an example.

    Inflected forms that were added to the translations are not audited. Flags that compare lemmas
    are left out if another lemmatizer than the default was named.
    """
    import polars as pl

    if "form_of" in evaluation.columns:
        evaluation = evaluation.filter(pl.col("form_of") == "")
    named = names.get("source_lemmatizer") or names.get("target_lemmatizer")
    found = audit(
        lexicon_of(evaluation, "evaluation.tsv"),
        langs["source"],
        langs["target"],
        source_vectors=vectors["source"],
        target_vectors=vectors["target"],
        max_words=max_words,
        training=lexicon_of(train, "train.tsv") if train.height else None,
    )
    rows = found.summary().select("flag", "pairs", "headwords", "example").to_dicts()
    return [row for row in rows if not (named and row["flag"] in BY_LEMMA)]
