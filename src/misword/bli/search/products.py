"""The dot products of all rows of two matrices, computed tile by tile, and passes over them.

A pass finds hubness terms and candidates for dictionary induction, with random dropout of pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.bli.arrays import Float32Array, RowNumbers
from misword.bli.search.kernels import scan_products
from misword.core.workers import pieces
from misword.native.byte_ranges import INCREMENT, mix_bits

# A tile has up to `MOST_ROWS` rows: BLAS multiplies large tiles faster. Matrices with fewer than
# `BLOCKS` times as many rows have lower tiles, so that there is work for several cores. BLAS is
# slower if the width of a tile is a power of two.
LEAST_ROWS, MOST_ROWS, COLUMNS = 256, 1536, 2000
BLOCKS = 16


def block_rows(size: int) -> int:
    """Return the number of rows of a tile for a matrix of `size` rows.

    It does not depend on the number of threads, so that products have the same bits for any.
    """
    return min(MOST_ROWS, max(LEAST_ROWS, -(-size // BLOCKS)))


def tile_memory(rows: int) -> Float32Array:
    """Return memory for the largest tile of that many rows."""
    return np.empty(rows * COLUMNS, np.float32)


def tiles(
    rows: Float32Array, others: Float32Array, memory: Float32Array
) -> Iterator[tuple[slice, Float32Array]]:
    """Yield the products of rows with all others: columns, and their tile.

    All tiles are written to the same `memory`. The system clears new memory, so it is best reused.
    """
    for lo in range(0, len(others), COLUMNS):
        columns = slice(lo, min(lo + COLUMNS, len(others)))
        tile = memory[: len(rows) * (columns.stop - lo)].reshape(len(rows), -1)
        yield columns, np.matmul(rows, others[columns].T, out=tile)


def with_vectors(rows: Float32Array) -> RowNumbers:
    """Return the numbers of the rows that are not all zeros: the words that have a vector."""
    return np.flatnonzero(rows.any(axis=1))


def only_vectors(rows: Float32Array) -> tuple[Float32Array, RowNumbers]:
    """Return the rows that are not all zeros, and their numbers."""
    numbers = with_vectors(rows)
    kept = rows if len(numbers) == len(rows) else rows[numbers]
    return np.ascontiguousarray(kept, np.float32), numbers


# Random dropout of word pairs in VecMap's stochastic dictionary induction.
#
# Artetxe et al. 2018b, section 3.3, keep each pair of words with a probability that grows during
# the training, so that self-learning can leave poor local optima. Here the decision for a pair is
# a hash (SplitMix64, see `mix_bits`) of seed, iteration, direction and the two row numbers. It
# needs no matrix of random numbers, can be computed for single pairs in any order, and does not
# depend on the number of threads. The hash of a pair is computed in the kernels
# (`native/products.h`), only for pairs that can change the result.

# The limit of the hash at which every pair is kept.
ALL_PAIRS = 1 << 53

# The keys of the directions source to target and target to source, and the limit below which the
# upper 53 bits of a pair's hash must be for the pair to be kept.
DropoutKeys = tuple[np.uint64, np.uint64, np.uint64]


def dropout_keys(keep: float, seed: int, iteration: int) -> DropoutKeys:
    """Return the hash keys of an iteration, for pairs that are kept with probability `keep`."""
    start = mix_bits(np.array([seed % 2**64], np.uint64) + INCREMENT)
    keys = mix_bits(start ^ np.arange(2 * iteration, 2 * iteration + 2).astype(np.uint64))
    return keys[0], keys[1], np.uint64(round(keep * 2**53))


# One pass over the products of two vocabularies, for hubness terms and dictionary induction.
#
# Each word gets the list of its greatest products and, if wanted, the candidates for its partner.
# The score of a partner is the product minus half the partner's hubness term. The terms are known
# only after the pass, so candidates are chosen by estimates of the terms.

ROOM = 8  # the greatest number of candidates that are kept for a word


BothSides = tuple[Float32Array, Float32Array]  # an array for the source, and one for the target


@dataclass(frozen=True, slots=True, eq=False)
class Estimates:
    """What is known about the words of both sides before a pass.

    `halves` are estimates of half the hubness terms. `bars` are scores that the best partners
    exceed, minus infinity where nothing is known. Wrong estimates cost time, but do not change the
    result.
    """

    halves: BothSides
    bars: BothSides

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
    """Results of the words of one side, in the order that the kernel takes them (`kernels.py`).

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
