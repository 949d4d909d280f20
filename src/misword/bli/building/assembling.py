"""Makes a gold set of dictionaries and vectors that are open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from misword.bli.building.candidates import LeftOut, refuse_turned
from misword.bli.building.datasheet import make_datasheet
from misword.bli.building.final_audit import audit_of
from misword.bli.building.forms import with_forms
from misword.bli.building.result import GoldSet
from misword.bli.building.selecting import (
    evaluation_of,
    pool_of,
    training_of,
    written_differently,
)
from misword.bli.building.settings import BuildSettings
from misword.bli.building.word_analysis import SIDES, WordAnalysis
from misword.embed.vectors.words import WordVectors
from misword.io.dictionaries.entries import Dictionary

if TYPE_CHECKING:
    import polars as pl

COLUMNS = ("source", "target", "pos", "sense", "source_rank", "target_rank", "dictionary")


def assemble(
    dictionaries: Sequence[Dictionary],
    vectors: Mapping[str, WordVectors],
    langs: Mapping[str, str],
    analysis: WordAnalysis,
    settings: BuildSettings,
    *,
    audited: bool = True,
) -> GoldSet:
    """Apply all criteria, and describe the result in a datasheet; with `audited`, audit it."""
    vocabularies = {side: vectors[side].vocabulary.first(settings.max_words) for side in SIDES}
    for one in dictionaries:
        refuse_turned(one, vocabularies["source"], vocabularies["target"])
    notes = [note for one in dictionaries for note in one.notes] + [*analysis.notes]
    pool, of_pool = pool_of(dictionaries, vocabularies, langs, analysis, settings)
    chosen, of_evaluation = evaluation_of(pool, settings)
    train, shared = training_of(pool.frame, chosen.frame, analysis, settings)
    notes += [*of_pool, *of_evaluation, *_training_notes(train, settings)]
    evaluation = chosen.frame
    if settings.forms == "expand":
        evaluation = with_forms(evaluation, vocabularies["target"], analysis)
        if "identical" in settings.exclude:
            evaluation = evaluation.filter(written_differently())
    train, evaluation = (_table(frame, dictionaries) for frame in (train, evaluation))
    left_out = [
        *chosen.left_out,
        LeftOut("disjoint", "lemma in the evaluation set: not for training", *shared, ()),
    ]
    facts = {
        "source_lang": langs["source"],
        "target_lang": langs["target"],
        "sources": [_source(one) for one in dictionaries],
        "vectors": [
            {"name": one.name, "words": len(vocabularies[side]), "sha256": one.digest}
            for side, one in vectors.items()
        ],
        "analyzers": analysis.settings,
        "notes": notes,
        "audit": audit_of(evaluation, train, langs, vectors, settings.max_words, analysis.names)
        if audited
        else [],
    }
    sheet = make_datasheet(train, evaluation, left_out, settings, facts)
    return GoldSet(train, evaluation, sheet, tuple(notes))


def _training_notes(train: pl.DataFrame, settings: BuildSettings) -> list[str]:
    there = train["source"].n_unique()
    if there >= settings.train_size:
        return []
    return [
        f"{settings.train_size:,} headwords for training wanted, {there:,} there: all are taken"
    ]


def _table(frame: pl.DataFrame, dictionaries: Sequence[Dictionary]) -> pl.DataFrame:
    """Return the columns of the output, the most frequent headwords first."""
    import polars as pl

    names = {number: PurePath(one.name).name for number, one in enumerate(dictionaries, 1)}
    further = [name for name in ("senses", "form_of") if name in frame.columns]
    named = pl.col("dictionary").replace_strict(names, return_dtype=pl.String)
    ordered = frame.sort("source_rank", "source", "sense", "target_rank", "target")
    return ordered.with_columns(named).select(*COLUMNS, *further)


def _source(dictionary: Dictionary) -> dict[str, Any]:
    return {
        "name": dictionary.name,
        "format": dictionary.format,
        "pairs": len(dictionary),
        "headwords": len(set(dictionary.source)),
        "sha256": dictionary.digest,
    }
