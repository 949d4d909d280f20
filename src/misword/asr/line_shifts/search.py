"""Find shifted lines: lines that belong to a line of another number in the other file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from misword.asr.line_shifts.features import OffsetVotes, extract_features
from misword.asr.line_shifts.similarity import (
    RANDOM_PAIRS,
    CandidatePairs,
    Evidence,
    Similarity,
    Vectors,
)
from misword.core.errors import InputError

# The best sequence of offsets: dynamic programming over lines and candidate offsets.
#
# Each line of the left file has one of the candidate offsets, or no partner. A path scores the
# evidence of its pairs minus a cost for each change of the offset: the best path of a hidden
# Markov model, found by the Viterbi algorithm.

# The offset of lines that have no partner.
NO_PARTNER = int(np.iinfo(np.int64).max)

Offsets = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class LineStretch:
    """Lines `start` to `stop - 1` of the left file, counted from 0, that have one offset."""

    start: int
    stop: int
    offset: int


def change_cost(offsets: Offsets, lines: int) -> Floats:
    """Return the cost of a change to each offset in a file of some lines, in nats.

    A change can be at each line, and to each offset; large offsets are rarer than small ones. The
    cost is the negative log of such a prior probability, up to a constant.
    """
    sizes = np.where(offsets == NO_PARTNER, 0, np.abs(offsets)).astype(np.float64)
    return np.asarray(np.log(max(lines, 2)) + 2 * np.log1p(sizes) + 5)


def best_path(tables: Iterable[tuple[Offsets, Floats]], lines: int) -> list[LineStretch]:
    """Return the stretches of the best path.

    Each table has the evidence of some lines (rows) at some offsets, which are in ascending order;
    the tables follow each other. Lines without a partner score 0.
    """
    states: list[Offsets] = []
    origins: list[NDArray[np.int16]] = []
    known, total = np.zeros(1, np.int64), np.zeros(1)
    for offsets, table in tables:
        offsets = np.append(offsets, NO_PARTNER)
        table = np.column_stack([table, np.zeros(len(table))])
        origin, total = _forward(known, total, offsets, table, change_cost(offsets, lines))
        states.append(offsets)
        origins.append(origin)
        known = offsets
    return join_stretches(_backward(states, origins, int(np.argmax(total)))) if states else []


def join_stretches(path: Offsets) -> list[LineStretch]:
    """Return the stretches of equal offsets of consecutive lines."""
    edges = [0, *(np.flatnonzero(np.diff(path)) + 1).tolist(), len(path)]
    return [LineStretch(start, stop, int(path[start])) for start, stop in pairwise(edges)]


def _forward(
    known: Offsets, total: Floats, offsets: Offsets, table: Floats, cost: Floats
) -> tuple[NDArray[np.int16], Floats]:
    """Return, for each line and offset, the state before, and the scores after the last line.

    `known` are the offsets before the first line, with their scores `total`.
    """
    origin = np.empty(table.shape, np.int16)
    place = np.minimum(np.searchsorted(known, offsets), len(known) - 1)
    same = np.where(known[place] == offsets, total[place], -np.inf)
    for row, scores in enumerate(table):
        best = total.argmax()
        changed = total[best] - cost
        origin[row] = np.where(changed > same, best, place)
        total = np.maximum(changed, same) + scores
        place, same = np.arange(len(offsets)), total
    return origin, total


def _backward(states: list[Offsets], origins: list[NDArray[np.int16]], last: int) -> Offsets:
    """Return the offset of each line on the path that ends in state `last`."""
    found: list[Offsets] = []
    for offsets, origin in zip(reversed(states), reversed(origins), strict=True):
        path = np.empty(len(origin), np.int64)
        for row in range(len(origin) - 1, -1, -1):
            path[row] = last
            last = int(origin[row, last])
        found.append(offsets[path])
    return np.concatenate(found[::-1])


# Which stretches of a path have enough evidence, seen from both files.

# Evidence beyond the cost of a change that a stretch must have, in nats.
MARGIN = 3.0
# Lines that are added up before they are compared with each other.
BLOCK = 8
# The most lines by which the place of a change is moved.
MOST_MOVED = 64

Lines = NDArray[np.int64]


class StretchChecks:
    """Checks of stretches against no partner and against other offsets.

    A stretch with an offset must explain its lines clearly better than each other offset: seen
    from the left file (the partner of each left line), and seen from the right file (the partner of
    each right line). If several consecutive lines have the same text in one file, only one of the
    two views shows a difference, which is due to chance.
    """

    def __init__(self, evidence: Evidence, left: int, right: int) -> None:
        self._evidence, self._left, self._right = evidence, left, right

    def accepted(self, stretches: list[LineStretch]) -> list[LineStretch]:
        """Return the stretches with enough evidence; neighbours of one offset are joined.

        Lines between two stretches of one offset have this offset if they have no accepted one.
        """
        kept = [s for s in stretches if s.offset != NO_PARTNER]
        while rejected := [
            (margin, k) for k, s in enumerate(kept) if (margin := self._margin(kept, k)) < 0
        ]:
            del kept[min(rejected)[1]]
            kept = list(_joined(kept))
        kept = list(_joined(kept))
        for place in range(len(kept) - 1):
            kept[place : place + 2] = self._divided(*kept[place : place + 2])
        return kept

    def evidence(self, stretch: LineStretch, others: set[int]) -> float:
        """Return the least of the log-likelihood ratios of a stretch against its alternatives.

        These are random pairs, and the pairs at each other offset as seen from either file.
        """
        lefts, rights = self.pairs(stretch.start, stretch.stop, stretch.offset)
        shifted = self._evidence(lefts, rights)
        ratios = [
            robust_sum(shifted - self._where_existing(*pairs))
            for other in others - {stretch.offset}
            for pairs in ((lefts, lefts + other), (rights - other, rights))
        ]
        return min([float(shifted.sum()), *ratios])

    def pairs(self, start: int, stop: int, offset: int) -> tuple[Lines, Lines]:
        """Return the lines of both files that a stretch pairs."""
        start, stop = max(start, -offset), min(stop, self._right - offset)
        lefts = np.arange(start, max(start, stop))
        return lefts, lefts + offset

    def _divided(self, before: LineStretch, after: LineStretch) -> tuple[LineStretch, LineStretch]:
        """Move the place where two stretches meet to that with the most evidence.

        If the offset rises, lines were inserted into the right file, and each left line between the
        stretches belongs to one of them. If it falls, lines of the right file were lost, and each
        right line belongs to one of them: those that both stretches or neither has are divided.
        """
        falls = after.offset < before.offset
        low, high = (before.offset, after.offset) if falls else (0, 0)
        edges = before.stop + low, after.start + high
        lines = np.arange(min(edges), max(edges))
        inside = before.start + low <= min(edges) <= max(edges) <= after.stop + high
        if not inside or len(lines) > MOST_MOVED:
            return before, after  # swapped blocks, or lines that have no partner
        scores = []
        for stretch in (before, after):
            lefts = lines - stretch.offset if falls else lines
            scores.append(self._where_existing(lefts, lefts + stretch.offset))
        sums = [np.append(0, np.cumsum(score)) for score in scores]
        place = min(edges) + int(np.argmax(sums[0] - sums[1]))
        stop, start = max(place - low, before.start + 1), min(place - high, after.stop - 1)
        return (
            LineStretch(before.start, stop, before.offset),
            LineStretch(start, after.stop, after.offset),
        )

    def _margin(self, stretches: list[LineStretch], place: int) -> float:
        """Return the evidence of a stretch beyond what it needs."""
        stretch = stretches[place]
        around = {s.offset for s in stretches[max(place - 1, 0) : place + 2]} - {stretch.offset}
        if stretch.offset == 0 and not around:
            return 0.0
        cost = float(change_cost(np.array([stretch.offset]), self._left)[0])
        return self.evidence(stretch, around | {0}) - cost - MARGIN

    def _where_existing(self, lefts: Lines, rights: Lines) -> NDArray[np.float64]:
        """Return the evidence of pairs; 0 if one of the lines does not exist."""
        exists = (lefts >= 0) & (lefts < self._left) & (rights >= 0) & (rights < self._right)
        ratios = np.zeros(len(lefts))
        ratios[exists] = self._evidence(lefts[exists], rights[exists])
        return ratios


def robust_sum(ratios: NDArray[np.float64]) -> float:
    """Return the sum of log-likelihood ratios of consecutive lines that may depend on each other.

    In a list of similar sentences, the better of two offsets changes from line to line, and lines
    near each other are not independent. So the sum is not taken as it is: negative ratios count
    twice. If this leaves little of many lines, the sum is the square of a t-statistic over blocks
    of lines, divided by 2: the log-likelihood ratio of a normal mean against 0.

    >>> robust_sum(np.array([3.0, 3.0, -1.0]))
    4.0
    """
    careful = float(ratios.sum() + np.minimum(ratios, 0).sum())
    blocks = np.add.reduceat(ratios, np.arange(0, len(ratios), BLOCK)) if len(ratios) else ratios
    if len(blocks) < 2 or blocks.sum() <= 0:
        return careful
    error = float(blocks.std(ddof=1)) * len(blocks) ** 0.5
    normal = (float(blocks.sum()) / error) ** 2 / 2 if error else np.inf
    # The statistic of identical blocks is infinite; their number bounds what they can show.
    return max(careful, min(normal, float(ratios.sum()), len(blocks) / 2))


def _joined(stretches: list[LineStretch]) -> Iterator[LineStretch]:
    """Yield the stretches; consecutive stretches with the same offset are joined."""
    before: LineStretch | None = None
    for stretch in stretches:
        if before and before.offset == stretch.offset:
            before = LineStretch(before.start, stretch.stop, stretch.offset)
            continue
        if before:
            yield before
        before = stretch
    if before:
        yield before


# The whole search.

# Lines whose candidate offsets are chosen together.
CHUNK = 4096
# Lines of a window whose offset is chosen for the first pairing.
WINDOW = 64
# How often the evidence is learnt again from the path that was found with it.
ROUNDS = 3


@dataclass(frozen=True, slots=True)
class LineShift:
    """Lines `first` to `last` of the left file belong to those `offset` lines later in the right.

    Lines are counted from 1. `evidence` is a log-likelihood ratio in nats: how much better the
    shift explains these lines than no shift, or than no relation between the lines, whichever is
    less. `similarity` and `unshifted_similarity` are mean similarities, from 0 to 1, of the lines
    to their shifted partners and to the lines of the same number.
    """

    first: int
    last: int
    offset: int
    evidence: float
    similarity: float
    unshifted_similarity: float


def find_shifts(
    left: Sequence[str],
    right: Sequence[str],
    *,
    vectors: Vectors | None = None,
    random_pairs: int = RANDOM_PAIRS,
) -> list[LineShift]:
    """Find lines of two line-parallel files that belong to lines of another number.

    The files may be in one language or in two, and may have different numbers of lines. `vectors`
    can have a vector of length 1 for each line of both files, in one space: for languages that
    share few words. Lines that belong together are told from `random_pairs` pairs of lines. If the
    evidence is weak, nothing is found.

    >>> lines = [f"line {k * k} of some text" for k in range(40)]
    >>> [(s.first, s.last, s.offset) for s in find_shifts(lines, lines[:20] + lines[22:])]
    [(23, 40, -2)]
    """
    if not left or not right:
        return []
    if vectors is not None and [len(rows) for rows in vectors] != [len(left), len(right)]:
        raise InputError(
            f"{len(vectors[0]):,} and {len(vectors[1]):,} vectors for {len(left):,} and "
            f"{len(right):,} lines",
            fix="give a vector for each line",
        )
    features = extract_features(left, right)
    similarity = Similarity(features, vectors, random_pairs=random_pairs)
    evidence, path = _learn(similarity)
    verification = StretchChecks(evidence, len(left), len(right))
    return [
        _describe(stretch, verification, similarity)
        for stretch in verification.accepted(path)
        if stretch.offset
    ]


def _learn(similarity: Similarity) -> tuple[Evidence, list[LineStretch]]:
    """Return the best path, and the evidence that was learnt from it or from the path before."""
    left, right = len(similarity.features.left), len(similarity.features.right)
    votes = OffsetVotes(similarity.features)
    ranges = [(lo, min(lo + CHUNK, left)) for lo in range(0, left, CHUNK)]
    chunks = [CandidatePairs(similarity, lo, hi, votes.candidates(lo, hi)) for lo, hi in ranges]
    path = _first_path(chunks)
    for _ in range(ROUNDS):
        evidence = Evidence(similarity, *_pairs(path, right))
        before = path
        path = best_path(((chunk.offsets, evidence.table(chunk)) for chunk in chunks), left)
        if path == before:
            break
    return evidence, path


def _first_path(chunks: list[CandidatePairs]) -> list[LineStretch]:
    """Return windows, each with the candidate offset of greatest similarity."""
    paths = []
    for chunk in chunks:
        table = np.zeros(chunk.exists.shape)
        for column, (exists, similarities) in enumerate(chunk.similarities()):
            table[exists, column] = similarities.sum(axis=1)
        starts = np.arange(0, len(table), WINDOW)
        best = np.add.reduceat(table, starts).argmax(axis=1)
        paths.append(np.repeat(chunk.offsets[best], WINDOW)[: len(table)])
    return join_stretches(np.concatenate(paths))


def _pairs(path: list[LineStretch], right: int) -> tuple[Lines, Lines]:
    """Return the lines that a path pairs."""
    kept = [stretch for stretch in path if stretch.offset != NO_PARTNER]
    lefts = np.concatenate([np.zeros(0, np.int64), *(np.arange(s.start, s.stop) for s in kept)])
    offsets = np.repeat(
        np.array([s.offset for s in kept], np.int64), [s.stop - s.start for s in kept]
    )
    rights = lefts + offsets
    exists = (rights >= 0) & (rights < right)
    return lefts[exists], rights[exists]


def _describe(
    stretch: LineStretch, verification: StretchChecks, similarity: Similarity
) -> LineShift:
    lefts, rights = verification.pairs(stretch.start, stretch.stop, stretch.offset)
    unshifted = verification.pairs(stretch.start, stretch.stop, 0)
    means = [
        float(similarity.cosine(*pairs).mean()) if len(pairs[0]) else 0.0
        for pairs in ((lefts, rights), unshifted)
    ]
    evidence = verification.evidence(stretch, {0})
    return LineShift(
        int(lefts[0]) + 1, int(lefts[-1]) + 1, stretch.offset, evidence, means[0], means[1]
    )
