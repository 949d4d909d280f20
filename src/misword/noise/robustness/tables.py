"""The tables of a robustness study: each trial, means over trials, regression lines, examples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from misword.core.signature import Signature
from misword.noise.arrays import Floats
from misword.noise.robustness.similarity import NoisySimilarities
from misword.noise.robustness.trials import Trials
from misword.stat.bootstrap import Bootstrap
from misword.stat.correlation import correlation, pearson_resamples
from misword.stat.intervals import widened
from misword.stat.trials import Mean, line_through, mean_of

if TYPE_CHECKING:
    import polars as pl

EXAMPLES = 8  # sentences that are shown at each WER


def trials_table(
    similarities: Mapping[str, NoisySimilarities], trials: Trials, gold: Floats
) -> pl.DataFrame:
    """Return a row for each encoder, WER and trial; at WER 0 all trials are the same."""
    import polars as pl

    rows = []
    for label, encoder in similarities.items():
        for level, target_wer in enumerate(trials.target_wers):
            for trial in range(encoder.with_clean.shape[1] if level else 1):
                with_gold = correlation(
                    encoder.within_pairs[level, trial], gold, Bootstrap(times=0)
                )
                rows.append(
                    {
                        **{"encoder": label, "wer": target_wer, "trial": trial + 1},
                        "realised": float(trials.realised[level, trial]),
                        "similarity": float(encoder.with_clean[level, trial]),
                        "pearson": with_gold.pearson.value,
                        "spearman": with_gold.spearman.value,
                    }
                )
    return pl.DataFrame(rows, infer_schema_length=None)


def levels_table(
    trials: pl.DataFrame,
    similarities: Mapping[str, NoisySimilarities],
    gold: Floats,
    signatures: Mapping[str, Signature],
    bootstrap: Bootstrap,
) -> pl.DataFrame:
    """Return a row for each encoder and WER: means, intervals over trials and over pairs."""
    import polars as pl

    rows = []
    for label, encoder in similarities.items():
        own = trials.filter(encoder=label)
        clean = own.filter(trial=1).row(0, named=True)
        resampled = _pearson_resamples(encoder, gold, bootstrap)
        for level, ((target_wer,), part) in enumerate(own.group_by("wer", maintain_order=True)):
            row: dict[str, Any] = {"encoder": label, "wer": target_wer, "trials": len(part)}
            row["realised"] = part["realised"].mean()
            with np.errstate(divide="ignore", invalid="ignore"):
                ratios = resampled[:, level] / resampled[:, 0]
            over_pairs = {"pearson": resampled[:, level], "ratio": ratios}
            means = {
                name: _mean(part[name], bootstrap.confidence, level)
                for name in ("similarity", "pearson", "spearman")
            }
            means["ratio"] = means["pearson"].divided_by(clean["pearson"])
            means["spearman_ratio"] = means["spearman"].divided_by(clean["spearman"])
            for name, mean in means.items():
                row |= {name: mean.value, f"{name}_low": mean.low, f"{name}_high": mean.high}
                if name in over_pairs:
                    values = over_pairs[name]
                    finite = np.where(np.isfinite(values), values, np.nan)
                    low, high = widened(finite, len(gold), bootstrap.confidence)
                    row |= {f"{name}_pairs_low": low, f"{name}_pairs_high": high}
            rows.append({**row, "pairs": len(gold), "signature": str(signatures[label])})
    return pl.DataFrame(rows, infer_schema_length=None).fill_nan(None)


def lines_table(
    trials: pl.DataFrame, signatures: Mapping[str, Signature], *, confidence: float
) -> pl.DataFrame:
    """Return for each encoder the regression line of mean similarity over realised WER.

    The interval is over the slopes of the trials, each of which has a line of its own.
    """
    import polars as pl

    rows = []
    for label, signature in signatures.items():
        own = trials.filter(encoder=label)
        means = own.group_by("wer", maintain_order=True).agg(
            pl.col("realised", "similarity").mean()
        )
        line = line_through(means["realised"], means["similarity"])
        clean = own.filter(wer=0.0)
        slopes = []
        for number in range(1, int(own["trial"].max()) + 1):  # type: ignore[arg-type]
            noisy = own.filter((pl.col("trial") == number) & (pl.col("wer") > 0))
            points = pl.concat([clean, noisy])
            slopes.append(line_through(points["realised"], points["similarity"]).slope)
        slope = mean_of(slopes, confidence)
        row: dict[str, Any] = {"encoder": label, "slope": line.slope, "slope_low": slope.low}
        row |= {"slope_high": slope.high, "intercept": line.intercept, "r2": line.r2}
        rows.append({**row, "signature": str(signature)})
    return pl.DataFrame(rows, infer_schema_length=None).fill_nan(None)


def examples_table(trials: Trials) -> pl.DataFrame:
    """Return some clean sentences with their noisy forms in the first trial."""
    import polars as pl

    some = np.unique(trials.clean, return_index=True)[1][:EXAMPLES]
    rows = [
        {
            "sentence": trials.texts[trials.clean[at]],
            "wer": target_wer,
            "heard": trials.texts[trials.sentences[level, 0, at]],
        }
        for at in some.tolist()
        for level, target_wer in enumerate(trials.target_wers)
        if level
    ]
    schema = {"sentence": pl.String, "wer": pl.Float64, "heard": pl.String}
    return pl.DataFrame(rows, schema)


def _mean(values: pl.Series, confidence: float, level: int) -> Mean:
    """Return the mean over trials; at level 0 all trials are the same and have no spread."""
    if not level:
        return Mean(values[0], values[0], values[0])
    return mean_of(values.to_numpy(), confidence)


def _pearson_resamples(encoder: NoisySimilarities, gold: Floats, bootstrap: Bootstrap) -> Floats:
    """Return Pearson's coefficient in resamples of the pairs, at each level, mean over trials."""
    levels, trials, size = encoder.within_pairs.shape
    columns = encoder.within_pairs.reshape(levels * trials, size).T
    drawn = pearson_resamples(gold, columns, bootstrap)
    return np.asarray(drawn.reshape(bootstrap.times, levels, trials).mean(axis=2))
