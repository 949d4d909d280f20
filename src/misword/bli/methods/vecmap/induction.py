"""A dictionary induced from two spaces, in both directions: a step of VecMap's self-learning.

Each pair of words is kept with a probability that grows during the training (Artetxe et al. 2018,
section 3.3), so that the search leaves bad optima.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from misword.bli.search import hubness
from misword.bli.search.tiles import Matrix, Products, Rows, Store, with_vectors

MEMORY = 1_100_000_000  # bytes of products kept between the two looks at them
GOLDEN, FIRST, SECOND = (
    np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
)  # fmt: skip
Bits = NDArray[np.uint64]
Heads = NDArray[np.bool_]
Coins = tuple[np.uint64, np.uint64, np.uint64]  # a key for each direction, the limit


@dataclass(frozen=True, slots=True, eq=False)
class Induced:
    """The best target of each source row and the best source of each target row.

    Rows of zeros have -1. The objective is the mean, over both directions, of each word's greatest
    plain cosine (no hubness taken off, nothing dropped).
    """

    forward: Rows
    backward: Rows
    objective: float


def induce(
    source: Matrix,
    target: Matrix,
    *,
    csls: int = 10,
    keep: float = 1.0,
    seed: int = 0,
    turn: int = 0,
    workers: int | None = None,
    memory: int = MEMORY,
    store: Store | None = None,
) -> Induced:
    """The best partner of each word by cosine less half the partner's hubness, among pairs kept.

    The hubness is the mean of the `csls` greatest cosines; 0 takes none off. Whether a pair is kept
    is decided by `kept`, a function of seed, turn, direction and the two row numbers (among the
    rows with a vector): workers, memory and order change nothing. The released VecMap
    multiplies the score of a dropped pair by 0; here the pair is out, also where all scores that
    are left are negative. A word all of whose pairs are dropped takes its best of all.
    Equal scores: the first row. Who calls again and again hands the same `store` over.
    """
    real = with_vectors(source), with_vectors(target)
    forward, backward = np.full(len(source), -1), np.full(len(target), -1)
    if not len(real[0]) or not len(real[1]):
        return Induced(forward, backward, 0.0)
    products = Products(source[real[0]], target[real[1]], memory, store)
    hubs = hubness.of_products(products, max(csls, 1), workers)
    share = np.float32(0.5 if csls else 0)
    offs = hubs.source * share, hubs.target * share
    there, back = _choose(products, offs, coins(keep, seed, turn), workers)
    forward[real[0]], backward[real[1]] = real[1][there], real[0][back]
    best = hubs.best_source.mean(dtype=np.float64) + hubs.best_target.mean(dtype=np.float64)
    return Induced(forward, backward, float(best / 2))


def _choose(
    products: Products, offs: tuple[Matrix, Matrix], tossed: Coins, workers: int | None
) -> tuple[Rows, Rows]:
    """The best partners: rows have their own block, columns a list in each thread."""
    size = len(products.source), len(products.target)
    ids, best = np.full(size[0], -1), np.full(size[0], -np.inf, np.float32)
    lists: list[tuple[Matrix, Rows]] = []
    choose = _plain if size[0] * size[1] < hubness.KERNEL_FROM else _compiled()

    def start() -> Callable[[int], None]:
        below = np.full(size[1], -np.inf, np.float32), np.full(size[1], -1)
        lists.append(below)

        def piece(block: int) -> None:
            rows = products.rows(block)
            for columns, tile in products.tiles(block):
                corner, taken = (rows.start, columns.start), (offs[0][rows], offs[1][columns])
                choose(
                    tile, corner, taken, tossed,
                    best[rows], ids[rows], below[0][columns], below[1][columns],
                )  # fmt: skip

        return piece

    products.each(start, workers)
    below, found = lists[0]
    for scores, others in lists[1:]:
        better = (scores > below) | ((scores == below) & (others < found))
        below[better], found[better] = scores[better], others[better]
    _best_of_all(products.source, products.target, offs[1], ids)
    _best_of_all(products.target, products.source, offs[0], found)
    return ids, found


def _best_of_all(rows: Matrix, others: Matrix, off: Matrix, ids: Rows) -> None:
    """Words all of whose pairs are dropped."""
    for at in np.flatnonzero(ids < 0).tolist():
        ids[at] = (others @ rows[at] - off).argmax()


def _plain(
    tile: Matrix,
    corner: tuple[int, int],
    offs: tuple[Matrix, Matrix],
    tossed: Coins,
    row_best: Matrix,
    row_ids: Rows,
    column_best: Matrix,
    column_ids: Rows,
) -> None:
    """Bring a tile's products into the best so far of its rows and columns."""
    rows, columns = (first + np.arange(n) for first, n in zip(corner, tile.shape, strict=True))
    _better(tile - offs[1], _heads(tossed[0], rows, columns, tossed[2]), columns, row_best, row_ids)
    back = _heads(tossed[1], columns, rows, tossed[2])
    _better(tile.T - offs[0], back, rows, column_best, column_ids)


def _better(scores: Matrix, heads: Heads, others: Rows, best: Matrix, ids: Rows) -> None:
    scores[~heads] = -np.inf
    at = scores.argmax(axis=1)
    top, found = scores[np.arange(len(scores)), at], others[at]
    better = (top > best) | ((top == best) & (found < ids))
    best[better], ids[better] = top[better], found[better]


def _compiled() -> Callable[..., None]:
    from misword.bli.methods.vecmap.induction_kernels import choose

    return choose


def kept(own: Rows, others: Rows, keep: float, seed: int, turn: int, direction: int) -> Heads:
    """Which pairs of words (rows) and partners (columns) are kept: a coin each, the same always.

    Direction 0 looks from the source at the target, 1 the other way: their coins are independent.
    The coins are the outputs of SplitMix64 (Steele et al. 2014), numbered by the pair.
    """
    tossed = coins(keep, seed, turn)
    return _heads(tossed[direction], own, others, tossed[2])


def coins(keep: float, seed: int, turn: int) -> Coins:
    """The keys of both directions, and the limit below which 53 bits must lie."""
    start = mixed(np.array([seed % 2**64], np.uint64) + GOLDEN)
    keys = mixed(start ^ np.arange(2 * turn, 2 * turn + 2).astype(np.uint64))
    return keys[0], keys[1], np.uint64(round(keep * 2**53))


def _heads(key: np.uint64, own: Rows, others: Rows, limit: np.uint64) -> Heads:
    pair = (own.astype(np.uint64)[:, None] << np.uint64(32)) | others.astype(np.uint64)
    heads: Heads = (mixed(key + pair * GOLDEN) >> np.uint64(11)) < limit
    return heads


def mixed(bits: Bits) -> Bits:
    """The last step of SplitMix64."""
    bits = (bits ^ (bits >> np.uint64(30))) * FIRST
    bits = (bits ^ (bits >> np.uint64(27))) * SECOND
    return bits ^ (bits >> np.uint64(31))
