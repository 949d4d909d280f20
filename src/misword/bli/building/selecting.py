"""Applies the criteria to the pairs of dictionaries: a pool, an evaluation set, a training lexicon.

All criteria that need no draw come first. What they leave is the pool. The evaluation set is
drawn from the pairs of the pool that also meet the criteria for evaluation; the training lexicon
has the most frequent of the other headwords. Each criterion records what it leaves out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from itertools import product
from typing import Any

import numpy as np

from misword.bli.building.settings import BuildSettings, Shares, senses_text
from misword.bli.names.model import name_probabilities
from misword.bli.word_analysis import SIDES, WordAnalysis
from misword.core.errors import InputError
from misword.core.lazy import pl
from misword.embed.vectors.vocabulary import Vocabulary
from misword.io.dictionaries.entries import UNIVERSAL, Dictionary

EXAMPLES = 5
# A dictionary probably has the other direction if, on both sides, the share of its words in the
# vectors of the other language is more than this many times the share in those of its own.
SUSPICIOUS_RATIO = 2.0
RANKS = {"source": "source_rank", "target": "target_rank"}


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What a criterion left out: pairs, headwords without any other pair, and some examples."""

    criterion: str
    reason: str
    pairs: int
    headwords: int
    examples: tuple[str, ...]

    def listed(self) -> dict[str, Any]:
        """Return the values by name."""
        return {
            "criterion": self.criterion,
            "reason": self.reason,
            "pairs": self.pairs,
            "headwords": self.headwords,
            "examples": list(self.examples),
        }


@dataclass
class Selection:
    """A table of pairs that criteria make smaller; `left_out` has a record of each criterion."""

    frame: pl.DataFrame
    left_out: list[LeftOut] = field(default_factory=list)

    def keep(self, criterion: str, reason: str, condition: pl.Expr | pl.Series) -> None:
        """Keep the pairs that meet a condition; null counts as not met."""
        kept = self.frame.filter(condition)
        lost = self.frame.join(kept.select("source", "target"), on=["source", "target"], how="anti")
        gone = lost.join(kept.select("source"), on="source", how="anti")
        shown = lost.sort("source", "target").head(EXAMPLES)
        examples = tuple(f"{a} - {b}" for a, b in shown.select("source", "target").iter_rows())
        self.left_out.append(
            LeftOut(criterion, reason, lost.height, gone["source"].n_unique(), examples)
        )
        self.frame = kept
        if not kept.height:
            raise self._empty(criterion)

    def copy(self) -> Selection:
        """Return a selection that other criteria can be applied to."""
        return Selection(self.frame, list(self.left_out))

    def _empty(self, criterion: str) -> InputError:
        """Return the error for a selection without any pair."""
        counts = ", ".join(f"{one.criterion} {one.pairs:,}" for one in self.left_out if one.pairs)
        return InputError(
            f"no pair is left after the criterion {criterion!r}; pairs left out: {counts}",
            fix="relax the criterion, or check the languages of the dictionaries and vectors",
        )


def pairs_of(dictionaries: Sequence[Dictionary]) -> pl.DataFrame:
    """Return the pairs of all dictionaries: source, target, pos, sense, dictionary (its number)."""
    frames = [
        one.frame().select("source", "target", "pos", "sense").with_columns(dictionary=pl.lit(i))
        for i, one in enumerate(dictionaries, 1)
    ]
    return pl.concat(frames)


def distinct_pairs(frame: pl.DataFrame, settings: BuildSettings) -> pl.DataFrame:
    """Return each pair once.

    A pair with several parts of speech has the first of those that are wanted; a pair in several
    dictionaries or senses is in the first of them.
    """
    tags = dict.fromkeys((*settings.pos.names, *UNIVERSAL, ""))
    preferred = {tag: place for place, tag in enumerate(tags)}
    place = pl.col("pos").replace_strict(preferred, default=len(preferred))
    return (
        frame.sort(place, "dictionary", "sense", maintain_order=True)
        .unique(["source", "target"], keep="first", maintain_order=True)
        .sort("source", "target")
    )


def with_ranks(
    frame: pl.DataFrame, vocabularies: dict[str, Vocabulary]
) -> tuple[pl.DataFrame, dict[str, int]]:
    """Add the rank of each word among the loaded words, null for words that are not among them.

    A word that the vocabulary has in lower case only is written so. The numbers of such words are
    returned by side. The rank of a phrase is that of its rarest word.
    """
    lowered = {}
    for side, vocabulary in vocabularies.items():
        words = frame[side].unique().sort().to_list()
        ranks = vocabulary.find(words) + 1
        spelt = list(words)
        for place in np.flatnonzero(ranks == 0).tolist():
            spelt[place] = words[place].lower()
        missing = np.flatnonzero(ranks == 0)
        ranks[missing] = vocabulary.find([spelt[place] for place in missing.tolist()]) + 1
        for place in np.flatnonzero(ranks == 0).tolist():
            if " " in words[place]:
                ranks[place], spelt[place] = _phrase_rank(words[place], vocabulary), words[place]
        found = [word if rank else old for old, word, rank in zip(words, spelt, ranks, strict=True)]
        lowered[side] = sum(old != new for old, new in zip(words, found, strict=True))
        table = pl.DataFrame(
            {side: words, "spelt": found, RANKS[side]: [rank or None for rank in ranks.tolist()]},
            schema={side: pl.String, "spelt": pl.String, RANKS[side]: pl.Int64},
        )
        frame = frame.join(table, on=side, how="left").with_columns(pl.col("spelt").alias(side))
        frame = frame.drop("spelt")
    return frame, lowered


def _phrase_rank(phrase: str, vocabulary: Vocabulary) -> int:
    """Return the rank of the rarest word of a phrase; 0 if a word is not in the vocabulary."""
    words = phrase.split()
    ranks = np.maximum(vocabulary.find(words), vocabulary.find([word.lower() for word in words]))
    return int(ranks.max()) + 1 if (ranks >= 0).all() else 0


def check_dictionary_direction(
    dictionary: Dictionary, source: Vocabulary, target: Vocabulary
) -> None:
    """Raise if the headwords of a dictionary are words of the target language."""
    words = list(dict.fromkeys(dictionary.source)), list(dict.fromkeys(dictionary.target))
    forward = _coverage(words[0], source), _coverage(words[1], target)
    swapped = _coverage(words[0], target), _coverage(words[1], source)
    if all(b > SUSPICIOUS_RATIO * a for a, b in zip(forward, swapped, strict=True)):
        raise InputError(
            f"{100 * forward[0]:.0f} % of its headwords are among the source vectors, but "
            f"{100 * swapped[0]:.0f} % are among the target vectors",
            where=dictionary.name,
            fix="the dictionary has the other direction: read it with --reverse, or swap the "
            "languages and the vectors",
        )


def _coverage(words: Sequence[str], vocabulary: Vocabulary) -> float:
    """Return the share of words that a vocabulary has as they are written or in lower case."""
    single = [word for word in words if " " not in word]
    if not single:
        return 0.0
    found = vocabulary.find(single) >= 0
    lower = vocabulary.find([word.lower() for word in single]) >= 0
    return float(np.count_nonzero(found | lower)) / len(single)


# Draws headwords in chosen shares, by a seed.
#
# The draw of a word is a hash of the seed and the word. It does not depend on the other words or
# on their order: a dictionary with some more words gives nearly the same set.

Stratum = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DrawnWords:
    """The drawn words, and for each stratum with too few words how many it has and should have."""

    words: tuple[str, ...]
    short: dict[Stratum, tuple[int, int]]


def draw(
    words: Sequence[str], strata: Sequence[Stratum], shares: Mapping[Stratum, float], size: int,
    seed: int,
) -> DrawnWords:  # fmt: skip
    """Draw `size` words so that each stratum has its share, as far as it has words.

    `strata` has the stratum of each word. A stratum with too few words gives all of them; the other
    strata give no more for it, so that their numbers are those of the shares.

    >>> draw(["a", "b", "c", "d"], [("n",), ("n",), ("v",), ("v",)], {("n",): 0.5, ("v",): 0.5}, 2,
    ...      seed=1).short
    {}
    """
    wanted = quotas(shares, size)
    by_stratum: dict[Stratum, list[str]] = {stratum: [] for stratum in shares}
    for word, stratum in zip(words, strata, strict=True):
        if stratum in by_stratum:
            by_stratum[stratum].append(word)
    drawn: list[str] = []
    short = {}
    for stratum, members in by_stratum.items():
        if len(members) < wanted[stratum]:
            short[stratum] = (len(members), wanted[stratum])
        drawn += sorted(members, key=lambda word: _draw_of(word, seed))[: wanted[stratum]]
    return DrawnWords(tuple(drawn), short)


def quotas(shares: Mapping[Stratum, float], size: int) -> dict[Stratum, int]:
    """Return how many words each stratum gives: rounded shares that sum to the size.

    The rounding is that of the largest remainders; each number differs from its share by less
    than 1.

    >>> quotas({("a",): 1 / 3, ("b",): 2 / 3}, 100)
    {('a',): 33, ('b',): 67}
    """
    exact = {stratum: share * size for stratum, share in shares.items()}
    rounded = {stratum: int(value) for stratum, value in exact.items()}
    missing = size - sum(rounded.values())
    by_remainder = sorted(exact, key=lambda stratum: (rounded[stratum] - exact[stratum], stratum))
    for stratum in by_remainder[:missing]:
        rounded[stratum] += 1
    return rounded


def _draw_of(word: str, seed: int) -> tuple[bytes, str]:
    data = f"{seed}\0{word}".encode("utf-8", "surrogatepass")
    return blake2b(data, digest_size=16).digest(), word


# The pool, the evaluation set and the training lexicon.

NAME = 0.5  # a pair is a name if its probability is at least this
ANY = "any"  # the only class of a criterion without shares


def pool_of(
    dictionaries: Sequence[Dictionary],
    vocabularies: Mapping[str, Vocabulary],
    langs: Mapping[str, str],
    analysis: WordAnalysis,
    settings: BuildSettings,
) -> tuple[Selection, list[str]]:
    """Return the pairs that may be in either part of the gold set, and notes."""
    notes = []
    selection = Selection(distinct_pairs(pairs_of(dictionaries), settings))
    for side in () if settings.multiword else SIDES:
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
    pairs = list(frame.select("source", "target").iter_rows())
    found = name_probabilities(pairs, (langs["source"], langs["target"]))
    by_model = pl.Series("name", found.probabilities >= NAME)
    return by_model | (frame["pos"] == "PROPN")


def written_differently() -> pl.Expr:
    """Return the condition that both words of a pair differ in more than case."""
    return pl.col("source").str.to_lowercase() != pl.col("target").str.to_lowercase()


def evaluation_of(pool: Selection, settings: BuildSettings) -> tuple[Selection, list[str]]:
    """Return the evaluation set: headwords drawn from the pool with all their pairs, and notes."""
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
    words = frame[side].unique().sort().to_list()
    changed = dict(zip(words, change(words), strict=True))
    return frame.with_columns(pl.col(side).replace_strict(changed, return_dtype=pl.String))


def headwords_of(frame: pl.DataFrame, settings: BuildSettings) -> pl.DataFrame:
    """Return a row for each headword: source, its rank, and the part of speech of most pairs."""
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
