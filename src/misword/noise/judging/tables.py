"""The tables of `misword realism`: a summary of each channel, and every test error."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from misword.core.types import Statistics
from misword.noise.arrays import Floats
from misword.noise.learnt.aligned_corpus import AlignedCorpus
from misword.stat.bootstrap import Bootstrap
from misword.stat.intervals import interval
from misword.stat.paired import by_block, paired

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True, eq=False)
class ChannelScores:
    """The test errors under one channel.

    `bits` is -log2 P of each error under the mixture of channel and fallback distribution, `rank`
    its rank and `probability` its probability under the channel alone. `weight` is the channel's
    weight in the mixture.
    """

    bits: Floats
    rank: Floats
    probability: Floats
    weight: float


def summary_table(
    scores: Mapping[str, ChannelScores], test: AlignedCorpus, bootstrap: Bootstrap
) -> pl.DataFrame:
    """Return a row for each channel; intervals come from resampling whole sentences.

    `difference` is to the first channel.
    """
    import polars as pl

    errors = test.substitutions()
    block = np.unique(test.sentence[errors.utterance], return_inverse=True)[1]
    terms = {
        name: by_block(np.stack([channel.bits, np.ones(len(errors))], axis=1), block)
        for name, channel in scores.items()
    }
    baseline = next(iter(terms.values()))
    rows = []
    for name, channel in scores.items():
        low, high = interval(terms[name], _mean, bootstrap)
        change = paired(baseline, terms[name], _mean, bootstrap)
        covered = channel.probability > 0
        covered_bits = -np.log2(channel.probability[covered])
        rows.append(
            {
                "channel": name,
                "bits": float(channel.bits.mean()),
                "low": low,
                "high": high,
                "difference": change.difference,
                "difference_low": change.low,
                "difference_high": change.high,
                "p": change.p,
                "coverage": float(covered.mean()),
                "covered_bits": float(covered_bits.mean()) if covered.any() else None,
                "mean_rank": float(channel.rank.mean()),
                "median_rank": float(np.median(channel.rank)),
                "weight": channel.weight,
                "errors": len(errors),
                "sentences": len(baseline),
            }
        )
    return pl.DataFrame(rows).with_columns(pl.selectors.float().fill_nan(None))


def _mean(terms: Statistics) -> Statistics:
    """Return the mean of a sum and a count."""
    return np.asarray(terms[..., 0] / terms[..., 1])


def errors_table(scores: Mapping[str, ChannelScores], test: AlignedCorpus) -> pl.DataFrame:
    """Return every test error, with its bits and its rank under each channel."""
    import polars as pl

    errors = test.substitutions()
    words = pl.Series(test.vocabulary, dtype=pl.String)
    columns = {
        "utt": pl.Series(errors.utterance + 1),
        "said": words.gather(errors.reference),
        "heard": words.gather(errors.hypothesis),
    }
    for name, channel in scores.items():
        columns[f"{name}.bits"] = pl.Series(channel.bits)
        columns[f"{name}.rank"] = pl.Series(channel.rank)
    return pl.DataFrame(columns)
