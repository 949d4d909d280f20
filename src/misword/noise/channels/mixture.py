"""Several channels as one: at each error, one of them is heard through, chosen by its weight."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.core.context import Context
from misword.core.errors import OptionError
from misword.noise.hearing import Candidates, Hearing, Mix, Weights

if TYPE_CHECKING:
    from misword.noise.channels import Channel


@dataclass(frozen=True, slots=True)
class Mixture:
    """Channels and their weights, whose sum is 1."""

    name: ClassVar[str] = "mixture"

    channels: tuple[Channel, ...]
    weights: tuple[float, ...]

    @property
    def wants(self) -> str:
        """Vectors if any channel wants them, else a language if any does."""
        asked = {channel.wants for channel in self.channels}
        return "vectors" if "vectors" in asked else "lang" if "lang" in asked else ""

    @property
    def heeds(self) -> tuple[str, ...]:
        """Whatever any channel looks at."""
        named = (name for part in self.channels for name in (part.wants, *part.heeds))
        return tuple(sorted(set(filter(None, named)) - {self.wants}))

    def check(self, context: Context) -> None:
        """Each channel must have what it needs."""
        for channel in self.channels:
            channel.check(context)

    def settings(self, context: Context) -> tuple[tuple[str, str], ...]:
        """The settings of each after its weight, numbered, since a signature has a name once."""
        parts = enumerate(zip(self.weights, self.channels, strict=True), 1)
        return tuple(
            (f"{key}.{number}", value)
            for number, (weight, channel) in parts
            for key, value in (("weight", f"{weight:g}"), *channel.settings(context))
        )

    def hear(self, words: Sequence[str], context: Context) -> Hearing:
        """The weighted mean of what the channels hear."""
        return mix([channel.hear(words, context) for channel in self.channels], self.weights)


def mix(parts: Sequence[Hearing], weights: Sequence[float]) -> Hearing:
    """The weighted mean of hearings of the same words.

    A word that one part knows nothing of is heard through the others alone. Distances are those of
    the first part that has them. How likely words are to be hit is put on one scale first: each
    part's mean over the words it can change is 1.
    """
    tables = [part.candidates for part in parts]
    if sum(len(table.common) > 0 for table in tables) > 1:
        raise OptionError(
            "two channels of a sum draw from a whole vocabulary", fix="give only one of them"
        )
    filled = np.stack([table.filled for table in tables])
    each = np.asarray(weights)[:, None] * filled  # part, word
    total = each.sum(axis=0)
    each = np.divide(each, total, out=np.zeros_like(each), where=total > 0)
    hit = np.stack([_scaled(part.substituted) for part in parts])
    heard = sorted(set().union(*(table.heard for table in tables)))
    places = {word: place for place, word in enumerate(heard)}
    moves = [np.array([places[w] for w in table.heard], np.int64) for table in tables]
    inserted = np.zeros(len(heard))
    for part, move, weight in zip(parts, moves, weights, strict=True):
        inserted[move] += weight * part.inserted
    whole = inserted.sum()
    return Hearing(
        _join(tables, heard, moves, each),
        (each * hit).sum(axis=0),
        np.average([_scaled(part.deleted) for part in parts], axis=0, weights=weights),
        inserted / whole if whole else inserted,
        _mean_mix(parts, weights),
    )


def _join(
    tables: Sequence[Candidates],
    heard: list[str],
    moves: list[NDArray[np.int64]],
    each: Weights,
) -> Candidates:
    """All candidates of each word, doubled ones added up, best first."""
    size = len(tables[0].said)
    row = np.concatenate([np.repeat(np.arange(size), np.diff(table.offsets)) for table in tables])
    ids = np.concatenate([move[table.ids] for table, move in zip(tables, moves, strict=True)])
    lengths = [np.diff(table.offsets) for table in tables]
    shares = [
        np.repeat(weight, length) * table.probability
        for weight, length, table in zip(each, lengths, tables, strict=True)
    ]
    keys, first, where = np.unique(row * len(heard) + ids, return_index=True, return_inverse=True)
    probability = np.bincount(where, np.concatenate(shares), len(keys)).astype(np.float64)
    row, ids = row[first], ids[first]
    order = np.lexsort((ids, -probability, row))
    distances = [
        _known([getattr(table, name) for table in tables], where, len(keys))[order]
        for name in ("phonological", "semantic")
    ]
    common, share = np.zeros(0), np.zeros(0)
    for table, move, weight in zip(tables, moves, each, strict=True):
        if len(table.common):
            common, share = np.zeros(len(heard)), weight * table.shares
            common[move] = table.common
    return Candidates(
        tables[0].said,
        heard,
        np.searchsorted(row, np.arange(size + 1)),
        ids[order].astype(np.int32),
        probability[order],
        distances[0],
        distances[1],
        common,
        share,
    )


def _known(
    columns: Sequence[NDArray[np.float32]], where: NDArray[np.int64], size: int
) -> NDArray[np.float32]:
    """Of several distances for one pair the first that is known."""
    found = np.full(size, np.nan, np.float32)
    flat = np.concatenate(columns)[::-1]
    some = ~np.isnan(flat)
    found[where[::-1][some]] = flat[some]  # the last assignment is the first part's
    return found


def _scaled(weights: Weights) -> Weights:
    """Weights whose mean, zeros left out, is 1."""
    mean = weights[weights > 0].mean() if (weights > 0).any() else 1.0
    return weights / mean


def _mean_mix(parts: Sequence[Hearing], weights: Sequence[float]) -> Mix:
    shares = [(p.mix.substitutions, p.mix.deletions, p.mix.insertions) for p in parts]
    return Mix(*np.average(shares, axis=0, weights=weights).tolist())
