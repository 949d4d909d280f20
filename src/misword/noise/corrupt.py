"""Text as a recogniser would have heard it, at a stated word error rate.

`corrupt` does all at once; `hear` makes the channel's table for the words of a corpus, and `draw`
draws errors from it, as often as wanted.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from misword.core.context import Context
from misword.core.errors import MismatchError
from misword.core.signature import Signature
from misword.core.types import Corpus, Result
from misword.core.version import __version__
from misword.io.transcripts.rewriting import pieces_of
from misword.noise.channels import AUTO, Channel, choose
from misword.noise.corruption.drawing import Drawn
from misword.noise.corruption.error_table import truth
from misword.noise.corruption.sampler import Picker
from misword.noise.corruption.targets import (
    Census,
    Level,
    Realised,
    census_of,
    check_mix,
    check_rates,
    draw_levels,
)
from misword.noise.corruption.text_block import Passage
from misword.noise.corruption.word_shape import cores
from misword.noise.hearing import Hearing, Mix
from misword.text.texts import SEPARATOR, Texts
from misword.text.tokens import encode_words

if TYPE_CHECKING:
    import polars as pl

    from misword.embed.vectors.words import WordVectors

ROWS = 1 << 16  # utterances in a passage


@dataclass(frozen=True, eq=False)
class Corrupted:
    """A corpus at one rate: the texts, what came out, and every error that was drawn."""

    texts: list[str]
    realised: Realised
    _passages: Sequence[tuple[Passage, Drawn]]
    _picker: Picker

    @cached_property
    def truth(self) -> pl.DataFrame:
        """Each error: `utt position kind old new probability phonological semantic`.

        `utt` counts utterances from 1, `position` the words of the original from 1; an inserted
        word has the position of the word before it, 0 at the beginning.
        """
        return truth(self._passages, self._picker)


@dataclass(frozen=True, eq=False)
class Corruption:
    """A corpus at several rates, each a system."""

    references: pl.DataFrame
    levels: dict[str, Corrupted]
    signature: Signature
    notes: tuple[str, ...] = ()

    @property
    def corpus(self) -> Corpus:
        """The clean texts as references, the noisy ones as what systems heard."""
        import polars as pl

        noisy = {name: pl.Series("text", level.texts) for name, level in self.levels.items()}
        return Corpus.of(self.references, noisy)

    @property
    def summary(self) -> pl.DataFrame:
        """A row for each level: what was asked for and what came out."""
        import polars as pl

        return pl.DataFrame([summarised(level.realised) for level in self.levels.values()])

    @property
    def truth(self) -> pl.DataFrame:
        """Every error of every level, `system` and the utterances' ids before the rest."""
        import polars as pl

        ids = self.references["utt"]
        tables = [
            level.truth.select(
                pl.lit(name).alias("system"), ids.gather(level.truth["utt"] - 1), pl.exclude("utt")
            )
            for name, level in self.levels.items()
        ]
        return pl.concat(tables)

    def result(self, provenance: dict[str, Any] | None = None) -> Result:
        """All of it, to be written."""
        corpus = self.corpus
        tables = {
            "summary": self.summary,
            "truth": self.truth,
            "references": corpus.references,
            "hypotheses": corpus.hypotheses,
        }
        return Result(
            "corruption", tables, {**(provenance or {}), "signature": str(self.signature)}
        )


def summarised(realised: Realised) -> dict[str, Any]:
    """One level as a row."""
    level = realised.level
    return {
        "system": level.name,
        "asked": level.rate,
        "wer": realised.wer,
        "substitutions": realised.substitutions,
        "deletions": realised.deletions,
        "insertions": realised.insertions,
        "hits": realised.hits,
        "words": level.census.words,
        "left_alone": level.census.words - level.census.substitutable,
    }


def hear(texts: Iterable[str], channel: str | Channel, context: Context | None = None) -> Hearing:
    """How a channel hears the distinct words of texts (a list, a column, an iterable)."""
    context = context or Context()
    part = choose(channel, context)
    (tokens,) = encode_words([Texts.of(texts)])
    return part.hear(cores(tokens.vocabulary[:]), context)


def draw(
    texts: Iterable[str],
    hearing: Hearing,
    wer: float,
    *,
    mix: Mix | None = None,
    seed: int = 0,
    workers: int | None = None,
) -> Corrupted:
    """Draw errors into texts until the corpus has this word error rate.

    The rate is that of `misword score`: words between white space, unit costs. `mix` is by default
    the hearing's own. The same seed gives the same texts, on any number of workers.
    """
    return draw_all(texts, hearing, [wer], mix=mix, seed=seed, workers=workers)[0]


def draw_all(
    texts: Iterable[str],
    hearing: Hearing,
    rates: Iterable[float],
    *,
    mix: Mix | None = None,
    seed: int = 0,
    workers: int | None = None,
) -> list[Corrupted]:
    """The same at several rates; each comes out as if it were drawn alone."""
    mix = hearing.mix if mix is None else mix
    check_mix(mix)
    picker = Picker(hearing)
    passages = list(cut(Texts.of(texts)))
    census = sum((census_of(passage, picker) for passage in passages), Census())
    levels = [Level(rate, mix, seed, census) for rate in check_rates(rates)]
    for level in levels:
        level.check()
    drawn = list(draw_levels(passages, levels, picker, workers))
    found = []
    for at, level in enumerate(levels):
        parts = [(passage, levelled[at]) for passage, levelled in drawn]
        counts = sum((part.counts.sum(axis=0) for _, part in parts), np.zeros(4, np.int64))
        realised = Realised.of(level, counts)
        level.settle(realised.errors)
        noisy = [row for _, part in parts for row in part.text.decode().split(SEPARATOR)]
        found.append(Corrupted(noisy, realised, parts, picker))
    return found


def cut(texts: Texts) -> Iterator[Passage]:
    """Passages of so many rows."""
    if texts.rows:
        for data, rows in pieces_of(texts.data, texts.rows, ROWS):
            yield Passage.of(data, rows)


def corrupt(
    texts: Iterable[str],
    wer: float | Iterable[float],
    *,
    channel: str | Channel = AUTO,
    mix: Mix | None = None,
    seed: int = 0,
    lang: str | None = None,
    vectors: str | os.PathLike[str] | WordVectors | None = None,
    ids: Iterable[str] | None = None,
    workers: int | None = None,
) -> Corruption:
    """Break texts as a recogniser would, at one or more word error rates.

    Without a `channel`, it is `voleti` where there are vectors, else `phonetic`.

    >>> noisy = corrupt(["the cat sat on the mat"] * 10, 0.25, channel="uniform")
    >>> noisy.levels["wer-0.25"].realised.wer
    0.25
    """
    import polars as pl

    rates = check_rates([wer] if isinstance(wer, int | float) else wer)
    context = Context.of(lang, vectors, workers=workers)
    part = choose(channel, context)
    column = texts if isinstance(texts, pl.Series) else pl.Series("text", list(texts), pl.String)
    hearing = hear(column, part, context)
    named = pl.Series("utt", list(ids), pl.String) if ids is not None else _numbers(len(column))
    if len(named) != len(column):
        raise MismatchError(f"{len(column)} texts, {len(named)} ids")
    drawn = draw_all(column, hearing, rates, mix=mix, seed=seed, workers=workers)
    return Corruption(
        pl.DataFrame({"utt": named, "text": column}),
        {level.realised.level.name: level for level in drawn},
        signature(part, context, mix or hearing.mix, seed),
    )


def signature(channel: Channel, context: Context, mix: Mix, seed: int) -> Signature:
    """What decides the noisy texts beside the clean ones."""
    parts = ("s", mix.substitutions), ("d", mix.deletions), ("i", mix.insertions)
    return Signature(
        "corrupt",
        (
            *channel.settings(context),
            ("mix", ",".join(f"{name}={share:g}" for name, share in parts if share)),
            ("seed", str(seed)),
            ("norm", "nfc"),
            ("words", "whitespace"),
            ("v", __version__),
        ),
    )


def _numbers(size: int) -> pl.Series:
    import polars as pl

    return pl.int_range(1, size + 1, eager=True).cast(pl.String)
