"""Channels from their specs: `voleti:n=500`, or a weighted sum `0.7*voleti+0.3*uniform`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.parts import Settings, describe
from misword.noise.aligned_corpus import AlignedCorpus
from misword.noise.arrays import Floats, Ints
from misword.noise.channels import CHANNELS, Channel
from misword.noise.error_model import CandidateTable, Entries, ErrorModel, Mix


@dataclass(frozen=True, slots=True)
class Mixture(Channel):
    """Several channels and their weights, whose sum is 1."""

    name: ClassVar[str] = "mixture"

    channels: tuple[Channel, ...]
    weights: tuple[float, ...]

    @property
    def needs(self) -> tuple[str, ...]:
        """Word vectors if any channel needs them, otherwise a language if any needs one."""
        needed = {name for channel in self.channels for name in channel.needs}
        return next(((name,) for name in ("vectors", "lang") if name in needed), ())

    @property
    def uses(self) -> tuple[str, ...]:
        """Everything else of the context that any channel needs or uses."""
        names = {name for part in self.channels for name in (*part.needs, *part.uses)}
        return tuple(sorted(names.difference(self.needs)))

    def check(self, context: Context) -> None:
        """Check each channel."""
        for channel in self.channels:
            channel.check(context)

    def settings(self, context: Context) -> Settings:
        """Weight and settings of each channel, numbered since a signature has each name once."""
        parts = enumerate(zip(self.weights, self.channels, strict=True), 1)
        return tuple(
            (f"{key}.{number}", value)
            for number, (weight, channel) in parts
            for key, value in (("weight", f"{weight:g}"), *channel.settings(context))
        )

    def error_model(self, words: Sequence[str], context: Context) -> ErrorModel:
        """Return the weighted mean of the channels' error models."""
        models = [channel.error_model(words, context) for channel in self.channels]
        return mix_models(models, self.weights)

    @property
    def learns(self) -> bool:
        """Whether any of the channels learns."""
        return any(channel.learns for channel in self.channels)

    def learn(self, corpus: AlignedCorpus, context: Context) -> Mixture:
        """Return the mixture of the channels after each has learnt."""
        return replace(self, channels=tuple(part.learn(corpus, context) for part in self.channels))

    def description(self) -> dict[str, Any]:
        """Title, family and BibTeX entries of all channels."""
        parts = [channel.description() for channel in self.channels]
        return {
            **describe(self),
            "title": " + ".join(part["title"] for part in parts),
            "cites": list(dict.fromkeys(cite for part in parts for cite in part["cites"])),
        }


def mix_models(models: Sequence[ErrorModel], weights: Sequence[float]) -> ErrorModel:
    """Return the weighted mean of error models of the same words.

    Where a word has no candidates in one model, the other models share its weight. A distance is
    that of the first model that has it. Substitution and deletion weights are put on one scale
    first: their mean over the words that a model can change is 1.
    """
    tables = [model.candidates for model in models]
    if sum(len(table.background) > 0 for table in tables) > 1:
        raise OptionError(
            "two channels of a sum draw from a whole vocabulary", fix="give only one of them"
        )
    has_candidates = np.stack([table.has_candidates for table in tables])
    shares = np.asarray(weights)[:, None] * has_candidates  # of each model in each word
    total = shares.sum(axis=0)
    shares = np.divide(shares, total, out=np.zeros_like(shares), where=total > 0)
    substitution = np.stack([_scale(model.substitution_weight) for model in models])
    vocabulary = sorted(set().union(*(table.vocabulary for table in tables)))
    places = {word: place for place, word in enumerate(vocabulary)}
    new_ids = [np.array([places[w] for w in table.vocabulary], np.int64) for table in tables]
    insertion = np.zeros(len(vocabulary))
    for model, ids, weight in zip(models, new_ids, weights, strict=True):
        insertion[ids] += weight * model.insertion_probability
    total_insertion = insertion.sum()
    return ErrorModel(
        _join_tables(tables, vocabulary, new_ids, shares),
        (shares * substitution).sum(axis=0),
        np.average([_scale(model.deletion_weight) for model in models], axis=0, weights=weights),
        insertion / total_insertion if total_insertion else insertion,
        Mix(*np.average([model.mix.shares for model in models], axis=0, weights=weights).tolist()),
    )


def _join_tables(
    tables: Sequence[CandidateTable], vocabulary: list[str], new_ids: list[Ints], shares: Floats
) -> CandidateTable:
    """Return one table with the candidates of all tables; equal candidates add up.

    `new_ids` has for each table the place of each word of its vocabulary in `vocabulary`; `shares`
    has the weight of each table (row) for each word (column).
    """
    rows = np.concatenate([table.entry_rows for table in tables])
    ids = np.concatenate([to_new[table.ids] for table, to_new in zip(tables, new_ids, strict=True)])
    weighted = [
        np.repeat(share, np.diff(table.offsets)) * table.probability
        for share, table in zip(shares, tables, strict=True)
    ]
    keys, first, entry = np.unique(
        rows * len(vocabulary) + ids, return_index=True, return_inverse=True
    )
    distances = [
        _first_known([getattr(table, name) for table in tables], entry, len(keys))
        for name in ("phonological", "semantic")
    ]
    probability = np.bincount(entry, np.concatenate(weighted), len(keys)).astype(np.float64)
    entries = Entries(rows[first], ids[first], probability, *distances)
    background, background_weight = None, None
    for table, to_new, share in zip(tables, new_ids, shares, strict=True):
        if len(table.background):
            background = np.zeros(len(vocabulary))
            background[to_new] = table.background
            background_weight = share * table.background_weight
    words = tables[0].words
    return CandidateTable.from_entries(words, vocabulary, entries, background, background_weight)


def _first_known(
    columns: Sequence[NDArray[np.float32]], entry: Ints, size: int
) -> NDArray[np.float32]:
    """Return the distance of each entry: the first of its values in all columns that is not nan."""
    distances = np.full(size, np.nan, np.float32)
    values = np.concatenate(columns)[::-1]
    has_value = ~np.isnan(values)
    # The values are in reverse order: where several are assigned to one entry, the first one stays.
    distances[entry[::-1][has_value]] = values[has_value]
    return distances


def _scale(weights: Floats) -> Floats:
    """Return the weights divided by the mean of those above 0."""
    mean = weights[weights > 0].mean() if (weights > 0).any() else 1.0
    return weights / mean


AUTO = "auto"
# A number and a star before a channel. A plus separates two channels only where such a weight
# follows, so that file names may have a plus.
WEIGHT = r"\d*\.?\d+(?:[eE]-?\d+)?\s*\*"


def choose_channel(channel: str | Channel, context: Context) -> Channel:
    """Return the channel of a spec, after checking that it can be used in the context.

    `auto` is `voleti` if the context has word vectors, otherwise `phonetic`.

    >>> choose_channel("auto", Context("en")).name
    'phonetic'
    """
    part = named_channel(channel, context.source)
    part.check(context)
    return part


def named_channel(channel: str | Channel, vectors: object) -> Channel:
    """Return the channel of a spec; `auto` depends on whether there are word vectors."""
    if channel == AUTO:
        channel = "phonetic" if vectors is None else "voleti"
    return create_channel(channel) if isinstance(channel, str) else channel


def create_channel(spec: str) -> Channel:
    """Return the channel of a spec, or the mixture of several channels with weights.

    In a sum each channel has a weight, `0.7*voleti:n=500+0.3*uniform`; the weights are divided by
    their sum. Commas separate the options of a channel, as in every spec.

    >>> create_channel("uniform")
    Uniform(vocabulary='corpus', size=30000)
    >>> create_channel("3*uniform+1*uniform:size=9").weights
    (0.75, 0.25)
    """
    terms = [term.strip() for term in re.split(rf"\+(?=\s*{WEIGHT})", spec)]
    if len(terms) == 1 and not re.match(WEIGHT, terms[0]):
        return _create_one(terms[0])
    channels, weights = [], []
    for term in terms:
        if not (weight := re.match(WEIGHT, term)):
            raise OptionError(
                f"the channel {term!r} of a sum has no weight",
                fix="give each its own: 0.7*voleti+0.3*uniform",
            )
        weights.append(float(weight[0].rstrip("* ")))
        channels.append(_create_one(term[weight.end() :].strip()))
    total = sum(weights)
    if total <= 0:
        raise OptionError("the weights of a sum add up to 0", fix="give some channel a weight")
    return Mixture(tuple(channels), tuple(weight / total for weight in weights))


def _create_one(spec: str) -> Channel:
    """Create one channel; a plus in its name, as in `voleti+uniform`, is an error."""
    if "+" in spec.partition(":")[0]:
        raise OptionError(
            f"no weights in {spec!r}", fix="give each channel its own: 0.7*voleti+0.3*uniform"
        )
    return CHANNELS.create(spec)
