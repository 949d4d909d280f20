"""The N-best lists of utterances, for the explorer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from misword.core.types import Result
from misword.report.explorer.packing import Data, packed
from misword.report.result_access import Titles, metrics, table
from misword.report.utterance_rates import positions

if TYPE_CHECKING:
    import polars as pl

# Hypotheses in the page; lists beyond them are left out.
MAXIMAL_HYPOTHESES = 100_000
KEYS = ["utt", "system", "rank"]


def list_table(result: Result) -> pl.DataFrame | None:
    """Return all hypotheses of N-best lists with their texts; None if a result has no lists.

    The table has `utt`, `system`, `rank`, `text`, features, rates, and `chosen_by` if it is known.
    """
    own = table(result, "lists")
    if own is not None:
        return own
    scored, texts = table(result, "utterances"), table(result, "texts")
    if scored is None or texts is None or "rank" not in scored.columns:
        return None
    if not (scored["rank"] > 1).any():
        return None
    return scored.join(texts.select(*KEYS, text="hypothesis"), on=KEYS, how="left")


def reference_texts(result: Result, ids: list[str]) -> list[str]:
    """Return the reference of each utterance from the table of lists; none if it has none."""
    import polars as pl

    frame = table(result, "lists")
    if frame is None or "reference" not in frame.columns:
        return []
    texts = dict(frame.select(pl.col("utt").cast(pl.String), "reference").iter_rows())
    return [texts.get(utt) or "" for utt in ids]


def list_data(result: Result, ids: list[str], systems: list[str], title: Titles) -> Data | None:
    """Return the lists as data: for each system the hypotheses of one utterance after the other."""
    import polars as pl

    frame = list_table(result)
    if frame is None:
        return None
    known_ids = pl.Series(ids, dtype=pl.String)
    labels = [label for label in metrics(result) if f"{label}.rate" in frame.columns]
    features = [name for name in feature_names(result, frame) if frame[name].dtype.is_numeric()]
    numbers = [*features, *(f"{label}.rate" for label in labels)]
    streams = []
    for system in systems:
        rows = frame.filter(system=system).head(MAXIMAL_HYPOTHESES)
        utterance = positions(rows["utt"].cast(pl.String), known_ids)
        order = np.lexsort((rows["rank"].to_numpy(), utterance))
        order = order[utterance[order] >= 0]
        rows = rows[order]
        chosen = rows["chosen_by"] if "chosen_by" in rows.columns else None
        streams.append(
            {
                "lengths": packed(np.bincount(utterance[order], minlength=len(ids))),
                "ranks": packed(rows["rank"].to_numpy()),
                "texts": rows["text"].fill_null("").to_list(),
                "chosen": [] if chosen is None else [_titled(names, title) for names in chosen],
                "numbers": [
                    packed(rows[name].cast(pl.Float64).fill_null(np.nan).to_numpy())
                    for name in numbers
                ],
            }
        )
    return {
        "features": features,
        "metrics": [title(label) for label in labels],
        "systems": streams,
    }


def _titled(names: str | None, title: Titles) -> str:
    """Return the titles of the metrics that chose a hypothesis; empty for None."""
    return ", ".join(title(name) for name in names.split(", ")) if names else ""


def feature_names(result: Result, frame: pl.DataFrame) -> list[str]:
    """Return the columns with features of the hypotheses, such as the recogniser's score."""
    rates = tuple(f"{label}." for label in metrics(result))
    own = table(result, "lists")
    if own is None:
        return [name for name in result.provenance.get("features", ()) if name in frame.columns]
    aside = (*KEYS, "text", "reference", "chosen_by")
    return [name for name in frame.columns if name not in aside and not name.startswith(rates)]
