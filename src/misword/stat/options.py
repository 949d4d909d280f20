"""Options of resampling: how intervals and p-values are drawn."""

from __future__ import annotations

from typing import Annotated, TypedDict

from misword.core.options import Group, Option, share, whole

MOST_RESAMPLES = 100_000
LARGEST_SEED = 2**63 - 1
INTERVALS = Group("intervals")
# A difference with a corrected p-value of this or more is called not distinguishable.
SIGNIFICANCE_LEVEL = 0.05

# Options of commands that draw random numbers for more than intervals.
DRAWING = ("channel", "channels", "encoders", "folds", "repeats", "starts", "trials")

resamples = whole(0, MOST_RESAMPLES)
seed = whole(0, LARGEST_SEED)


class Resampling(TypedDict, total=False):
    """How many resamples are drawn, and what an interval covers."""

    bootstrap: Annotated[
        int,
        Option(
            "number of resamples; 0: no intervals",
            default=1000,
            metavar="N",
            read=resamples,
            group=INTERVALS,
            needs=("references", "predictions"),
        ),
    ]
    confidence: Annotated[
        float,
        Option(
            "confidence level of the intervals",
            default=0.95,
            metavar="P",
            read=share,
            group=INTERVALS,
            needs=("bootstrap",),
        ),
    ]
    seed: Annotated[
        int,
        Option(
            "seed of the random draws",
            default=0,
            metavar="N",
            read=seed,
            group=INTERVALS,
            needs=("bootstrap", *DRAWING),
        ),
    ]
