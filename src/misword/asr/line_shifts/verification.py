"""Which stretches of a path have enough evidence, seen from both files."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from misword.asr.line_shifts.evidence import Evidence
from misword.asr.line_shifts.path import NO_PARTNER, Stretch, change_cost

# Evidence beyond the cost of a change that a stretch must have, in nats.
MARGIN = 3.0

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

        Lines between two stretches of one offset belong to both if they have no accepted offset.
        """
        kept = [s for s in stretches if s.offset != NO_PARTNER]
        while rejected := [
            (margin, k) for k, s in enumerate(kept) if (margin := self._margin(kept, k)) < 0
        ]:
            del kept[min(rejected)[1]]
            kept = list(_joined(kept))
        return list(_joined(kept))

    def evidence(self, stretch: Stretch, others: set[int]) -> float:
        """Return the least of the log-likelihood ratios of a stretch against its alternatives.

        These are random pairs, and the pairs at each other offset as seen from either file.
        """
        lefts, rights = self.pairs(stretch.start, stretch.stop, stretch.offset)
        shifted = float(self._evidence(lefts, rights).sum())
        ratios = [shifted]
        for other in others - {stretch.offset}:
            ratios += [
                shifted - self._sum(lefts, lefts + other),
                shifted - self._sum(rights - other, rights),
            ]
        return min(ratios)

    def pairs(self, start: int, stop: int, offset: int) -> tuple[Lines, Lines]:
        """Return the lines of both files that a stretch pairs."""
        start, stop = max(start, -offset), min(stop, self._right - offset)
        lefts = np.arange(start, max(start, stop))
        return lefts, lefts + offset

    def _margin(self, stretches: list[Stretch], place: int) -> float:
        """Return the evidence of a stretch beyond what it needs."""
        stretch = stretches[place]
        around = {s.offset for s in stretches[max(place - 1, 0) : place + 2]} - {stretch.offset}
        if stretch.offset == 0 and not around:
            return 0.0
        cost = float(change_cost(np.array([stretch.offset]), self._left)[0])
        return self.evidence(stretch, around | {0}) - cost - MARGIN

    def _sum(self, lefts: Lines, rights: Lines) -> float:
        exists = (lefts >= 0) & (lefts < self._left) & (rights >= 0) & (rights < self._right)
        return float(self._evidence(lefts[exists], rights[exists]).sum())


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
