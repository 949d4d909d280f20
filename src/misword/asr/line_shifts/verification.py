"""Which stretches of a path have enough evidence, seen from both files."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from misword.asr.line_shifts.evidence import Evidence
from misword.asr.line_shifts.path import NO_PARTNER, Stretch, change_cost

# Evidence beyond the cost of a change that a stretch must have, in nats.
MARGIN = 3.0
# Lines that are added up before they are compared with each other.
BLOCK = 8
# The most lines by which the place of a change is moved.
MOST_MOVED = 64

Lines = NDArray[np.int64]


class Verification:
    """Checks of stretches against no partner and against other offsets.

    A stretch with an offset must explain its lines clearly better than each other offset: seen
    from the left file (the partner of each left line), and seen from the right file (the partner of
    each right line). If several consecutive lines have the same text in one file, only one of the
    two views sees a difference, and it is chance.
    """

    def __init__(self, evidence: Evidence, left: int, right: int) -> None:
        self._evidence, self._left, self._right = evidence, left, right

    def accepted(self, stretches: list[Stretch]) -> list[Stretch]:
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

    def evidence(self, stretch: Stretch, others: set[int]) -> float:
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

    def _divided(self, before: Stretch, after: Stretch) -> tuple[Stretch, Stretch]:
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
            Stretch(before.start, stop, before.offset),
            Stretch(start, after.stop, after.offset),
        )

    def _margin(self, stretches: list[Stretch], place: int) -> float:
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


def _joined(stretches: list[Stretch]) -> Iterator[Stretch]:
    """Give the stretches; those of one offset that follow each other are one."""
    before: Stretch | None = None
    for stretch in stretches:
        if before and before.offset == stretch.offset:
            before = Stretch(before.start, stretch.stop, stretch.offset)
            continue
        if before:
            yield before
        before = stretch
    if before:
        yield before
