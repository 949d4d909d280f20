"""How the rates of single utterances changed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from misword.report.charts import Figure, Spec, amount, hints, nominal, small
from misword.report.markup import figure as cell
from misword.report.markup import words
from misword.report.reading import unique
from misword.report.wording import count, metric_name

# Widths of a bin of changes, as rates: the narrowest that covers nearly all with BINS on a side.
WIDTHS = (0.005, 0.01, 0.02, 0.05, 0.1)
BINS = 20
# Labels stay where they belong: at the edges they would be moved into their neighbours.
AXIS = {"tickCount": 5, "labelFlush": False, "labelOverlap": "greedy"}


def changes(differences: dict[tuple[str, str], NDArray[np.float64]]) -> Figure | None:
    """How utterances' rates changed, by metric and system; those that did not are only counted."""
    shown: list[tuple[str, NDArray[np.float64]]] = []
    several = len(unique(system for _, system in differences)) > 1
    for (metric, system), found in differences.items():
        name = metric_name(metric) + (f", {system}" if several else "")
        shown.append((name, found[np.isfinite(found)]))
    shown = [(name, found) for name, found in shown if np.any(found)]
    if not shown:
        return None
    values = [
        {"panel": name, "order": order, **bin_}
        for order, (name, found) in enumerate(shown)
        for bin_ in _bins(found)
    ]
    tallies = [
        (name, int((found < 0).sum()), int((found > 0).sum()), int((found == 0).sum()))
        for name, found in shown
    ]
    text = "; ".join(
        f"{name}: {less:,} utterances got better, {more:,} worse, {same:,} stayed as they were"
        for name, less, more, same in tallies
    )
    return Figure(
        "changes",
        "Change of each utterance's rate",
        f"{text}. Utterances that stayed as they were have no bar.",
        _histogram(values),
        ["metric", "better", "worse", "same"],
        [[words(name), *(cell(n, count(n)) for n in tally)] for name, *tally in tallies],
        panels=230,
    )


def _histogram(values: list[Spec]) -> Spec:
    encoding = {
        "x": amount("from", title="change, points", bin={"binned": True}, axis=AXIS),
        "x2": {"field": "to"},
        "y": amount("utterances", title="utterances"),
        "color": nominal("side", scale={"domain": ["better", "worse"]}, legend={"orient": "top"}),
        "tooltip": hints(
            **{"panel": "metric", "from": "from", "to": "to", "utterances": "utterances"}
        ),
    }
    return small(values, 120, {"type": "bar", "binSpacing": 1}, encoding)


def _bins(found: NDArray[np.float64]) -> list[Spec]:
    """Bars of a histogram, in points; what lies beyond the last bar is in it."""
    changed = found[found != 0]
    reach = float(np.quantile(np.abs(changed), 0.99))
    width = next((w for w in WIDTHS if w * BINS >= reach), WIDTHS[-1])
    # Multiples of the width are not exact in binary: a change of 0.05 belongs to one bin, always.
    places = np.ceil(np.abs(changed) / width - 1e-9).clip(1, BINS).astype(np.int64)
    at, sizes = np.unique(np.where(changed < 0, -places, places), return_counts=True)
    return [
        {
            "from": round(100 * width * (k if k < 0 else k - 1), 6),
            "to": round(100 * width * (k + 1 if k < 0 else k), 6),
            "side": "better" if k < 0 else "worse",
            "utterances": size,
        }
        for k, size in zip(at.tolist(), sizes.tolist(), strict=True)
    ]
