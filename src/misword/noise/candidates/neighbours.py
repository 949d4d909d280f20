"""The nearest words of each word as a matrix, and the table of candidates made from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from misword.noise.arrays import Floats, Ints
from misword.noise.candidates.table import CandidateTable, Entries


@dataclass(frozen=True, slots=True, eq=False)
class Neighbours:
    """The neighbours of words as matrices: row `i` is for the word number `rows[i]`.

    `ids` are places in a vocabulary. `phonological` and `semantic` are distances; a phonological
    distance is infinite in the cells after the last neighbour of a row.
    """

    rows: Ints
    ids: Ints
    phonological: Floats
    semantic: Floats


def concatenate(blocks: Sequence[Neighbours], width: int) -> Neighbours:
    """Put blocks of neighbours below each other; all rows are filled up to `width` cells."""

    def column(matrices: Sequence[Floats], empty: float) -> Floats:
        joined = np.full((sum(map(len, matrices)), width), empty)
        start = 0
        for matrix in matrices:
            joined[start : start + len(matrix), : matrix.shape[1]] = matrix
            start += len(matrix)
        return joined

    rows = [np.zeros(0, np.int64), *(block.rows for block in blocks)]
    return Neighbours(
        np.concatenate(rows),
        column([block.ids.astype(np.float64) for block in blocks], 0).astype(np.int64),
        column([block.phonological for block in blocks], np.inf),
        column([block.semantic for block in blocks], np.nan),
    )


def candidate_table(
    words: Sequence[str],
    vocabulary: Sequence[str],
    neighbours: Neighbours,
    probability: Floats,
) -> CandidateTable:
    """Make the table of candidates of all `words`; words without a row have no candidates.

    The vocabulary of the table has only the words that are a candidate of some word, sorted.
    """
    present = np.isfinite(neighbours.phonological)
    used = np.unique(neighbours.ids[present])
    chosen = sorted(vocabulary[i] for i in used.tolist())
    places = {word: place for place, word in enumerate(chosen)}
    new_ids = np.zeros(len(vocabulary), np.int64)
    new_ids[used] = [places[vocabulary[i]] for i in used.tolist()]
    entries = Entries(
        np.repeat(neighbours.rows, present.sum(axis=1)),
        new_ids[neighbours.ids[present]],
        probability[present],
        neighbours.phonological[present],
        neighbours.semantic[present],
    )
    return CandidateTable.from_entries(words, chosen, entries)
