"""Realism of channels: how likely are a recogniser's real errors under a channel?

Real pairs of references and hypotheses are divided into halves, by sentence. Channels that learn
are trained on the first half. Then each real substitution of the other half (the reference word
`said` became the hypothesis word `heard`) has a probability under each channel,

    P(heard | said) = w C(heard | said) + (1 - w) E(heard | said)

where C is the channel and E the fallback distribution (`judging/fallback.py`), which is the same
for all channels. With E every error has a probability above 0, so that a channel is not punished
without limit for a word that it does not know. The weight w is fitted for each channel on the
training half alone, by cross-validation: the channel learns from one part of that half, and w is
fitted to the errors of the other part. The score is the mean of -log2 P, bits per substitution;
fewer bits are better.

Known problems: only substitutions are judged, one by one, neither the places of errors nor their
runs. The alignment decides which words are a substitution, and in a run of errors it pairs words
that have nothing in common. A rank does not punish a high probability of the wrong word; bits do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from misword.core import display
from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.parts.registry import split_specs
from misword.core.signature import Signature
from misword.core.types import Corpus, DisplayedResult, Result
from misword.core.version import __version__
from misword.embed.vectors.words import notes_of
from misword.noise.channels import Channel
from misword.noise.channels.specs import create_channel
from misword.noise.judging.channel_ranks import ChannelRanks
from misword.noise.judging.fallback import FallbackDistribution, FallbackShape
from misword.noise.judging.halves import check_halves, split_halves, words_to_look_up
from misword.noise.judging.tables import ChannelScores, errors_table, summary_table
from misword.noise.learnt.aligned_corpus import AlignedCorpus
from misword.noise.learnt.corpus_source import read_aligned
from misword.noise.learnt.estimators import mixing_weight
from misword.stat.bootstrap import INTERVALS, Bootstrap

if TYPE_CHECKING:
    import polars as pl

    from misword.embed.vectors.words import WordVectors

FALLBACK_ALONE = "escape alone"  # the row of the fallback distribution without any channel
WEIGHT_SEED = 1  # seed of the division of the training half, for fitting weights


@dataclass(frozen=True, eq=False, repr=False)
class Realism(DisplayedResult):
    """The realism of channels.

    `table` has a row for each channel, with the fallback distribution alone as the last one.
    `errors` has every test error, with its bits and its rank under each channel. `parts` has title,
    family and citations of the channels; `notes` say what the numbers do not show.
    """

    table: pl.DataFrame
    errors: pl.DataFrame
    signatures: dict[str, str]
    parts: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def overview(self) -> display.Overview:
        """Return the bits per error of each channel."""
        columns = (
            display.text("channel"),
            display.number("bits"),
            display.number("difference"),
            display.percent("coverage"),
            display.count("errors"),
        )
        title = f"Realism of {display.names_shown(self.signatures)}"
        return display.Overview.of(title, self.table, columns)

    def main_table(self) -> pl.DataFrame:
        """Return the table `summary`."""
        return self.table

    def result(self, provenance: dict[str, Any] | None = None) -> Result:
        """Return the tables as a result that can be written."""
        tables = {"summary": self.table, "errors": self.errors}
        facts = {"signatures": self.signatures, "parts": dict(self.parts)}
        origin = {"misword": __version__, "intervals": INTERVALS, **(provenance or {})}
        return Result("realism", tables, {**origin, **facts})


def realism(
    references: Iterable[str] | Corpus | Callable[[], Corpus],
    hypotheses: Iterable[str] | None,
    channels: str | Iterable[str] | Mapping[str, Channel],
    *,
    lang: str | None = None,
    vectors: str | PathLike[str] | WordVectors | None = None,
    max_words: int | None = None,
    vector_format: str | None = None,
    escape: FallbackShape = "uniform",
    bootstrap: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
    workers: int | None = None,
) -> Realism:
    """Return how likely real errors are under channels; differences are to the first channel.

    `references` and `hypotheses` are two columns of text in the same order. Instead of both,
    `references` may be a `Corpus`, or a function that reads and returns one, with `None` for the
    hypotheses; all systems of a corpus count as one recogniser. `channels` are specs, or channels
    by name. `escape` is the shape of the fallback distribution. `seed` decides the halves and the
    resamples.

    >>> references, hypotheses = ["a cat", "a hat", "a dog", "a cow"], ["a bat", "a bat"] * 2
    >>> realism(references, hypotheses, "uniform", bootstrap=0).table["channel"].to_list()
    ['uniform', 'escape alone']
    """
    resampling = Bootstrap(bootstrap, confidence, seed)
    if escape not in ("uniform", "unigram"):
        raise OptionError(f"escape is {escape!r}", fix="use uniform or unigram")
    context = Context.of(lang, vectors, max_words, vector_format, workers=workers)
    parts = _create_channels(channels, context)
    train, test = split_halves(read_aligned(references, hypotheses), seed)
    check_halves(train, test)
    fallback = FallbackDistribution(train, escape)
    scores, signatures = {}, {}
    for name, part in parts.items():
        weight = _fit_weight(part, train, escape, context)
        trained = part.learn(train, context)
        scores[name] = _score(trained, train, test, fallback, weight, context)
        signatures[name] = str(_signature(trained, context, fallback, seed))
    scores[FALLBACK_ALONE] = _score_fallback(test, fallback)
    return Realism(
        summary_table(scores, test, resampling),
        errors_table(scores, test),
        signatures,
        {name: part.description() for name, part in parts.items()},
        notes_of(context),
    )


def _create_channels(
    channels: str | Iterable[str] | Mapping[str, Channel], context: Context
) -> dict[str, Channel]:
    """Return channels by name; those that do not learn are checked before any text is read."""
    if isinstance(channels, Mapping):
        parts = dict(channels)
    else:
        parts = {spec: create_channel(spec) for spec in split_specs(channels)}
    if not parts:
        raise OptionError("no channel is named", fix="name one: --channel voleti,confusion")
    for part in parts.values():
        if not part.learns:
            part.check(context)
    return parts


def _score(
    channel: Channel,
    train: AlignedCorpus,
    test: AlignedCorpus,
    fallback: FallbackDistribution,
    weight: float,
    context: Context,
) -> ChannelScores:
    """Return bits and ranks of the errors of the test half under a trained channel."""
    words = words_to_look_up(train, test)
    ranks = ChannelRanks.of(channel, words, test, fallback.size, context)
    weights = np.where(ranks.has_candidates, weight, 0.0)
    by_fallback = fallback.probability(test.substitutions())
    mixed = weights * ranks.probability + (1 - weights) * by_fallback
    return ChannelScores(-np.log2(mixed), ranks.rank, ranks.probability, weight)


def _score_fallback(test: AlignedCorpus, fallback: FallbackDistribution) -> ChannelScores:
    """Return bits and ranks of the errors of the test half without any channel."""
    errors = test.substitutions()
    rank = np.full(len(errors), (fallback.size + 1) / 2)
    bits = -np.log2(fallback.probability(errors))
    return ChannelScores(bits, rank, np.zeros(len(errors)), 0.0)


def _fit_weight(
    channel: Channel, train: AlignedCorpus, escape: FallbackShape, context: Context
) -> float:
    """Return the weight w of a channel in its mixture with the fallback distribution.

    It is fitted by cross-validation: the channel learns from one half of the training half, and the
    errors of the other half get probabilities; then the two change places.
    """
    one, other = split_halves(train, WEIGHT_SEED)
    probabilities = [np.zeros((2, 0))]
    for fold, held_out in ((one, other), (other, one)):
        errors = held_out.substitutions()
        if not (len(errors) and len(fold.substitutions())):
            continue
        fallback = FallbackDistribution(fold, escape)
        words = words_to_look_up(fold, held_out)
        trained = channel.learn(fold, context)
        ranks = ChannelRanks.of(trained, words, held_out, fallback.size, context)
        both = np.stack([ranks.probability, fallback.probability(errors)])
        probabilities.append(both[:, ranks.has_candidates])
    by_channel, by_fallback = np.concatenate(probabilities, axis=1)
    return mixing_weight(by_channel, by_fallback) if len(by_channel) else 0.0


def _signature(
    channel: Channel, context: Context, fallback: FallbackDistribution, seed: int
) -> Signature:
    split = ("split", "half-by-sentence"), ("seed", str(seed))
    escape = ("escape", f"{fallback.shape}-{fallback.size}")
    last = ("words", "cores"), ("v", str(channel.revision))
    return Signature("realism", (*channel.settings(context), *split, escape, *last))
