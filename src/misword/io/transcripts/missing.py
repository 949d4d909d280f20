"""Utterances without a hypothesis: an error, left out, or scored with an empty hypothesis."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, get_args

from misword.core.errors import InputError, OptionError
from misword.core.suggestions import did_you_mean
from misword.io.files.sources import counted

if TYPE_CHECKING:
    import polars as pl

Missing = Literal["error", "skip", "delete"]
SHOWN = 3


def check_missing(missing: str) -> None:
    """Raise unless `missing` is one of the three rules."""
    if missing not in get_args(Missing):
        known = get_args(Missing)
        raise OptionError(
            f"no rule {missing!r} for missing hypotheses",
            fix=f"{did_you_mean(missing, known)}use one of: {', '.join(known)}",
        )


def settle_missing(
    ids: pl.Series, texts: Mapping[str, pl.Series], missing: Missing
) -> tuple[pl.Series, dict[str, pl.Series], list[str]]:
    """Return which utterances are scored, the texts of each system for them, and notes.

    Texts are null where a system has no hypothesis. `skip` leaves out the utterances that any
    system lacks, so that all systems are scored on the same utterances. `delete` scores an empty
    hypothesis: all words of the reference are deletions.

    >>> import polars as pl
    >>> ids, texts = pl.Series(["a", "b"]), {"one": pl.Series(["x", None])}
    >>> settle_missing(ids, texts, "skip")[0].to_list()
    [True, False]
    >>> settle_missing(ids, texts, "delete")[1]["one"].to_list()
    ['x', '']
    """
    lacking = {name: text.is_null() for name, text in texts.items() if text.null_count()}
    scored = ids.is_not_null()
    if not lacking:
        return scored, dict(texts), []
    if missing == "delete":
        filled = {name: text.fill_null("") for name, text in texts.items()}
        notes = [
            f"{name}: {_of_all(rows, ids)} without a hypothesis; their words count as deletions: "
            f"{_first_ids(ids.filter(rows))}"
            for name, rows in lacking.items()
        ]
        return scored, filled, notes
    for rows in lacking.values():
        scored = scored & ~rows
    if not scored.any():
        raise InputError(
            "no utterance has a hypothesis of every system",
            fix="check that the ids of both sides are the same, or use --missing delete",
        )
    by_system = ", ".join(f"{name} lacks {rows.sum():,}" for name, rows in lacking.items())
    note = (
        f"{_of_all(~scored, ids)} left out for want of a hypothesis ({by_system}): "
        f"{_first_ids(ids.filter(~scored))}"
    )
    return scored, {name: text.filter(scored) for name, text in texts.items()}, [note]


def _of_all(rows: pl.Series, ids: pl.Series) -> str:
    return f"{rows.sum():,} of {counted(len(ids), 'utterance')}"


def _first_ids(ids: pl.Series) -> str:
    more = f" and {len(ids) - SHOWN:,} more" if len(ids) > SHOWN else ""
    return ", ".join(map(repr, ids.head(SHOWN))) + more
