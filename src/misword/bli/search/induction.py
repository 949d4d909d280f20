"""Dictionary induction: the best translation of each word of two mapped spaces, both directions.

VecMap's self-learning repeats it in each iteration (Artetxe et al. 2018b, section 3.3):
bidirectional, with CSLS, and with random dropout of pairs. MUSE's refinement uses it without
dropout.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from misword.bli.arrays import Float32Array, RowNumbers
from misword.bli.search.hubness import hubness_of_tiles
from misword.bli.search.pair_dropout import DropoutKeys, dropout_keys, kept_pairs
from misword.bli.search.tiles import ProductTiles, TileMemory, with_vectors
from misword.core import kernel_thresholds

MEMORY = 1_100_000_000  # bytes of cosines stored between computing hubness and choosing partners


@dataclass(frozen=True, slots=True, eq=False)
class Induced:
    """The best target of each source row (`forward`), the best source of each target row.

    Rows of zeros have -1. `objective` is the mean, over the words of both sides, of the greatest
    cosine of each word, without hubness terms and without dropout.
    """

    forward: RowNumbers
    backward: RowNumbers
    objective: float


def induce(
    source: Float32Array,
    target: Float32Array,
    *,
    csls: int = 10,
    keep: float = 1.0,
    seed: int = 0,
    iteration: int = 0,
    workers: int | None = None,
    memory: int = MEMORY,
    tile_memory: TileMemory | None = None,
) -> Induced:
    """Return the best partner of each word among the pairs that dropout keeps.

    The score of a partner is its cosine minus half its hubness term (the rank is that of CSLS,
    since the word's own term is the same for all partners). The hubness term is the mean of the
    `csls` greatest cosines; with 0 the score is the cosine. Each pair is kept with probability
    `keep`, by `pair_dropout`, with row numbers that count only the rows with a vector. Workers,
    memory and order change nothing in the result. Of equal scores the first row is taken.

    The released VecMap multiplies the score of a dropped pair by 0, so that it is better than all
    negative scores. Here a dropped pair is never taken, except that a word all of whose pairs are
    dropped gets the best of all.

    Pass the same `tile_memory` to repeated calls to reuse its memory.
    """
    forward, backward = np.full(len(source), -1), np.full(len(target), -1)
    source_rows, target_rows = with_vectors(source), with_vectors(target)
    if not len(source_rows) or not len(target_rows):
        return Induced(forward, backward, 0.0)
    products = ProductTiles(source[source_rows], target[target_rows], memory, tile_memory)
    hubness = hubness_of_tiles(products, max(csls, 1), workers)
    share = np.float32(0.5 if csls else 0)
    penalties = hubness.source * share, hubness.target * share
    keys = dropout_keys(keep, seed, iteration)
    best_targets, best_sources = _best_partners(products, penalties, keys, workers)
    forward[source_rows] = target_rows[best_targets]
    backward[target_rows] = source_rows[best_sources]
    best = hubness.best_source.mean(dtype=np.float64) + hubness.best_target.mean(dtype=np.float64)
    return Induced(forward, backward, float(best / 2))


def _best_partners(
    products: ProductTiles,
    penalties: tuple[Float32Array, Float32Array],
    keys: DropoutKeys,
    workers: int | None,
) -> tuple[RowNumbers, RowNumbers]:
    """Return the best column of each row and the best row of each column.

    A thread has all tiles of a block of rows but only some tiles of a column. The best rows of the
    columns are therefore found in each thread and merged in the end.
    """
    size = len(products.source), len(products.target)
    row_ids, row_best = np.full(size[0], -1), np.full(size[0], -np.inf, np.float32)
    column_results: list[tuple[RowNumbers, Float32Array]] = []
    large = size[0] * size[1] >= kernel_thresholds.INDUCTION
    update = _compiled_update() if large else _update

    def start() -> Callable[[int], None]:
        column_ids, column_best = np.full(size[1], -1), np.full(size[1], -np.inf, np.float32)
        column_results.append((column_ids, column_best))

        def piece(block: int) -> None:
            rows = products.rows(block)
            for columns, tile in products.tiles(block):
                update(
                    tile, (rows.start, columns.start), (penalties[0][rows], penalties[1][columns]),
                    keys, row_best[rows], row_ids[rows], column_best[columns], column_ids[columns],
                )  # fmt: skip

        return piece

    products.process(start, workers)
    column_ids = _merge(column_results)
    _fill_dropped(products.source, products.target, penalties[1], row_ids)
    _fill_dropped(products.target, products.source, penalties[0], column_ids)
    return row_ids, column_ids


def _merge(results: list[tuple[RowNumbers, Float32Array]]) -> RowNumbers:
    """Return the best partner over the results of all threads; of equal scores the first row."""
    ids, best = results[0]
    for other_ids, scores in results[1:]:
        better = (scores > best) | ((scores == best) & (other_ids < ids))
        best[better], ids[better] = scores[better], other_ids[better]
    return ids


def _fill_dropped(
    rows: Float32Array, others: Float32Array, penalties: Float32Array, ids: RowNumbers
) -> None:
    """Give words all of whose pairs are dropped the best of all partners."""
    for at in np.flatnonzero(ids < 0).tolist():
        ids[at] = (others @ rows[at] - penalties).argmax()


def _update(
    tile: Float32Array,
    corner: tuple[int, int],
    penalties: tuple[Float32Array, Float32Array],
    keys: DropoutKeys,
    row_best: Float32Array,
    row_ids: RowNumbers,
    column_best: Float32Array,
    column_ids: RowNumbers,
) -> None:
    """Update the best partners of a tile's rows and columns; `corner` is its first row and column.

    The same as `induction_kernels.update`.
    """
    rows, columns = (first + np.arange(n) for first, n in zip(corner, tile.shape, strict=True))
    forward_key, backward_key, limit = keys
    kept = kept_pairs(forward_key, rows, columns, limit)
    _update_best(tile - penalties[1], kept, columns, row_best, row_ids)
    kept = kept_pairs(backward_key, columns, rows, limit)
    _update_best(tile.T - penalties[0], kept, rows, column_best, column_ids)


def _update_best(
    scores: Float32Array,
    kept: NDArray[np.bool_],
    partners: RowNumbers,
    best: Float32Array,
    ids: RowNumbers,
) -> None:
    """Update the best score and partner of each row of `scores`, in place."""
    scores[~kept] = -np.inf
    at = scores.argmax(axis=1)
    top, top_ids = scores[np.arange(len(scores)), at], partners[at]
    better = (top > best) | ((top == best) & (top_ids < ids))
    best[better], ids[better] = top[better], top_ids[better]


def _compiled_update() -> Callable[..., None]:
    from misword.bli.search.induction_kernels import update

    return update
