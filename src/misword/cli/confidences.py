"""The table of word confidences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from misword.cli.output import Table
from misword.core.errors import InputError
from misword.core.types import CONFIDENCES
from misword.stat.scores import Scores

MEASURES = {"NCE": "nce", "ECE": "ece", "by chance": "by_chance", "AUC": "auc"}


def confidence_rows(scores: Scores) -> list[dict[str, Any]]:
    """Return the measures of each system; raise if no word has a confidence."""
    rows: list[dict[str, Any]] = []
    if CONFIDENCES in scores.records:
        rows = scores.records[CONFIDENCES].to_dicts()
    if not rows:
        raise InputError(
            "no word has a confidence",
            fix="give a ctm file with confidences in its last column, or JSON lines with a list "
            "`confidences` of one number for each word of the text",
        )
    return rows


def confidences_table(rows: Sequence[dict[str, Any]]) -> Table | None:
    """Return a row for each system; None without rows."""
    if not rows:
        return None
    body = [
        [
            row["system"],
            f"{row['words']:,}",
            f"{row['without']:,}",
            *(f"{100 * row[name]:.2f}" for name in ("right", "confidence")),
            *("" if row[name] is None else f"{row[name]:.4f}" for name in MEASURES.values()),
        ]
        for row in rows
    ]
    header = ["system", "words", "without", "right %", "mean %", *MEASURES]
    return Table(header, body, left=1, title="Confidences of words")
