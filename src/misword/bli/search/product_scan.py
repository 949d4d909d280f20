"""One pass over the products of two vocabularies, for hubness terms and dictionary induction.

Each word gets the list of its greatest products and, if wanted, the candidates for its partner. The
score of a partner is the product minus half the partner's hubness term. The terms are known only
after the pass, so candidates are chosen by estimates of the terms.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.bli.arrays import Float32Array
from misword.bli.search.kernels import scan_products
from misword.bli.search.pair_dropout import DropoutKeys, dropout_keys
from misword.bli.search.tiles import block_rows, tile_memory, tiles
from misword.core.workers import pieces

ROOM = 8  # candidates of a word


Both = tuple[Float32Array, Float32Array]  # an array for the source, and one for the target


@dataclass(frozen=True, slots=True, eq=False)
class Estimates:
    """What is known about the words of both sides before a pass.

    `halves` are estimates of half the hubness terms. `bars` are scores that the best partners
    exceed, minus infinity where nothing is known. Wrong estimates cost time, and change no result.
    """

    halves: Both
    bars: Both

    @classmethod
    def constant(cls, source: int, target: int, bar: float) -> Estimates:
        """Return estimates for this many words: hubness terms of 0, and the same bar for all."""
        zeros = np.zeros(source, np.float32), np.zeros(target, np.float32)
        return cls(zeros, (zeros[0] + np.float32(bar), zeros[1] + np.float32(bar)))


@dataclass(frozen=True, slots=True, eq=False)
class CandidateSearch:
    """How candidates are chosen: scores above the bar, and less than `margin` below the best.

    `keys` decide which pairs dropout keeps.
    """

    estimates: Estimates
    margin: float
    keys: DropoutKeys


class WordResults(NamedTuple):
    """Results of the words of one side, in the order that the kernel takes them (`kernels.h`).

    `lists`: the greatest products of each word, ascending. `least`: the least of each list.
    `halves`: estimates of half the hubness terms. `bars`: no partner that is not a candidate has a
    greater score. `scores`, `partners`: the candidates of each word, up to `ROOM` of each thread.
    """

    lists: Float32Array
    least: Float32Array
    halves: Float32Array
    bars: Float32Array
    scores: Float32Array
    partners: NDArray[np.int32]

    @classmethod
    def start(cls, k: int, halves: Float32Array, bars: Float32Array) -> WordResults:
        """Return the results before the first product."""
        low, size = np.float32(-np.inf), len(halves)
        return cls(
            np.full((size, k), low),
            np.full(size, low),
            halves,
            bars.copy(),
            np.full((size, ROOM), low),
            np.zeros((size, ROOM), np.int32),
        )

    def part(self, words: slice) -> WordResults:
        """Return views of the results of some words."""
        lists, least, halves, bars, scores, partners = self
        return WordResults(
            lists[words], least[words], halves[words], bars[words], scores[words], partners[words]
        )


def scan(
    source: Float32Array,
    target: Float32Array,
    k: int,
    search: CandidateSearch | None = None,
    workers: int | None = None,
) -> tuple[WordResults, WordResults]:
    """Return the results of both sides; neither has a row of zeros.

    A thread has all tiles of a block of rows, but only some tiles of a column. So each column has
    results in each thread, and they are merged.
    """
    if search is None:  # an infinite bar: no candidates
        none = Estimates.constant(len(source), len(target), np.inf)
        search = CandidateSearch(none, 0.0, dropout_keys(1, 0, 0))
    dropout, margin = np.array(search.keys, np.uint64), search.margin
    halves, bars = search.estimates.halves, search.estimates.bars
    if [len(side) for side in (*halves, *bars)] != [len(source), len(target)] * 2:
        raise ValueError("the estimates are of other words")
    height = block_rows(len(source))
    all_rows, by_thread = WordResults.start(k, halves[0], bars[0]), list[WordResults]()

    def start() -> Callable[[int], None]:
        all_columns, memory = WordResults.start(k, halves[1], bars[1]), tile_memory(height)
        by_thread.append(all_columns)

        def piece(block: int) -> None:
            first = block * height
            rows = slice(first, first + height)
            for columns, tile in tiles(source[rows], target, memory):
                scan_products(
                    tile, margin, dropout, first, all_rows.part(rows), columns.start,
                    all_columns.part(columns),
                )  # fmt: skip

        return piece

    pieces(start, -(-len(source) // height), workers)
    return all_rows, _merged(by_thread, k)


def _merged(results: list[WordResults], k: int) -> WordResults:
    """Merge the results of several threads for the same words."""
    if len(results) == 1:
        return results[0]
    lists, least, halves, bars, scores, partners = zip(*results, strict=True)
    greatest = np.sort(np.concatenate(lists, axis=1), axis=1)[:, -k:]
    return WordResults(
        greatest,
        np.max(least, axis=0),
        halves[0],
        np.max(bars, axis=0),
        np.concatenate(scores, axis=1),
        np.concatenate(partners, axis=1),
    )
