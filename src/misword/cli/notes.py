"""What the numbers alone would hide, told on standard error."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from misword.asr.score import DEFAULT_METRICS, choose
from misword.cli.output import status
from misword.embed.vectors.opened import notes_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from misword.asr.metrics import Metric
    from misword.core.context import Context
    from misword.stat.scores import Scores


def warn(scores: Scores, context: Context) -> None:
    """Say what the rates alone would hide."""
    scores = scores.filter(rank=1)
    for said in notes_of(context):
        note(said)
    for column in scores.columns:
        for said in getattr(column.measure, "notes", lambda _: ())(context):
            note(f"{column.label}: {said}")
    empty: dict[int, list[str]] = {}
    for column in scores.columns:
        sizes = column.measure.reference(scores.statistics(column.label))
        empty.setdefault(int((sizes == 0).sum()), []).append(column.label)
    for count, labels in empty.items():
        if count:
            note(
                f"{count} of {len(scores)} pairs have an empty reference for {', '.join(labels)}: "
                "no rate of their own, their insertions count in the total"
            )
    for column in scores.columns:
        if "partial" in column.measure.statistics:
            partial = int(scores.table[f"{column.label}.partial"].sum())
            if partial:
                note(
                    f"{column.label}: {partial:,} of {len(scores):,} pairs were not taken in "
                    "whole: more text than the model takes, or words without a vector"
                )
        if "unpriced" not in column.measure.statistics:
            continue
        names = (f"{column.label}.{name}" for name in ("substitutions", "unpriced"))
        substitutions, unpriced = (int(scores.table[name].sum()) for name in names)
        if unpriced:
            note(
                f"{column.label}: {unpriced:,} of {substitutions:,} substitutions "
                f"({100 * unpriced / substitutions:.1f} %) have a word without a vector and cost 1"
            )


def idle(
    options: argparse.Namespace, metrics: Collection[Metric], others: Collection[str] = ()
) -> None:
    """Say which options no metric uses; `others` are used by the command itself."""
    used = {metric.wants for metric in metrics}.union(others)
    used |= {name for metric in metrics for name in getattr(metric, "heeds", ())}
    used |= {"cache" for metric in metrics if getattr(metric, "kept", False)}
    for name in ("lang", "vectors", "cache"):
        if getattr(options, name) and name not in used:
            note(f"no metric here uses --{name}")


def chosen(
    options: argparse.Namespace, context: Context, others: Collection[str] = ()
) -> dict[str, Metric]:
    """The metrics that the options name, before any text is read: what cannot be, costs no read."""
    with status("loading"):
        metrics = choose(options.metrics or DEFAULT_METRICS, context)
    idle(options, metrics.values(), others)
    return metrics


def note(text: str) -> None:
    """Say something on standard error."""
    print(f"note: {text}", file=sys.stderr)
