"""Notes on standard error about the numbers that a command prints."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from misword.stat.scores import Scores


def note(text: str) -> None:
    """Print a note on standard error."""
    print(f"note: {text}", file=sys.stderr)


def note_unused(options: argparse.Namespace, scores: Scores, others: Collection[str] = ()) -> None:
    """Note which of `--lang`, `--vectors` and `--cache` no metric reads.

    `others` are the options that the command itself reads.
    """
    metrics = [column.measure for column in scores.columns]
    read = {name for metric in metrics for name in (*metric.needs, *metric.uses)}.union(others)
    for name in ("lang", "vectors", "cache"):
        if getattr(options, name) and name not in read:
            note(f"no metric here uses --{name}")
