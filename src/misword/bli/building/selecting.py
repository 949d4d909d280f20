"""Applies the criteria to the pairs of dictionaries: a pool, an evaluation set, a training lexicon.

All criteria that need no draw come first. What they leave is the pool. The evaluation set is drawn
from the pairs of the pool that also meet the criteria for evaluation; the training lexicon has the
most frequent of the other headwords.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from misword.bli.building.candidates import Selection, distinct_pairs, pairs_of, with_ranks
from misword.bli.building.sampling import Stratum, draw
from misword.bli.building.settings import BuildSettings, Shares, senses_text
from misword.bli.building.word_analysis import SIDES, WordAnalysis
from misword.bli.names.model import name_probabilities
from misword.embed.vectors.vocabulary import Vocabulary
from misword.io.dictionaries.entries import Dictionary

if TYPE_CHECKING:
    import polars as pl

NAME = 0.5  # the probability from which on a pair is a name
ANY = "any"  # the only class of a criterion without shares


def pool_of(
    dictionaries: Sequence[Dictionary],
    vocabularies: Mapping[str, Vocabulary],
    langs: Mapping[str, str],
    analysis: WordAnalysis,
    settings: BuildSettings,
) -> tuple[Selection, list[str]]:
    """Return the pairs that may be in either part of the gold set, and notes."""
    import polars as pl

    notes = []
    selection = Selection(distinct_pairs(pairs_of(dictionaries), settings))
    for side in SIDES:
        one_word = ~pl.col(side).str.contains(r"\s")
        selection.keep("single words", f"{side}: more than one word", one_word)
    for side in SIDES:
        letters = pl.col(side).str.contains(r"\p{L}")
        selection.keep("letters", f"{side}: no letter in it", letters)
    if settings.forms == "lemmas":
        frame = selection.frame
        for side in SIDES:
            frame = _mapped(frame, side, partial(analysis.base_forms, side))
        selection.frame = distinct_pairs(frame, settings)
    frame, lowered = with_ranks(selection.frame, dict(vocabularies))
    selection.frame = distinct_pairs(frame, settings)
    notes += [
        f"{count:,} {side} words are written in lower case, as in the vectors"
        for side, count in lowered.items()
        if count
    ]
    for side in SIDES:
        among = f"{side}: not among the {len(vocabularies[side]):,} loaded words"
        selection.keep("vocabulary", among, pl.col(f"{side}_rank").is_not_null())
    if "identical" in settings.exclude:
        selection.keep("identical", "both words are written alike", written_differently())
    selection.frame = selection.frame.with_columns(_are_names(selection.frame, langs))
    if "names" in settings.exclude:
        selection.keep("names", "proper noun", ~pl.col("name"))
    selection.frame, tagged = with_tags(selection.frame, analysis)
    if tagged:
        notes.append(f"{tagged:,} headwords have their part of speech from the tagger")
    return selection, notes


def _are_names(frame: pl.DataFrame, langs: Mapping[str, str]) -> pl.Series:
    """Return which pairs are proper nouns, by the dictionary or by the model of names."""
    import polars as pl

    pairs = list(frame.select("source", "target").iter_rows())
    found = name_probabilities(pairs, (langs["source"], langs["target"]))
    by_model = pl.Series("name", found.probabilities >= NAME)
    return by_model | (frame["pos"] == "PROPN")


def written_differently() -> pl.Expr:
    """Return the condition that both words of a pair differ in more than case."""
    import polars as pl

    return pl.col("source").str.to_lowercase() != pl.col("target").str.to_lowercase()


def evaluation_of(pool: Selection, settings: BuildSettings) -> tuple[Selection, list[str]]:
    """Return the evaluation set: headwords drawn from the pool with all their pairs, and notes."""
    import polars as pl

    selection = pool.copy()
    notes: list[str] = []
    if settings.pos.names:
        if selection.frame["pos"].eq("").all():
            notes.append("no part of speech is known: --pos has no effect; name a --tagger")
        else:
            wanted = pl.col("pos").is_in(settings.pos.names)
            selection.keep("part of speech", f"not among {','.join(settings.pos.names)}", wanted)
    if settings.bands.names:
        last = int(settings.bands.names[-1].partition("-")[2])
        selection.keep("frequency", f"rank above {last}", pl.col("source_rank") <= last)
    fewest, most = settings.senses
    counted = pl.struct("dictionary", "sense").n_unique().over("source")
    selection.frame = number_senses(selection.frame.with_columns(senses=counted))
    reason = f"number of senses not in {senses_text(settings.senses)}"
    selection.keep("senses", reason, pl.col("senses").is_between(fewest, most))
    words, strata = _strata(selection.frame, settings)
    shares = _joint_shares(settings)
    sample = draw(words, strata, shares, settings.size, settings.seed)
    for stratum, (there, wanted_count) in sample.short.items():
        named = ", ".join(name for name in stratum if name != ANY)
        of = f" of {named}" if named else ""
        notes.append(f"{wanted_count:,} headwords{of} wanted, {there:,} there: all are taken")
    drawn = pl.Series(sample.words, dtype=pl.String).implode()
    selection.keep("draw", "not drawn by the seed", pl.col("source").is_in(drawn))
    return selection, notes


def training_of(
    pool: pl.DataFrame, evaluation: pl.DataFrame, analysis: WordAnalysis, settings: BuildSettings
) -> tuple[pl.DataFrame, tuple[int, int]]:
    """Return the training lexicon, and the pairs and headwords left out to keep both disjoint.

    No headword has the lemma of a headword of the evaluation set; with `disjoint` `both`, no
    translation has the lemma of one of its translations either.
    """
    import polars as pl

    rest = pool
    for side in SIDES if settings.disjoint == "both" else SIDES[:1]:
        taken = set(analysis.lemmas(side, evaluation[side].unique().to_list()))
        words = rest[side].unique().sort().to_list()
        free = [
            word
            for word, lemma in zip(words, analysis.lemmas(side, words), strict=True)
            if lemma not in taken
        ]
        rest = rest.filter(pl.col(side).is_in(pl.Series(free, dtype=pl.String).implode()))
    heads = rest.select("source", "source_rank").unique().sort("source_rank", "source")
    chosen = heads.head(settings.train_size)["source"].implode()
    others = pool.join(evaluation, on="source", how="anti")
    pairs = others.height - rest.height
    headwords = others["source"].n_unique() - rest["source"].n_unique()
    train = number_senses(rest.filter(pl.col("source").is_in(chosen)))
    return train, (pairs, headwords)


def with_tags(frame: pl.DataFrame, analysis: WordAnalysis) -> tuple[pl.DataFrame, int]:
    """Fill in parts of speech that no dictionary gives; returns the number of words tagged.

    Without a sentence, taggers take many nouns for proper nouns; the model of names decides.
    """
    import polars as pl

    unknown = frame.filter(pl.col("pos") == "")["source"].unique().sort().to_list()
    if not unknown or analysis.tagger is None:
        return frame, 0
    tags = pl.DataFrame({"source": unknown, "tag": analysis.tags(unknown)})
    noun = (pl.col("tag") == "PROPN") & ~pl.col("name").any().over("source")
    tag = pl.when(noun).then(pl.lit("NOUN")).otherwise(pl.col("tag"))
    filled = pl.when(pl.col("pos") == "").then(tag).otherwise(pl.col("pos"))
    joined = frame.join(tags, on="source", how="left").with_columns(filled.alias("pos"))
    return joined.drop("tag"), len(unknown)


def number_senses(frame: pl.DataFrame) -> pl.DataFrame:
    """Number the senses of each headword from 1, the one with the most frequent translation first.

    The numbers do not depend on the order of the dictionary.
    """
    import polars as pl

    key = ["source", "dictionary", "sense"]
    by_rank = frame.sort("source", "target_rank", "target")
    order = by_rank.unique(key, keep="first", maintain_order=True).select(key)
    numbers = order.with_columns(number=pl.int_range(1, pl.len() + 1).over("source"))
    numbered = by_rank.join(numbers, on=key, how="left", maintain_order="left")
    return numbered.with_columns(sense="number").drop("number")


def _mapped(
    frame: pl.DataFrame, side: str, change: Callable[[list[str]], list[str]]
) -> pl.DataFrame:
    """Replace each word of a side by what `change` returns for it."""
    import polars as pl

    words = frame[side].unique().sort().to_list()
    changed = dict(zip(words, change(words), strict=True))
    return frame.with_columns(pl.col(side).replace_strict(changed, return_dtype=pl.String))


def headwords_of(frame: pl.DataFrame, settings: BuildSettings) -> pl.DataFrame:
    """Return a row for each headword: source, its rank, and the part of speech of most pairs."""
    import polars as pl

    order = {tag: place for place, tag in enumerate(settings.pos.names)}
    place = pl.col("pos").replace_strict(order, default=len(order), return_dtype=pl.Int64)
    return (
        frame.group_by("source", "source_rank", "pos")
        .len()
        .sort("source", -pl.col("len").cast(pl.Int64), place, "pos")
        .unique("source", keep="first", maintain_order=True)
        .drop("len")
    )


def _strata(frame: pl.DataFrame, settings: BuildSettings) -> tuple[list[str], list[Stratum]]:
    """Return the headwords, and the part of speech and frequency band of each."""
    heads = headwords_of(frame, settings)
    tags = heads["pos"].to_list() if settings.pos.fixed else [ANY] * heads.height
    bands = _bands(heads["source_rank"].to_list(), settings.bands)
    return heads["source"].to_list(), list(zip(tags, bands, strict=True))


def _bands(ranks: Sequence[int], bands: Shares) -> list[str]:
    """Return the name of the band of each rank; without shares they are all in one."""
    if not bands.fixed:
        return [ANY] * len(ranks)
    highest = [int(name.partition("-")[2]) for name in bands.names]
    return [bands.names[place] for place in np.searchsorted(highest, ranks).tolist()]


def _joint_shares(settings: BuildSettings) -> dict[Stratum, float]:
    """Return the share of each combination of part of speech and band."""
    tags, bands = settings.pos.fixed or {ANY: 1.0}, settings.bands.fixed or {ANY: 1.0}
    return {(tag, band): tags[tag] * bands[band] for tag, band in product(tags, bands)}
