"""Alignments for people: words that look alike are paired, and split or joined words are found.

Several alignments of a pair can have the same numbers of substitutions, insertions and deletions.
In `greenhorns flat` and `greenhorn`, either word can be the deleted one; a reader expects that
`greenhorns` was heard as `greenhorn`. Within a run of errors, the order of the operations decides
which words are paired. `pair_similar_words` changes this order only, so the counts stay the same.

Known problems: runs of more than `LARGEST` pairs of words are left as they are. Hits are never
moved.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.alignment.engine import Steps, align, steps
from misword.core.types import Alignment, Offsets, Op, Tokens, join_ranges, offsets_of
from misword.text.texts import Texts
from misword.text.tokens import encode_characters, encode_lists

LARGEST = 2_500  # pairs of words of a run
LONGEST_BLOCK = 4  # words that one word is split into
SLIGHT = 1e-9  # sums of prices that differ by less are equal

Numbers = NDArray[np.int64]
Prices = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """Runs of errors with substitutions, and with either insertions or deletions.

    Run `r` has the operations `start[r]` to `end[r] - 1`. The side with fewer words has the words
    `short[short_at[r]:short_at[r + 1]]`, the other side `long[long_at[r]:long_at[r + 1]]`, which
    are as many as there are operations; `gap[r]` is the operation of a word of the longer side that
    is not paired.
    """

    start: Numbers
    end: Numbers
    gap: NDArray[np.uint8]
    short: Numbers
    short_at: Offsets
    long: Numbers
    long_at: Offsets

    @classmethod
    def of(cls, path: Steps) -> Runs:
        """Find the runs of errors whose words can be paired in several ways."""
        error = path.ops != Op.HIT
        new_pair = np.append(True, path.pair[1:] != path.pair[:-1])[: len(error)]
        before = np.append(False, error[:-1])[: len(error)] & ~new_pair
        start = np.flatnonzero(error & ~before)
        after = np.append(error[1:] & ~new_pair[1:], False)[: len(error)]
        end = np.flatnonzero(error & ~after) + 1
        substituted, inserted, deleted = (
            _sums(path.ops == op, start, end) for op in (Op.SUBSTITUTION, Op.INSERTION, Op.DELETION)
        )
        several = (substituted > 0) & ((inserted > 0) != (deleted > 0))
        small = substituted * (end - start) <= LARGEST
        chosen = np.flatnonzero(several & small)
        start, end, by_insertion = start[chosen], end[chosen], inserted[chosen] > 0
        gap = np.where(by_insertion, Op.INSERTION, Op.DELETION).astype(np.uint8)
        places = join_ranges(start, end - start)
        inserts = np.repeat(by_insertion, end - start)
        long = np.where(inserts, path.hypothesis[places], path.reference[places])
        other = np.where(inserts, path.reference[places], path.hypothesis[places])
        sizes = substituted[chosen]
        return cls(
            start, end, gap, other[other >= 0], offsets_of(sizes), long, offsets_of(end - start)
        )

    def __len__(self) -> int:
        return len(self.start)


def _sums(flags: NDArray[np.bool_], start: Numbers, end: Numbers) -> Numbers:
    """Count the set flags in ranges."""
    total = offsets_of(flags.astype(np.int64))
    return np.asarray(total[end] - total[start])


@dataclass(frozen=True, slots=True, eq=False)
class Letters:
    """The words of a vocabulary with the number of their characters, and the sum of their codes.

    Both are added up to find words that may have the same letters as others.
    """

    words: Sequence[str]
    lengths: Numbers
    sums: Numbers

    @classmethod
    def of(cls, vocabulary: Sequence[str]) -> Letters:
        """Measure the words of a vocabulary."""
        words = vocabulary[:]
        lengths = np.fromiter(map(len, words), np.int64, len(words))
        codes = np.frombuffer("".join(words).encode("utf-32-le"), np.uint32)
        totals = offsets_of(codes)
        at = offsets_of(lengths)
        return cls(words, lengths, totals[at[1:]] - totals[at[:-1]])

    def joined(self, ids: Numbers) -> str:
        """Return words joined to one; -1 is no word."""
        return "".join([self.words[id_] for id_ in ids.tolist() if id_ >= 0])


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
    runs = Runs.of(path)
    if not len(runs):
        return alignment
    ops, letters = path.ops.copy(), Letters.of(reference.vocabulary)
    widths, heights = np.diff(runs.long_at), np.diff(runs.short_at)
    prices, sizes = _prices(runs, letters), _block_sizes(runs, letters)
    cells = offsets_of(widths * heights)
    for width, height in np.unique(np.stack([widths, heights]), axis=1).T.tolist():
        same = np.flatnonzero((widths == width) & (heights == height))
        places = cells[same, None] + np.arange(width * height)
        shape = len(same), height, width
        found = _best_orders(
            prices[places].reshape(shape), sizes[places].reshape(shape), runs.gap[same]
        )
        at = runs.start[same, None] + np.arange(width)
        pairs_now = _sum_of_paired(prices[places].reshape(shape), ops[at] == Op.SUBSTITUTION)
        better = found.total < pairs_now - SLIGHT
        ops[at[better]] = found.ops[better]
    return replace(alignment, ops=ops)


def find_spacings(
    alignment: Alignment, reference: Tokens, hypothesis: Tokens, pairs: NDArray[np.int64]
) -> Spacings:
    """Return the blocks of steps in which one word stands beside the same letters in several.

    A block is one substitution and the insertions or deletions beside it.
    """
    path = steps(alignment, reference, hypothesis, pairs)
    runs, letters = Runs.of(path), Letters.of(reference.vocabulary)
    place = join_ranges(runs.start, runs.end - runs.start)
    run_end = np.repeat(runs.end, runs.end - runs.start)
    candidates = []
    for size in range(2, LONGEST_BLOCK + 1):
        start = place[place + size <= run_end]
        end = start + size
        alike = _sums(path.ops == Op.SUBSTITUTION, start, end) == 1
        for amounts in (letters.lengths, letters.sums):
            left, right = (_sums_of_words(amounts, side, start, end) for side in path[2:])
            alike &= left == right
        candidates.append(np.stack([start[alike], end[alike]], axis=1))
    found: list[tuple[int, int]] = []
    for start, end in sorted(map(tuple, np.concatenate(candidates).tolist())):
        if found and start < found[-1][1]:
            continue
        if letters.joined(path.reference[start:end]) == letters.joined(path.hypothesis[start:end]):
            found.append((start, end))
    table = np.array(found, np.int64).reshape(-1, 2)
    return Spacings(table[:, 0], table[:, 1])


def _sums_of_words(amounts: Numbers, ids: Numbers, start: Numbers, end: Numbers) -> Numbers:
    """Add up an amount of each word over ranges of steps; -1 is no word."""
    total = offsets_of(np.append(amounts, 0)[ids])
    return np.asarray(total[end] - total[start])


def _sum_of_paired(prices: Prices, is_paired: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the sum of the prices of the words that are paired now, for runs of one shape."""
    count, height = prices.shape[:2]
    columns = np.nonzero(is_paired)[1].reshape(count, height)
    rows = np.arange(height)
    return np.asarray(prices[np.arange(count)[:, None], rows, columns].sum(axis=1))


def _prices(runs: Runs, letters: Letters) -> Prices:
    """Return the prices of all pairs of words of all runs: edit distance over the longer length.

    The prices of a run are a table in row order, with a row for each word of the shorter side.
    """
    short, long = _all_pairs(runs)
    size = len(letters.words)
    distinct, row_of = np.unique(short * size + long, return_inverse=True)
    used, numbers = np.unique(np.stack([distinct // size, distinct % size]), return_inverse=True)
    texts = Texts.of([letters.words[id_] for id_ in used.tolist()])
    characters = encode_characters([texts])[0]
    numbered = np.ascontiguousarray(numbers.reshape(2, -1).T)
    lengths = characters.lengths[numbered].max(axis=1)
    distances = align(characters, characters, pairs=numbered, operations=False).costs
    return np.asarray((distances / np.maximum(lengths, 1))[row_of.reshape(-1)])


def _all_pairs(runs: Runs) -> tuple[Numbers, Numbers]:
    """Return the word of the shorter side and that of the longer side of each cell of all runs."""
    widths, heights = np.diff(runs.long_at), np.diff(runs.short_at)
    short = np.repeat(runs.short, np.repeat(widths, heights))
    long = runs.long[join_ranges(np.repeat(runs.long_at[:-1], heights), np.repeat(widths, heights))]
    return short, long


def _block_sizes(runs: Runs, letters: Letters) -> Numbers:
    """Return for each cell how many words that end there are together the word of its row; or 0."""
    short, long = _all_pairs(runs)
    widths, heights = np.diff(runs.long_at), np.diff(runs.short_at)
    rows = np.repeat(widths, heights)
    column = join_ranges(np.zeros(len(rows), np.int64), rows)
    sizes = np.zeros(len(short), np.int64)
    totals = [offsets_of(amounts[long]) for amounts in (letters.lengths, letters.sums)]
    for size in range(2, LONGEST_BLOCK + 1):
        cells = np.flatnonzero(column >= size - 1)
        alike = np.ones(len(cells), np.bool_)
        for total, amounts in zip(totals, (letters.lengths, letters.sums), strict=True):
            alike &= total[cells + 1] - total[cells + 1 - size] == amounts[short[cells]]
        for cell in cells[alike].tolist():
            if letters.joined(long[cell + 1 - size : cell + 1]) == letters.words[short[cell]]:
                sizes[cell] = size
    return sizes


class Orders(NamedTuple):
    """The lowest sum of prices of each run, and the operations that have it."""

    total: NDArray[np.float64]
    ops: NDArray[np.uint8]


def _best_orders(prices: Prices, sizes: Numbers, gap: NDArray[np.uint8]) -> Orders:
    """Return the best operations of runs with the same numbers of words.

    Every word of the shorter side is paired. A word beside the same letters in several words costs
    nothing: `sizes` says in how many, where they end.
    """
    count, rows, columns = prices.shape
    # best[i, j]: the lowest sum for i words of the shorter and j of the longer side.
    best = np.full((rows + 1, columns + 1, count), np.inf)
    best[0] = 0
    step = np.zeros((rows + 1, columns + 1, count), np.int64)  # 0: gap, k: pairs k words with one
    runs = np.arange(count)
    for i in range(1, rows + 1):
        for j in range(i, columns + 1):
            paired, skipped = best[i - 1, j - 1] + prices[:, i - 1, j - 1], best[i, j - 1]
            total, taken = np.minimum(paired, skipped), (paired < skipped).astype(np.int64)
            size = sizes[:, i - 1, j - 1]
            if size.any():
                block = np.where(size > 0, best[i - 1, j - size, runs], np.inf)
                taken = np.where(block < total, size, taken)
                total = np.minimum(block, total)
            best[i, j], step[i, j] = total, taken
    ops = np.repeat(gap[:, None], columns, axis=1)
    left, place = np.full(count, rows), np.full(count, columns)
    for _ in range(columns):
        size = np.where((left > 0) & (place > 0), step[left, place, runs], 0)
        is_paired = size > 0
        ops[runs[is_paired], (place - size)[is_paired]] = Op.SUBSTITUTION
        left -= is_paired
        place = np.maximum(0, place - np.maximum(size, 1))
    return Orders(best[rows, columns], ops)


def similarities(pairs: Sequence[tuple[str, str]], units: Callable[[str], list[str]]) -> Prices:
    """Return how alike the two texts of each pair are by their units, from 0 to 1.

    It is one minus the edit distance divided by the number of units of the longer text.

    >>> similarities([("kitten", "sitting"), ("", "")], list).round(3).tolist()
    [0.571, 1.0]
    """
    if not pairs:
        return np.zeros(0)
    numbers: dict[str, int] = {}
    index = np.array([[numbers.setdefault(text, len(numbers)) for text in pair] for pair in pairs])
    tokens = encode_lists([units(text) for text in numbers])
    costs = align(tokens, tokens, pairs=index, operations=False).costs
    longest = np.maximum(1, tokens.lengths[index].max(axis=1))
    return np.asarray(1 - costs / longest)


def changes(said: str, heard: str) -> list[tuple[int, int, int, int]]:
    """Return the stretches of letters that differ: begin and end in both texts, by an alignment.

    >>> changes("kitten", "sitting")
    [(0, 1, 0, 1), (4, 5, 4, 5), (6, 6, 6, 7)]
    """
    tokens = encode_lists([list(said), list(heard)])
    operations = align(tokens, tokens, pairs=np.array([[0, 1]]), ties="jiwer").all_operations
    found: list[tuple[int, int, int, int]] = []
    left = right = 0
    for operation in operations.tolist():
        before = left, right
        left += operation != Op.INSERTION
        right += operation != Op.DELETION
        if operation == Op.HIT:
            continue
        if found and (found[-1][1], found[-1][3]) == before:
            found[-1] = (found[-1][0], left, found[-1][2], right)
        else:
            found.append((before[0], left, before[1], right))
    return found
