"""What scores show of themselves in a notebook: the rate of each system and metric."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from misword.core import display
from misword.core.formatting import counted

if TYPE_CHECKING:
    import polars as pl

COLUMNS = (
    display.text("system"),
    display.text("metric"),
    display.percent("rate"),
    display.span(),
    display.count("reference", "tokens"),
    display.count("utterances"),
)


def rates_overview(
    systems: Sequence[str], utterances: int, summary: pl.DataFrame
) -> display.Overview:
    """Return the overview of a summary."""
    title = f"Scores of {display.names_shown(systems)}: {counted(utterances, 'utterance')}"
    return display.Overview.of(title, summary, COLUMNS)
