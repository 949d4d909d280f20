"""The table of all errors that were drawn, from the edits of each block."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from misword.noise.arrays import Ints
from misword.noise.corruption.drawing import (
    DELETION,
    INSERTION,
    KINDS,
    SUBSTITUTION,
    CorruptedBlock,
)
from misword.noise.corruption.sampler import Sampler
from misword.noise.corruption.splice import DELETED, UNCHANGED, WordEdits
from misword.noise.corruption.text_block import TextBlock

if TYPE_CHECKING:
    import polars as pl


def error_table(
    blocks: Iterable[tuple[TextBlock, CorruptedBlock]], sampler: Sampler
) -> pl.DataFrame:
    """Return the errors of consecutive blocks, in the order of the text; `utt` counts from 1."""
    import polars as pl

    tables, first = [_empty()], 0
    for block, corrupted in blocks:
        tables.append(_block_table(block, corrupted.edits, sampler, first))
        first += len(block)
    return pl.concat(tables)


@dataclass(frozen=True, slots=True, eq=False)
class _Errors:
    """The errors of a block, as columns.

    `word` is the edited word, or the word beside an insertion. `new` is the id of the new word, or
    `DELETED`. `position` counts the words of a row from 1; an insertion has the position of the
    word before it, 0 at the beginning of the row.
    """

    word: Ints
    new: Ints
    kind: Ints
    position: Ints

    @classmethod
    def of(cls, block: TextBlock, edits: WordEdits) -> _Errors:
        size, offsets, row_of = len(edits.words), block.offsets, block.row_of
        edited = np.flatnonzero(edits.words != UNCHANGED)
        gaps = np.flatnonzero(edits.insertions >= 0)
        in_front = gaps >= size
        beside = gaps.copy()
        beside[in_front] = offsets[gaps[in_front] - size]
        word = np.concatenate([edited, beside])
        new = np.concatenate([edits.words[edited], edits.insertions[gaps]])
        kind = np.full(len(word), INSERTION)
        kind[: len(edited)] = np.where(edits.words[edited] == DELETED, DELETION, SUBSTITUTION)
        position = word - offsets[row_of[word]] + 1 - int(block.labelled)
        position[len(edited) :][in_front] = 0
        order = np.lexsort((kind, position, row_of[word]))
        return cls(word[order], new[order], kind[order], position[order])


def _block_table(block: TextBlock, edits: WordEdits, sampler: Sampler, first: int) -> pl.DataFrame:
    """Return the errors of one block, which has `first` rows before it."""
    import polars as pl

    errors = _Errors.of(block, edits)
    substituted, inserted = errors.kind == SUBSTITUTION, errors.kind == INSERTION
    token = block.tokens.ids[errors.word]
    old = pl.Series("old", block.vocabulary, pl.String).gather(token)
    rows = sampler.shapes(block.vocabulary).row[token]
    details = np.full((3, len(token)), np.nan)
    details[:, substituted] = sampler.details(rows[substituted], errors.new[substituted])
    details[0, inserted] = sampler.model.insertion_probability[errors.new[inserted]]
    words = pl.Series("new", list(sampler.table.vocabulary), pl.String)
    new = words.gather(np.maximum(errors.new, 0)) if len(words) else words
    columns = {
        "utt": pl.Series(block.row_of[errors.word] + 1 + first, dtype=pl.Int64),
        "position": pl.Series(errors.position, dtype=pl.Int64),
        "kind": pl.Series(list(KINDS)).gather(errors.kind),
        "old": old.set(pl.Series(inserted), None),
        "new": new.set(pl.Series(errors.new < 0), None),
    }
    names = ("probability", "phonological", "semantic")
    columns |= {n: pl.Series(v).fill_nan(None) for n, v in zip(names, details, strict=True)}
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
