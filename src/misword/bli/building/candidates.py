"""The pairs of all dictionaries as one table, and the record of what each criterion leaves out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from misword.bli.building.settings import BuildSettings
from misword.core.errors import InputError
from misword.embed.vectors.vocabulary import Vocabulary
from misword.io.dictionaries.entries import Dictionary
from misword.io.dictionaries.parts_of_speech import UNIVERSAL

if TYPE_CHECKING:
    import polars as pl

EXAMPLES = 5
# A dictionary is taken for one of the other direction if so many times more of its words on each
# side are words of the other language.
TURNED = 2.0
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
    import polars as pl

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
    import polars as pl

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
    returned by side.
    """
    import polars as pl

    lowered = {}
    for side, vocabulary in vocabularies.items():
        words = frame[side].unique().sort().to_list()
        ranks = vocabulary.find(words) + 1
        spelt = list(words)
        for place in np.flatnonzero(ranks == 0).tolist():
            spelt[place] = words[place].lower()
        missing = np.flatnonzero(ranks == 0)
        ranks[missing] = vocabulary.find([spelt[place] for place in missing.tolist()]) + 1
        found = [word if rank else old for old, word, rank in zip(words, spelt, ranks, strict=True)]
        lowered[side] = sum(old != new for old, new in zip(words, found, strict=True))
        table = pl.DataFrame(
            {side: words, "spelt": found, RANKS[side]: [rank or None for rank in ranks.tolist()]},
            schema={side: pl.String, "spelt": pl.String, RANKS[side]: pl.Int64},
        )
        frame = frame.join(table, on=side, how="left").with_columns(pl.col("spelt").alias(side))
        frame = frame.drop("spelt")
    return frame, lowered


def refuse_turned(dictionary: Dictionary, source: Vocabulary, target: Vocabulary) -> None:
    """Raise if the headwords of a dictionary are words of the target language."""
    words = list(dict.fromkeys(dictionary.source)), list(dict.fromkeys(dictionary.target))
    forward = _coverage(words[0], source), _coverage(words[1], target)
    turned = _coverage(words[0], target), _coverage(words[1], source)
    if all(b > TURNED * a for a, b in zip(forward, turned, strict=True)):
        raise InputError(
            f"{100 * forward[0]:.0f} % of its headwords are among the source vectors, but "
            f"{100 * turned[0]:.0f} % are among the target vectors",
            where=dictionary.name,
            fix="the dictionary is of the other direction: read it with --reverse, or swap the "
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
