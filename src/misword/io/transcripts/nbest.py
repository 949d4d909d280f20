"""N-best lists where one hypothesis for each utterance is expected: the best one is read."""

from __future__ import annotations

from dataclasses import replace

from misword.io.transcripts.columns import Reading, free_name, typed

# The column with the place of a hypothesis in its list; the lowest place is the best.
RANK = free_name("rank", ())


def best_hypotheses(reading: Reading, path: str) -> Reading:
    """Return the best hypothesis of each utterance if the reading has N-best lists.

    A reading has N-best lists if ids are repeated and a column `rank` has a different whole number
    in each row of an id. Other readings are returned unchanged. A note counts what was left out.
    """
    import polars as pl

    frame = reading.frame
    if "utt" not in frame.columns or RANK not in frame.columns:
        return reading
    ranks = typed(frame[RANK])
    if not ranks.dtype.is_integer() or ranks.null_count():
        return reading
    ranked = frame.with_columns(ranks)
    if not frame["utt"].is_duplicated().any() or ranked.select("utt", RANK).is_duplicated().any():
        return reading
    best = ranked.filter(pl.col(RANK) == pl.col(RANK).min().over("utt"))
    left_out = frame.height - best.height
    note = f"{path}: N-best lists; only the best hypothesis of each is read ({left_out:,} left out)"
    return replace(reading, frame=best, notes=(*reading.notes, note))
