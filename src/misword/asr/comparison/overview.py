"""What a comparison shows of itself in a notebook: the differences from the baseline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from misword.core import display
from misword.core.formatting import counted, signed_span

if TYPE_CHECKING:
    import polars as pl


def _change_span(row: dict[str, Any]) -> str:
    """Return the interval of a relative change."""
    return signed_span(row["relative_low"], row["relative_high"])


COLUMNS = (
    display.text("system"),
    display.text("metric"),
    display.percent("baseline_rate", "baseline %"),
    display.percent("rate"),
    display.signed("relative", "change %"),
    display.Column("interval %", _change_span),
    display.probability("p_holm", "p"),
    display.count("better"),
    display.count("worse"),
)


def differences_overview(
    systems: Sequence[str], utterances: int, differences: pl.DataFrame
) -> display.Overview:
    """Return the difference of each system and metric from the baseline, the first system."""
    baseline, *others = systems
    size = counted(utterances, "utterance")
    title = f"Comparison of {display.names_shown(others)} with {baseline}: {size}"
    return display.Overview.of(title, differences, COLUMNS)
