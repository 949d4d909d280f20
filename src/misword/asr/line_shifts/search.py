"""Find lines that belong to other lines than those with the same number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from misword.asr.line_shifts.evidence import Evidence, Similarity
from misword.asr.line_shifts.features import extract_features
from misword.asr.line_shifts.offsets import OffsetVotes
from misword.asr.line_shifts.path import NO_PARTNER, Stretch, best_path, change_cost

# Lines of a window whose offset is chosen for the first pairing.
WINDOW = 64
# How often the evidence is learnt again from the path that was found with it.
ROUNDS = 3
# Evidence beyond the cost of a change that a shift must have.
MARGIN = 3.0

Lines = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class LineShift:
    """Lines `first` to `last` of the left file belong to lines `first + offset` ... of the right.

    Lines are counted from 1. `evidence` is the least of three log-likelihood ratios, in nats: of
    the shifted pairs against random pairs, and against pairs without shift, seen from the left
    and from the right file. `similarity` and `unshifted_similarity` are the mean similarities
    (0 to 1) of the lines to their shifted partners, and to the lines of the same number.
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
    vectors: tuple[NDArray[np.float32], NDArray[np.float32]] | None = None,
) -> list[LineShift]:
    """Find stretches of two line-parallel files where lines belong to other line numbers.

    The texts may be of one language or of two; then `vectors` can have a unit vector for each
    line of both files, in one space. The files may have different numbers of lines.
    """
    if not left or not right:
        return []
    return _Search(left, right, vectors).find()


class _Search:
    def __init__(
        self,
        left: Sequence[str],
        right: Sequence[str],
        vectors: tuple[NDArray[np.float32], NDArray[np.float32]] | None,
    ) -> None:
        features = extract_features(left, right)
        self.left, self.right = len(left), len(right)
        self.similarity = Similarity(features, vectors)
        self.votes = OffsetVotes(features)

    def find(self) -> list[LineShift]:
        stretches = [Stretch(0, self.left, 0)]
        stretches = self._first_pairing()
        for _ in range(ROUNDS):
            self.evidence = Evidence(self.similarity, *self._pairs(stretches))
            found = best_path(self.left, self.votes.candidates, self._scores)
            if found == stretches:
                break
            stretches = found
        return [shift for stretch in stretches if (shift := self._verify(stretch))]

    def _first_pairing(self) -> list[Stretch]:
        """Return windows, each with the candidate offset of greatest similarity."""
        stretches = []
        for lo in range(0, self.left, 4096):
            hi = min(lo + 4096, self.left)
            offsets = np.union1d(self.votes.candidates(lo, hi), [0])
            table = self._table(
                lo, hi, offsets, lambda a, b: self.similarity.columns(a, b)[:, 0], -1.0
            )
            for start in range(lo, hi, WINDOW):
                stop = min(start + WINDOW, hi)
                best = int(offsets[np.argmax(table[start - lo : stop - lo].sum(axis=0))])
                stretches.append(Stretch(start, stop, best))
        return stretches

    def _scores(self, lo: int, hi: int, offsets: Lines) -> NDArray[np.float64]:
        return self._table(lo, hi, offsets, self.evidence, self.evidence.of_random)

    def _table(self, lo, hi, offsets, function, outside):
        table = np.full((hi - lo, len(offsets)), outside)
        lines = np.arange(lo, hi)
        for column, offset in enumerate(offsets.tolist()):
            inside = (lines + offset >= 0) & (lines + offset < self.right)
            table[inside, column] = function(lines[inside], lines[inside] + offset)
        return table

    def _pairs(self, stretches: list[Stretch]) -> tuple[Lines, Lines]:
        parts = [(s.lines(), s.lines() + s.offset) for s in stretches if s.offset != NO_PARTNER]
        lefts = np.concatenate([a for a, _ in parts] or [np.zeros(0, np.int64)])
        rights = np.concatenate([b for _, b in parts] or [np.zeros(0, np.int64)])
        inside = (rights >= 0) & (rights < self.right)
        return lefts[inside], rights[inside]

    def _verify(self, stretch: Stretch) -> LineShift | None:
        if stretch.offset in (0, NO_PARTNER):
            return None
        lefts, rights = self._pairs([stretch])
        if not len(lefts):
            return None
        shifted = self.evidence(lefts, rights)
        from_left = shifted.sum() - self._sum(lefts, lefts)
        from_right = shifted.sum() - self._sum(rights, rights)
        evidence = min(float(shifted.sum()), from_left, from_right)
        cost = change_cost(np.array([stretch.offset]), self.left)[0]
        if evidence < cost + MARGIN:
            return None
        inside = lefts < self.right
        return LineShift(
            int(lefts[0]) + 1,
            int(lefts[-1]) + 1,
            stretch.offset,
            evidence,
            float(self.similarity.cosine(lefts, rights).mean()),
            float(self.similarity.cosine(lefts[inside], lefts[inside]).mean())
            if inside.any()
            else 0.0,
        )

    def _sum(self, lefts: Lines, rights: Lines) -> float:
        inside = (lefts < self.left) & (rights < self.right)
        return float(self.evidence(lefts[inside], rights[inside]).sum())
