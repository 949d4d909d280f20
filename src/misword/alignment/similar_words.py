"""Alignments for people: words that look alike are paired, and split or joined words are found.

Several alignments of a pair can have the same numbers of substitutions, insertions and deletions.
In `greenhorns flat` and `greenhorn`, either word can be the deleted one; a reader expects that
`greenhorns` was heard as `greenhorn`. Within a run of errors, the order of the operations decides
which words are paired. `pair_similar_words` changes this order only, so the counts stay the same.

Known problems: runs of more than `LARGEST` pairs of words are left as they are. Hits are never
moved.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.alignment.engine import Steps, align, steps
from misword.core.types import Alignment, Op, Tokens
from misword.text.tokens import encode_lists

LARGEST = 2_500  # pairs of words of a run
LONGEST_BLOCK = 4  # words that one word is split into
SLIGHT = 1e-9  # sums of prices that differ by less are equal

Prices = NDArray[np.float64]


class Run(NamedTuple):
    """A run of errors with substitutions, and with either insertions or deletions.

    The operations are at `start` to `end`. `short` and `long` are the token ids of the side with
    fewer and of the side with more words; `gap` is the operation of a word of the longer side that
    is not paired.
    """

    start: int
    end: int
    gap: Op
    short: NDArray[np.int64]
    long: NDArray[np.int64]


class Spacings(NamedTuple):
    """Words that were split or joined: block `b` is the steps from `start[b]` to `end[b]`."""

    start: NDArray[np.int64]
    end: NDArray[np.int64]

    def mask(self, size: int) -> NDArray[np.bool_]:
        """Return whether each of `size` steps is in a block."""
        changes = np.zeros(size + 1, np.int64)
        np.add.at(changes, self.start, 1)
        np.add.at(changes, self.end, -1)
        return np.asarray(np.cumsum(changes[:-1]) > 0)


def pair_similar_words(
    alignment: Alignment, reference: Tokens, hypothesis: Tokens, pairs: NDArray[np.int64]
) -> Alignment:
    """Return the alignment with the words of each run of errors paired by their letters.

    The sum of the relative edit distances of the paired words is the smallest possible; an
    alignment that has the smallest sum already is not changed. Words that were split or joined
    (`some thing`, `something`) stand side by side.
    """
    path = steps(alignment, reference, hypothesis, pairs)
    runs = list(_runs(alignment, path))
    if not runs:
        return alignment
    ops, words = path.ops.copy(), reference.vocabulary
    for run, prices in zip(runs, _prices(runs, words), strict=True):
        before = ops[run.start : run.end]
        paired = prices[np.arange(len(run.short)), np.flatnonzero(_takes_long(before, run.gap))]
        total, order = _best_order(prices, run, words)
        if total < float(paired.sum()) - SLIGHT:
            ops[run.start : run.end] = order
    return replace(alignment, ops=ops)


def find_spacings(
    alignment: Alignment, reference: Tokens, hypothesis: Tokens, pairs: NDArray[np.int64]
) -> Spacings:
    """Return the blocks of steps in which one word stands beside the same letters in several.

    A block is one substitution and the insertions or deletions beside it.
    """
    path, words = steps(alignment, reference, hypothesis, pairs), reference.vocabulary
    found = [block for run in _runs(alignment, path) for block in _spacings_of(run, path, words)]
    table = np.array(found, np.int64).reshape(-1, 2)
    return Spacings(table[:, 0], table[:, 1])


def _runs(alignment: Alignment, path: Steps) -> Iterator[Run]:
    """Yield the runs of errors whose words can be paired in several ways."""
    if not len(path.ops):
        return
    error = path.ops != Op.HIT
    new_pair = np.concatenate([[True], path.pair[1:] != path.pair[:-1]])
    before = np.concatenate([[False], error[:-1]]) & ~new_pair
    starts = np.flatnonzero(error & ~before)
    after = np.concatenate([error[1:] & ~new_pair[1:], [False]])
    ends = np.flatnonzero(error & ~after) + 1
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        if end - start < 2:
            continue
        counts = np.bincount(path.ops[start:end], minlength=len(Op))
        both = counts[Op.INSERTION] and counts[Op.DELETION]
        if not counts[Op.SUBSTITUTION] or counts[Op.SUBSTITUTION] == end - start or both:
            continue
        sides = [side[start:end][side[start:end] >= 0] for side in path[2:]]
        if len(sides[0]) * len(sides[1]) > LARGEST:
            continue
        gap = Op.INSERTION if counts[Op.INSERTION] else Op.DELETION
        short, long = sides if gap == Op.INSERTION else sides[::-1]
        yield Run(start, end, gap, short, long)


def _takes_long(ops: NDArray[np.uint8], gap: Op) -> NDArray[np.bool_]:
    """Return whether each word of the longer side is paired."""
    return np.asarray(ops != gap)


def _prices(runs: Sequence[Run], words: Sequence[str]) -> Iterator[Prices]:
    """Yield the prices of all pairs of words of each run: edit distance over the longer length."""
    short = np.concatenate([np.repeat(run.short, len(run.long)) for run in runs])
    long = np.concatenate([np.tile(run.long, len(run.short)) for run in runs])
    ids, numbers = np.unique(np.stack([short, long]), return_inverse=True)
    letters = encode_lists([list(words[at]) for at in ids.tolist()])
    distinct, row_of = np.unique(numbers.reshape(2, -1).T, axis=0, return_inverse=True)
    lengths = np.diff(letters.offsets)[distinct].max(axis=1)
    distances = align(letters, letters, pairs=distinct, operations=False).costs
    prices = (distances / np.maximum(lengths, 1))[row_of.reshape(-1)]
    at = 0
    for run in runs:
        shape = len(run.short), len(run.long)
        yield prices[at : at + shape[0] * shape[1]].reshape(shape)
        at += shape[0] * shape[1]


def _best_order(prices: Prices, run: Run, words: Sequence[str]) -> tuple[float, list[int]]:
    """Return the lowest sum of prices, and the operations that have it.

    Every word of the shorter side is paired. A word beside the same letters in several words costs
    nothing.
    """
    rows, columns = prices.shape
    table, sizes = prices.tolist(), _block_sizes(run, words)
    # best[i][j]: the lowest sum for i words of the shorter and j of the longer side.
    best = [[0.0] * (columns + 1)] + [[np.inf] * (columns + 1) for _ in range(rows)]
    step = [[0] * (columns + 1) for _ in range(rows + 1)]  # 0: gap, k: pairs k words with one
    for i in range(1, rows + 1):
        for j in range(i, columns + 1):
            ways = [(best[i - 1][j - 1] + table[i - 1][j - 1], 1), (best[i][j - 1], 0)]
            if size := sizes.get((i, j), 0):
                ways.append((best[i - 1][j - size], size))
            best[i][j], step[i][j] = min(ways)
    order: list[int] = []
    i, j = rows, columns
    while j:
        size = step[i][j] if i else 0
        block = [int(Op.SUBSTITUTION), *[int(run.gap)] * (size - 1)] if size else [int(run.gap)]
        order += reversed(block)
        i, j = i - bool(size), j - max(size, 1)
    return best[rows][columns], order[::-1]


def _block_sizes(run: Run, words: Sequence[str]) -> dict[tuple[int, int], int]:
    """Return how many words that end at (i, j) are together the i-th word of the shorter side."""
    short = [words[at] for at in run.short.tolist()]
    long = [words[at] for at in run.long.tolist()]
    sizes = {}
    for i, word in enumerate(short, 1):
        for j in range(2, len(long) + 1):
            for size in range(2, min(LONGEST_BLOCK, j) + 1):
                if "".join(long[j - size : j]) == word:
                    sizes[i, j] = size
    return sizes


def _spacings_of(run: Run, path: Steps, words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the first and last position of each block of split or joined words in a run."""
    at = run.start
    while at < run.end - 1:
        for end in range(at + 2, min(at + LONGEST_BLOCK, run.end) + 1):
            ops = path.ops[at:end]
            if np.count_nonzero(ops == Op.SUBSTITUTION) != 1:
                continue
            joined = ["".join(words[i] for i in side[at:end] if i >= 0) for side in path[2:]]
            if joined[0] == joined[1]:
                yield at, end
                at = end - 1
                break
        at += 1
