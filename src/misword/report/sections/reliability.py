"""Reliability plots: the share of events in each bin of probabilities, beside a diagonal."""

from __future__ import annotations

from collections.abc import Sequence

from misword.core.formatting import count, number
from misword.report.html.charts import Spec, line_plot

# Standard errors from the probability to either end of the vertical line of a bin.
WIDTH = 1.96


def reliability_point(series: str, probability: float, share: float, cases: int) -> Spec:
    """Return the point of a bin: its mean probability, and the share of cases that happened."""
    off = WIDTH * float(probability * (1 - probability) / cases) ** 0.5
    return {
        "series": series,
        "x": probability,
        "y": share,
        "low": max(probability - off, 0.0),
        "high": min(probability + off, 1.0),
        "said": number(probability, 3),
        "shown": number(share, 3),
        "cases": count(cases),
    }


def reliability_plot(
    points: Sequence[Spec], diagonal: str, *, x: str, y: str, fields: Sequence[Spec]
) -> Spec:
    """Return the plot of points, with a line named `diagonal` on which points should be."""
    ends = [reliability_point(diagonal, end, end, 1) for end in (0.0, 1.0)]
    series = dict.fromkeys(str(point["series"]) for point in points)
    return line_plot([*ends, *points], [diagonal, *series], x=x, y=y, fields=fields)
