"""Compiled searches over products of word vectors: hubness terms and dictionary induction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.bli.arrays import Float32Array, RowNumbers
from misword.native.library import INTEGER, SINGLE, WORD, array, procedure

_FLOATS, _OUT = array(np.float32), array(np.float32, out=True)
_SIDE = (INTEGER, _OUT, _OUT, _FLOATS, _OUT, _OUT, array(np.int32, out=True))

_scan_products = procedure(
    "misword_scan_products", _FLOATS, INTEGER, INTEGER, INTEGER, INTEGER, SINGLE,
    array(np.uint64), *_SIDE, *_SIDE,
)  # fmt: skip
_best_candidates = procedure(
    "misword_best_candidates", _FLOATS, _FLOATS, INTEGER, _FLOATS, _FLOATS, array(np.int32),
    INTEGER, _FLOATS, INTEGER, INTEGER, array(np.int64, out=True), _OUT,
)  # fmt: skip
_best_kept = procedure(
    "misword_best_kept", _FLOATS, _FLOATS, array(np.int64), INTEGER, _FLOATS, INTEGER, INTEGER,
    _FLOATS, SINGLE, WORD, WORD, array(np.int64, out=True),
)  # fmt: skip
_add_bounded = procedure(
    "misword_add_bounded", _FLOATS, INTEGER, INTEGER, _FLOATS, _FLOATS, INTEGER, INTEGER, _OUT, _OUT
)


def scan_products(
    tile: Float32Array,
    margin: float,
    dropout: NDArray[np.uint64],
    first_row: int,
    rows: Sequence[NDArray[Any]],
    first_column: int,
    columns: Sequence[NDArray[Any]],
) -> None:
    """Add a tile of products to the results of its rows and columns.

    The results of a side are the arrays of `products.WordResults`; `dropout` has the keys of
    both directions and the limit.
    """
    height, width = tile.shape
    k, room = rows[0].shape[1], rows[4].shape[1]
    for size, side in ((height, rows), (width, columns)):
        shapes = [(size, k), (size,), (size,), (size,), (size, room), (size, room)]
        _check([values.shape for values in side] == shapes and k > 0 and room > 0)
    _check(len(dropout) == 3 and 0 <= first_row < 2**31 - height)
    _check(0 <= first_column < 2**31 - width)  # partners are int32
    _scan_products(
        tile, height, width, k, room, margin, dropout, first_row, *rows, first_column, *columns
    )


def best_candidates(
    rows: Float32Array,
    others: Float32Array,
    penalties: Float32Array,
    candidates: tuple[Float32Array, NDArray[np.int32], Float32Array],
    lo: int,
    hi: int,
    best: tuple[RowNumbers, Float32Array],
) -> None:
    """Write the best candidate of the rows `lo` to `hi` - 1 and its score to `best`.

    The score is the dot product minus the penalty. `candidates` has scores, partners and bars of
    all rows, as `products.WordResults`.
    """
    scores, partners, bars = candidates
    _check(0 <= lo <= hi <= len(rows) == len(scores) == len(bars) and len(bars) == len(best[0]))
    _check(scores.shape == partners.shape and len(best[0]) == len(best[1]))
    _check(len(others) == len(penalties) and rows.shape[1] == others.shape[1])
    _best_candidates(
        rows, others, rows.shape[1], penalties, scores, partners, scores.shape[1], bars, lo, hi,
        *best,
    )  # fmt: skip


def best_kept(
    products: Float32Array,
    rows: Float32Array,
    numbers: RowNumbers,
    others: Float32Array,
    penalties: Float32Array,
    slack: float,
    dropout: tuple[int, int],
) -> RowNumbers:
    """Return the best partner of the rows `numbers` among all that dropout keeps; -1 for none.

    `products` has their products with all others, each within `slack` of the dot product that
    decides. `dropout` is the key of the direction, and the limit.
    """
    best = np.empty(len(numbers), np.int64)
    _check(products.shape == (len(numbers), len(others)) and len(others) == len(penalties))
    _check(rows.shape[1] == others.shape[1])
    _best_kept(
        products, rows, numbers, len(numbers), others, len(others), rows.shape[1], penalties,
        slack, *dropout, best,
    )  # fmt: skip
    return best


def add_bounded(
    bounds: Float32Array,
    rows: Float32Array,
    others: Float32Array,
    greatest: Float32Array,
    least: Float32Array,
) -> None:
    """Add the products of rows and others to the ascending lists `greatest`.

    `bounds` are upper bounds of the products, `least` a lower bound of the least number that each
    list ends with. A product is computed only if its bound exceeds `least`, which rises with the
    list.
    """
    _check(bounds.shape == (len(rows), len(others)) and rows.shape[1] == others.shape[1])
    _check(len(rows) == len(greatest) == len(least) and greatest.shape[1] > 0)
    _add_bounded(
        bounds, *bounds.shape, rows, others, rows.shape[1], greatest.shape[1], greatest, least
    )


def _check(fits: bool) -> None:
    if not fits:
        raise ValueError("the arrays of the kernel have lengths that do not fit together")
