"""Build a gold set from dictionaries: a training lexicon and an evaluation set.

`build` reads dictionaries and vectors. `assemble` applies the criteria (`building/selecting.py`),
adds inflected forms if they are wanted, audits the evaluation set and makes the datasheet.

Reference: Denisová and Rychlý 2023, "Evaluation of the Cross-lingual Embedding Models from the
Lexicographic Perspective", section 4
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any, Unpack

from misword.bli.audit import audit
from misword.bli.building.result import GoldSet, check_folder, lexicon_of, make_datasheet
from misword.bli.building.selecting import (
    LeftOut,
    check_dictionary_direction,
    evaluation_of,
    pool_of,
    training_of,
    written_differently,
)
from misword.bli.building.settings import BuildSettings
from misword.bli.inputs import language_codes
from misword.bli.mapping import open_vectors
from misword.bli.options import Analyzers, BuildOptions, Criteria
from misword.bli.word_analysis import SIDES, WordAnalysis
from misword.core.errors import OptionError
from misword.core.lazy import pl
from misword.core.options import chosen, takes
from misword.embed.vectors.vocabulary import Vocabulary
from misword.embed.vectors.words import WordVectors
from misword.io.dictionaries.entries import Dictionary
from misword.io.dictionaries.read import read_dictionary
from misword.io.files.sources import PathLike
from misword.io.options import DictionaryReading


def with_forms(
    evaluation: pl.DataFrame, vocabulary: Vocabulary, analysis: WordAnalysis
) -> pl.DataFrame:
    """Add a pair for each loaded target word that has the lemma of a translation.

    A candidate that is an inflected form of the gold word is right for a dictionary, but counts as
    wrong if the gold lexicon has base forms only (Denisová and Rychlý 2023, section 4.2).
    The column `form_of` has the translation that a form belongs to; it is empty for translations
    of the dictionary.
    """
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


# Flags that compare lemmas, which are those of the default lemmatizers.
BY_LEMMA = ("inflected", "training-headword")


def audit_of(
    evaluation: pl.DataFrame,
    train: pl.DataFrame,
    langs: Mapping[str, str],
    vectors: Mapping[str, WordVectors],
    max_words: int,
    names: Mapping[str, str],
) -> list[dict[str, Any]]:
    """Return for each flag of `misword audit` its pairs, its headwords and an example.

    Inflected forms that were added to the translations are not audited. Flags that compare lemmas
    are left out if another lemmatizer than the default was named.
    """
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
        check_dictionary_direction(one, vocabularies["source"], vocabularies["target"])
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


DictionaryOrPath = Dictionary | PathLike


@takes(BuildOptions)
def build(
    source_lang: str,
    target_lang: str,
    dictionaries: DictionaryOrPath | Sequence[DictionaryOrPath],
    source_vectors: WordVectors | PathLike,
    target_vectors: WordVectors | PathLike,
    **options: Unpack[BuildOptions],
) -> GoldSet:
    """Make a training lexicon and an evaluation set from dictionaries, by stated criteria.

    `dictionaries` are files that `read_dictionary` reads (`input_format`, `reverse` and
    `keep_going` are its options), or dictionaries in memory. `purpose` sets the defaults of all
    criteria: `lexicography` (all frequencies and senses) or `learners` (frequent words with few
    senses). `misword.bli.options.Criteria` explains the criteria (`size=1500`,
    `pos="NOUN:50,VERB:50"`, ...). `source_lemmatizer`, `target_lemmatizer` and `tagger` name other
    analyzers than the defaults of the languages. With `audit`, the datasheet has what
    `misword.audit` finds. `output` is a folder for `train.tsv`, `evaluation.tsv`, `datasheet.md`
    and `datasheet.json`; `force` replaces an older gold set in it.

    >>> from misword.io.dictionaries.entries import DictionaryEntry
    >>> words = [[f"{kind}{letter}" for letter in "abcdefgh"] for kind in ("word", "mot")]
    >>> entries = [
    ...     DictionaryEntry((word,), ((translation,),), "n") for word, translation in zip(*words)
    ... ]
    >>> vectors = [WordVectors.of(side, [[n, 1] for n in range(8)]) for side in words]
    >>> gold = build("eo", "ia", Dictionary.of(entries), *vectors, size=3)
    >>> gold.datasheet["counts"]["evaluation"]["headwords"], gold.train.height
    (3, 5)
    """
    settings = BuildSettings.of(options["purpose"], chosen(options, Criteria))
    langs = dict(zip(SIDES, language_codes(source_lang, target_lang), strict=True))
    output, force = options["output"], options["force"]
    if output is not None:
        check_folder(Path(output), force=force)
    analysis = WordAnalysis.of(langs, chosen(options, Analyzers), settings)
    reading = chosen(options, DictionaryReading)
    read = [
        one if isinstance(one, Dictionary) else read_dictionary(one, *langs.values(), **reading)
        for one in _several(dictionaries)
    ]
    vectors = {
        side: one if isinstance(one, WordVectors) else open_vectors(one, settings.max_words)
        for side, one in zip(SIDES, (source_vectors, target_vectors), strict=True)
    }
    gold = assemble(read, vectors, langs, analysis, settings, audited=options["audit"])
    if output is not None:
        gold.write(output, force=force)
    return gold


def _several(
    dictionaries: DictionaryOrPath | Sequence[DictionaryOrPath],
) -> Sequence[DictionaryOrPath]:
    """Return a list of dictionaries, which may be one."""
    if isinstance(dictionaries, Dictionary | str | os.PathLike):
        return [dictionaries]
    if not dictionaries:
        raise OptionError("no dictionary is named", fix="name at least one: --from dict.tsv")
    return dictionaries
