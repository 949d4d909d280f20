"""How likely are a recogniser's real errors under a channel?

Real pairs of references and hypotheses are divided into halves, by sentence. Channels that learn
are taught with the training half. Then each real substitution of the other half (`said` was heard
as `heard`) has a probability under each channel,

    P(heard | said) = w C(heard | said) + (1 - w) E(heard | said)

C being the channel and E the same escape distribution for all (`noise/escape.py`), so that every
error has a probability and no channel is punished beyond measure for a word it does not know. The
weight w is fitted for each channel on the training half alone, as the test is made: on errors of
one part of it, after learning from the other part. Bits per substitution, -log2 P on average, are
what a better channel needs fewer of.

Known problems: only substitutions are judged, one by one, not where errors fall nor in what runs;
the alignment decides what counts as one, and in a run of errors it pairs words that have nothing in
common. A rank has no cost for being sure of the wrong word; bits have.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from misword.core.context import Context
from misword.core.errors import InputError, OptionError
from misword.core.registry import split_specs
from misword.core.signature import Signature
from misword.core.types import Result
from misword.core.version import __version__
from misword.noise.channels import Channel, create
from misword.noise.channels.mixture import Mixture
from misword.noise.hearing import Weights
from misword.noise.judging.channel_ranks import Asked
from misword.noise.judging.fallback import Escape, Shape
from misword.noise.learnt.estimators import mixing_weight
from misword.noise.learnt.observed import Observed
from misword.stat.bootstrap import Bootstrap
from misword.stat.paired import by_block, paired
from misword.stat.resampling import Statistics, interval

if TYPE_CHECKING:
    import polars as pl

    from misword.embed.vectors.words import WordVectors

ALONE = "escape alone"


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """Test errors under one channel: bits of each, its rank, and whether the channel knew it."""

    bits: Weights
    rank: Weights
    own: Weights  # what the channel alone gives
    weight: float


@dataclass(frozen=True, eq=False)
class Realism:
    """What was found: a row for each channel, the escape alone last, and the signatures."""

    table: pl.DataFrame
    errors: pl.DataFrame
    signatures: dict[str, str]

    def result(self, provenance: dict[str, Any] | None = None) -> Result:
        """All of it, to be written."""
        tables = {"summary": self.table, "errors": self.errors}
        return Result("realism", tables, {**(provenance or {}), "signatures": self.signatures})


def realism(
    references: Iterable[str],
    hypotheses: Iterable[str],
    channels: str | Iterable[str] | Mapping[str, Channel],
    *,
    lang: str | None = None,
    vectors: str | PathLike[str] | WordVectors | None = None,
    escape: Shape = "uniform",
    bootstrap: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
    workers: int | None = None,
) -> Realism:
    """Judge channels by real errors; differences are to the first of them."""
    context = Context.of(lang, vectors, workers=workers)
    parts = choose(channels, context)
    observed = Observed.of(references, hypotheses)
    how: dict[str, Any] = {"bootstrap": bootstrap, "confidence": confidence, "seed": seed}
    return judge_all(observed, parts, context, escape=escape, **how)


def judge_all(
    observed: Observed,
    parts: Mapping[str, Channel],
    context: Context,
    *,
    escape: Shape = "uniform",
    bootstrap: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Realism:
    """The same, of pairs that are aligned and channels that are chosen."""
    train, test = halves(observed, seed)
    _refuse_few(train, test)
    floor = Escape(train, escape)
    judged, signatures = {}, {}
    for name, part in parts.items():
        weight = fitted_weight(part, train, escape, context)
        ready = taught(part, train, context)
        judged[name] = judge(ready, train, test, floor, weight, context)
        signatures[name] = str(_signature(ready, context, floor, seed))
    judged[ALONE] = _alone(test, floor)
    table = _summary(judged, test, bootstrap=bootstrap, confidence=confidence, seed=seed)
    return Realism(table, _errors(judged, test), signatures)


def choose(
    channels: str | Iterable[str] | Mapping[str, Channel], context: Context
) -> dict[str, Channel]:
    """The channels by their names; what they lack is told before any text is read."""
    if isinstance(channels, Mapping):
        parts = dict(channels)
    else:
        parts = {spec: create(spec) for spec in split_specs(channels)}
    if not parts:
        raise OptionError("no channel is named", fix="name one: --channel voleti,confusion")
    for part in parts.values():
        if not learns(part):
            part.check(context)
    return parts


def learns(part: Channel) -> bool:
    """Whether a channel, or one of a sum, learns from pairs."""
    if isinstance(part, Mixture):
        return any(learns(channel) for channel in part.channels)
    return hasattr(part, "learn")


def taught(part: Channel, observed: Observed, context: Context) -> Channel:
    """The channel after it has seen errors; others are what they were."""
    if isinstance(part, Mixture):
        return replace(part, channels=tuple(taught(c, observed, context) for c in part.channels))
    if hasattr(part, "learn"):
        learnt: Channel = part.learn(observed, context)
        return learnt
    return part


def halves(observed: Observed, seed: int) -> tuple[Observed, Observed]:
    """About half of the utterances each; those of one sentence stay together."""
    there = observed.sentence[np.unique(observed.utt)]
    sizes = np.bincount(there, minlength=int(observed.sentence.max(initial=0)) + 1)
    order = np.random.Generator(np.random.Philox(seed)).permutation(len(sizes))
    first = np.zeros(len(sizes), bool)
    first[order[np.cumsum(sizes[order]) <= sizes.sum() / 2]] = True
    chosen = first[observed.sentence]
    return observed.part(chosen), observed.part(~chosen)


def _refuse_few(train: Observed, test: Observed) -> None:
    if not (len(train.substitutions()[0]) and len(test.substitutions()[0])):
        raise InputError(
            "there are no substitutions on both halves of the pairs",
            fix="give more pairs, and a recogniser's hypotheses",
        )


def _asked(train: Observed, test: Observed) -> list[str]:
    """All words of the training half, and what was substituted in the other."""
    there = train.tally(train.said) + train.tally(train.heard)
    there = there + test.tally(test.substitutions()[1])
    return sorted(train.vocabulary[at] for at in np.flatnonzero(there))


def judge(
    part: Channel, train: Observed, test: Observed, floor: Escape, weight: float, context: Context
) -> Judged:
    """Ask one channel for the errors of the test half."""
    asked = Asked(part, _asked(train, test), context)
    _, said, heard = test.substitutions()
    own, filled, rank = asked.about(test, said, heard, floor.size)
    share = np.where(filled, weight, 0.0)
    total = share * own + (1 - share) * floor.probability(said, heard)
    return Judged(-np.log2(total), rank, own, weight)


def fitted_weight(part: Channel, train: Observed, escape: Shape, context: Context) -> float:
    """The weight of a channel beside the escape, from errors it has not learnt from."""
    one, other = halves(train, 1)
    chances = [np.zeros((2, 0))]
    for seen, unseen in ((one, other), (other, one)):
        _, said, heard = unseen.substitutions()
        if not (len(said) and len(seen.substitutions()[0])):
            continue
        floor = Escape(seen, escape)
        asked = Asked(taught(part, seen, context), _asked(seen, unseen), context)
        own, filled, _ = asked.about(unseen, said, heard, floor.size)
        chances.append(np.stack([own, floor.probability(said, heard)])[:, filled])
    both = np.concatenate(chances, axis=1)
    return mixing_weight(both[0], both[1]) if both.shape[1] else 0.0


def _alone(test: Observed, floor: Escape) -> Judged:
    """The escape without any channel."""
    _, said, heard = test.substitutions()
    nothing = np.zeros(len(said))
    rank = np.full(len(said), (floor.size + 1) / 2)
    return Judged(-np.log2(floor.probability(said, heard)), rank, nothing, 0.0)


def _summary(
    judged: dict[str, Judged], test: Observed, *, bootstrap: int, confidence: float, seed: int
) -> pl.DataFrame:
    """A row for each channel; whole sentences are resampled."""
    import polars as pl

    utt, _, _ = test.substitutions()
    block = np.unique(test.sentence[utt], return_inverse=True)[1]
    terms = {
        name: by_block(np.stack([one.bits, np.ones(len(utt))], axis=1), block)
        for name, one in judged.items()
    }
    first = next(iter(terms.values()))
    how = Bootstrap(bootstrap, confidence, seed)
    rows = []
    for name, one in judged.items():
        low, high = interval(terms[name], _mean, how)
        apart = paired(first, terms[name], _mean, how)
        known = one.own > 0
        rows.append(
            {
                "channel": name,
                "bits": float(one.bits.mean()),
                "low": low,
                "high": high,
                "difference": apart.difference,
                "difference_low": apart.low,
                "difference_high": apart.high,
                "p": apart.p,
                "coverage": float(known.mean()),
                "covered_bits": float(-np.log2(one.own[known]).mean()) if known.any() else None,
                "mean_rank": float(one.rank.mean()),
                "median_rank": float(np.median(one.rank)),
                "weight": one.weight,
                "errors": len(utt),
                "sentences": len(first),
            }
        )
    return pl.DataFrame(rows).with_columns(pl.selectors.float().fill_nan(None))


def _mean(terms: Statistics) -> Statistics:
    return np.asarray(terms[..., 0] / terms[..., 1])


def _errors(judged: dict[str, Judged], test: Observed) -> pl.DataFrame:
    """Every test error with its bits and ranks."""
    import polars as pl

    utt, said, heard = test.substitutions()
    words = pl.Series(test.vocabulary, dtype=pl.String)
    columns = {
        "utt": pl.Series(utt + 1),
        "said": words.gather(said),
        "heard": words.gather(heard),
    }
    for name, one in judged.items():
        columns |= {f"{name}.bits": pl.Series(one.bits), f"{name}.rank": pl.Series(one.rank)}
    return pl.DataFrame(columns)


def _signature(part: Channel, context: Context, floor: Escape, seed: int) -> Signature:
    judged = ("split", "half-by-sentence"), ("seed", str(seed))
    escape = ("escape", f"{floor.shape}-{floor.size}"), ("words", "cores"), ("v", __version__)
    return Signature("realism", (*part.settings(context), *judged, *escape))
