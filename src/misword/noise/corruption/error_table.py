"""Every error that was drawn, as a table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from misword.noise.corruption.drawing import KINDS, Drawn
from misword.noise.corruption.sampler import Picker
from misword.noise.corruption.text_block import Passage

if TYPE_CHECKING:
    import polars as pl


def truth(
    passages: Iterable[tuple[Passage, Drawn]], picker: Picker, first: int = 0
) -> pl.DataFrame:
    """The errors of passages that follow one another, in the order of the text.

    `utt` counts rows from 1, after `first` earlier ones.
    """
    import polars as pl

    tables = [_empty()]
    for passage, drawn in passages:
        tables.append(_table(passage, drawn, picker, first))
        first += len(passage)
    return pl.concat(tables)


def _table(passage: Passage, drawn: Drawn, picker: Picker, first: int) -> pl.DataFrame:
    import polars as pl

    size = len(drawn.heard)
    hit = np.flatnonzero(drawn.heard != -1)
    gaps = np.flatnonzero(drawn.inserted >= 0)
    offsets = passage.offsets
    row_of = passage.row_of
    # A gap before the first word of a row stands where that word does.
    front = gaps >= size
    beside = gaps.copy()
    beside[front] = offsets[gaps[front] - size]
    words = np.concatenate([hit, beside])
    heard = np.concatenate([drawn.heard[hit], drawn.inserted[gaps]])
    kind = np.concatenate([np.where(drawn.heard[hit] == -2, 1, 0), np.full(len(gaps), 2)])
    position = words - offsets[row_of[words]] + 1 - int(passage.labelled)
    position[len(hit) :][front] = 0
    order = np.lexsort((kind, position, row_of[words]))
    words, heard, kind, position = words[order], heard[order], kind[order], position[order]
    said = pl.Series("old", passage.vocabulary, pl.String).gather(passage.tokens.ids[words])
    rows = picker.shapes(passage.vocabulary)[0][passage.tokens.ids[words]]
    facts = np.full((3, len(words)), np.nan)
    replaced = kind == 0
    facts[:, replaced] = picker.facts(rows[replaced], heard[replaced])
    added = kind == 2
    facts[0, added] = picker.hearing.inserted[heard[added]]
    known = pl.Series("new", list(picker.table.heard), pl.String)
    new = known.gather(np.maximum(heard, 0)) if len(known) else pl.Series("new", [], pl.String)
    columns = {
        "utt": pl.Series(row_of[words] + 1 + first, dtype=pl.Int64),
        "position": pl.Series(position, dtype=pl.Int64),
        "kind": pl.Series(list(KINDS)).gather(kind),
        "old": said.set(pl.Series(added), None),
        "new": new.set(pl.Series(heard < 0), None),
    }
    names = ("probability", "phonological", "semantic")
    columns |= {n: pl.Series(v).fill_nan(None) for n, v in zip(names, facts, strict=True)}
    return pl.DataFrame(columns, schema=_empty().schema)


def _empty() -> pl.DataFrame:
    import polars as pl

    return pl.DataFrame(
        schema={
            "utt": pl.Int64, "position": pl.Int64, "kind": pl.String, "old": pl.String,
            "new": pl.String, "probability": pl.Float64, "phonological": pl.Float64,
            "semantic": pl.Float64,
        }
    )  # fmt: skip
