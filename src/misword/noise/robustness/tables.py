"""The tables of a robustness study: each trial's numbers, means over trials, lines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from misword.core.signature import Signature
from misword.noise.robustness.similarity import Likeness
from misword.noise.robustness.trials import Trials
from misword.stat.bootstrap import Bootstrap
from misword.stat.correlation import correlation, pearson_resamples
from misword.stat.trials import Mean, line_through, mean_of

if TYPE_CHECKING:
    import polars as pl

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Resampling:
    """How intervals are made: resamples of the pairs (none: 0), the confidence, the seed."""

    times: int
    confidence: float
    seed: int


def trials_table(found: Mapping[str, Likeness], drawn: Trials, gold: Numbers) -> pl.DataFrame:
    """A row for each encoder, rate and trial; at rate 0 all trials are one."""
    import polars as pl

    rows = []
    for label, made in found.items():
        for level, rate in enumerate(drawn.rates):
            for trial in range(made.own.shape[1] if level else 1):
                with_gold = correlation(made.pairs[level, trial], gold, Bootstrap(times=0))
                rows.append(
                    {
                        **{"encoder": label, "wer": rate, "trial": trial + 1},
                        "realised": float(drawn.realised[level, trial]),
                        "similarity": float(made.own[level, trial]),
                        "pearson": with_gold.pearson.value,
                        "spearman": with_gold.spearman.value,
                    }
                )
    return pl.DataFrame(rows, infer_schema_length=None)


def levels_table(
    trials: pl.DataFrame,
    found: Mapping[str, Likeness],
    gold: Numbers,
    signatures: Mapping[str, Signature],
    how: Resampling,
) -> pl.DataFrame:
    """A row for each encoder and rate: means over trials, intervals over trials and over pairs."""
    import polars as pl

    rows = []
    for label, made in found.items():
        mine = trials.filter(encoder=label)
        clean = mine.filter(trial=1).row(0, named=True)
        drawn = _resampled(made, gold, how)
        for level, ((rate,), part) in enumerate(mine.group_by("wer", maintain_order=True)):
            row: dict[str, Any] = {"encoder": label, "wer": rate, "trials": len(part)}
            row["realised"] = part["realised"].mean()
            with np.errstate(divide="ignore", invalid="ignore"):
                ratios = drawn[:, level] / drawn[:, 0]
            over_pairs = {"pearson": drawn[:, level], "ratio": ratios}
            means = {
                name: _mean(part[name], how.confidence, level)
                for name in ("similarity", "pearson", "spearman")
            }
            means["ratio"] = means["pearson"].over(clean["pearson"])
            means["spearman_ratio"] = means["spearman"].over(clean["spearman"])
            for name, mean in means.items():
                row |= {name: mean.value, f"{name}_low": mean.low, f"{name}_high": mean.high}
                if name in over_pairs:
                    ends = _span(over_pairs[name], how.confidence)
                    row |= dict(zip((f"{name}_pairs_low", f"{name}_pairs_high"), ends, strict=True))
            rows.append({**row, "pairs": len(gold), "signature": str(signatures[label])})
    return pl.DataFrame(rows, infer_schema_length=None).fill_nan(None)


def lines_table(
    trials: pl.DataFrame, signatures: Mapping[str, Signature], *, confidence: float
) -> pl.DataFrame:
    """For each encoder the line through its mean similarities over the realised rates.

    The interval is over the slopes of the trials, each with a line of its own.
    """
    import polars as pl

    rows = []
    for label, signature in signatures.items():
        mine = trials.filter(encoder=label)
        means = mine.group_by("wer", maintain_order=True).agg(
            pl.col("realised", "similarity").mean()
        )
        line = line_through(means["realised"], means["similarity"])
        clean = mine.filter(wer=0.0)
        slopes = []
        for number in range(1, int(mine["trial"].max()) + 1):  # type: ignore[arg-type]
            own = pl.concat([clean, mine.filter((pl.col("trial") == number) & (pl.col("wer") > 0))])
            slopes.append(line_through(own["realised"], own["similarity"]).slope)
        inside = mean_of(slopes, confidence)
        row: dict[str, Any] = {"encoder": label, "slope": line.slope, "slope_low": inside.low}
        row |= {"slope_high": inside.high, "intercept": line.intercept, "r2": line.r2}
        rows.append({**row, "signature": str(signature)})
    return pl.DataFrame(rows, infer_schema_length=None).fill_nan(None)


def _mean(values: pl.Series, confidence: float, level: int) -> Mean:
    """Over trials; without noise there is nothing that trials could move."""
    if not level:
        return Mean(values[0], values[0], values[0])
    return mean_of(values.to_numpy(), confidence)


def _resampled(made: Likeness, gold: Numbers, how: Resampling) -> Numbers:
    """Pearson's coefficient at each level, the mean over trials, in resamples of the pairs."""
    levels, trials, size = made.pairs.shape
    columns = made.pairs.reshape(levels * trials, size).T
    drawn = pearson_resamples(gold, columns, Bootstrap(how.times, seed=how.seed))
    return np.asarray(drawn.reshape(how.times, levels, trials).mean(axis=2))


def _span(drawn: Numbers, confidence: float) -> tuple[float, float]:
    """A percentile interval of what is defined."""
    known = drawn[np.isfinite(drawn)]
    tail = (1 - confidence) / 2
    if not len(known):
        return np.nan, np.nan
    low, high = np.quantile(known, [tail, 1 - tail])
    return float(low), float(high)
