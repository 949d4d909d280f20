"""Scoring of a large corpus shard by shard, so that memory does not grow with derived data.

The counts of a pair depend on its two texts alone if words or characters are aligned by unit costs.
The tokens and alignments of a shard are then needed only until its counts are known; its vocabulary
is its own. The counts equal those of the whole corpus.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from misword.asr.checking.quick_notes import encoding_notes, shift_notes
from misword.asr.checking.script_notes import script_notes
from misword.asr.completeness import in_order
from misword.asr.forgiving.look import WordErrors, notes_on_errors
from misword.asr.metric_columns import MeasuredCorpus
from misword.asr.metrics import Metric
from misword.asr.metrics.edit_rate import EditRate
from misword.asr.pairs import Pairs, prepare
from misword.asr.presets import Preset
from misword.asr.scoring_options import ScoringOptions
from misword.asr.suspicious.flags import FlagCounts
from misword.asr.views.character import Character
from misword.asr.views.word import Word
from misword.core.context import Context
from misword.core.errors import InputError
from misword.core.types import Corpus

if TYPE_CHECKING:
    import polars as pl

SHARD = 1 << 17  # pairs that are scored at once


def measure_shards(
    corpus: Corpus, options: ScoringOptions, context: Context, metrics: Mapping[str, Metric]
) -> MeasuredCorpus | None:
    """Measure a corpus shard by shard; None if it is small or cannot be divided.

    It is also None if a text cannot be scored: the error must name the row of the whole corpus.
    """
    if len(corpus.hypotheses) <= SHARD or not _divisible(corpus, options, context, metrics):
        return None
    try:
        return _measured(corpus, options, context, metrics)
    except InputError:
        return None


def _divisible(
    corpus: Corpus, options: ScoringOptions, context: Context, metrics: Mapping[str, Metric]
) -> bool:
    """Whether the counts of each pair depend on its two texts alone, and rows are in order."""
    return (
        all(_counts_edits(metric, context) for metric in metrics.values())
        and type(options.preset) is Preset
        and not options.forgive
        and not any(part.before_alternatives for part in options.chain)
        and not (options.alternatives and _has_braces(corpus))
        and in_order(corpus)
    )


def _counts_edits(metric: Metric, context: Context) -> bool:
    """Whether a metric counts the edits of words or characters, and nothing else."""
    return (
        isinstance(metric, EditRate)
        and type(metric).measure is EditRate.measure
        and metric.aligned_by(context) is None
        and metric.merged is None
        and metric.view(context) in (Word(), Character(spaces=True), Character(spaces=False))
    )


def _has_braces(corpus: Corpus) -> bool:
    """Whether a text may have alternatives."""
    sides = corpus.references["text"], corpus.hypotheses["text"]
    return any(side.str.contains("{", literal=True).any() for side in sides)


def shards(references: int, hypotheses: int) -> Iterator[tuple[slice, slice]]:
    """Yield the rows of references and of hypotheses of each shard.

    A shard is a part of one system, or several systems if these are small.

    >>> list(shards(2, 4))
    [(slice(0, 2, None), slice(0, 4, None))]
    """
    if references > SHARD:
        for start in range(0, hypotheses, references):
            for lo in range(0, references, SHARD):
                hi = min(lo + SHARD, references)
                yield slice(lo, hi), slice(start + lo, start + hi)
        return
    step = SHARD // references * references
    for lo in range(0, hypotheses, step):
        yield slice(0, references), slice(lo, min(lo + step, hypotheses))


def _measured(
    corpus: Corpus, options: ScoringOptions, context: Context, metrics: Mapping[str, Metric]
) -> MeasuredCorpus:
    """Measure all shards; the pairs of the whole corpus are prepared when they are first needed."""

    def prepared(part: Corpus) -> Pairs:
        return prepare(
            part, normalize_with=options.chain, alternatives=options.alternatives, context=context
        )

    rows = len(corpus.hypotheses)
    counts = {label: np.empty((rows, 4), np.int32) for label in metrics}
    errors, words = np.empty(rows, np.int32), np.empty(rows, np.int32)
    quick: list[str] = []
    flags = FlagCounts()
    for ours, theirs in shards(len(corpus.references), rows):
        pairs = prepared(Corpus(corpus.references[ours], corpus.hypotheses[theirs]))
        for label, metric in metrics.items():
            counts[label][theirs] = metric.measure(pairs)
        errors[theirs], words[theirs] = WordErrors.of(pairs)
        quick += [*encoding_notes(pairs), *script_notes(pairs, metrics.values())]
        flags += FlagCounts.of(pairs)

    def index(sample: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.stack([sample % len(corpus.references), sample], axis=1)

    found, rates = WordErrors(errors, words), np.minimum(1, errors / np.maximum(1, words))
    notes = [
        *dict.fromkeys(quick),
        *shift_notes(corpus, np.arange(rows), rates),
        *flags.notes(),
        *notes_on_errors(found, corpus, index, options.chain, context.lang),
    ]
    whole = cache(lambda: prepared(corpus))
    return MeasuredCorpus(_keys(corpus), counts, prepared(_first_pair(corpus)), whole, notes)


def _first_pair(corpus: Corpus) -> Corpus:
    """Return a corpus of the first pair, which does not keep the texts of the others in memory."""
    import polars as pl

    frames = (corpus.references[:1], corpus.hypotheses[:1])
    return Corpus(*(pl.DataFrame(frame.to_dicts(), frame.schema) for frame in frames))


def _keys(corpus: Corpus) -> pl.DataFrame:
    """Return the id, system, rank, features and metadata of each pair."""
    import polars as pl

    keys = corpus.hypotheses.select(corpus.keys)
    if not corpus.metadata:
        return keys
    times = len(corpus.hypotheses) // len(corpus.references)
    return keys.hstack(pl.concat([corpus.references.select(corpus.metadata)] * times))
