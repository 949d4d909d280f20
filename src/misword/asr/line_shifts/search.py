"""Find lines that belong to other lines than those of the same number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from misword.asr.line_shifts.evidence import Evidence
from misword.asr.line_shifts.features import extract_features
from misword.asr.line_shifts.offsets import OffsetVotes
from misword.asr.line_shifts.path import NO_PARTNER, Stretch, best_path, join
from misword.asr.line_shifts.similarity import CandidatePairs, Similarity, Vectors
from misword.asr.line_shifts.verification import Verification
from misword.core.errors import InputError

# Lines whose candidate offsets are chosen together.
CHUNK = 4096
# Lines of a window whose offset is chosen for the first pairing.
WINDOW = 64
# How often the evidence is learnt again from the path that was found with it.
ROUNDS = 3

Lines = NDArray[np.int64]


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
    left: Sequence[str], right: Sequence[str], *, vectors: Vectors | None = None
) -> list[LineShift]:
    """Find lines of two line-parallel files that belong to lines of another number.

    The files may be in one language or in two, and may have different numbers of lines. `vectors`
    can have a vector of length 1 for each line of both files, in one space: for languages that
    share few words. If the evidence is weak, nothing is found.

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
    similarity = Similarity(extract_features(left, right), vectors)
    evidence, path = _learn(similarity)
    verification = Verification(evidence, len(left), len(right))
    return [
        _describe(stretch, verification, similarity)
        for stretch in verification.accepted(path)
        if stretch.offset
    ]


def _learn(similarity: Similarity) -> tuple[Evidence, list[Stretch]]:
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


def _first_path(chunks: list[CandidatePairs]) -> list[Stretch]:
    """Return windows, each with the candidate offset of greatest similarity."""
    paths = []
    for chunk in chunks:
        table = np.zeros(chunk.exists.shape)
        for column, (exists, similarities) in enumerate(chunk.similarities()):
            table[exists, column] = similarities.sum(axis=1)
        starts = np.arange(0, len(table), WINDOW)
        best = np.add.reduceat(table, starts).argmax(axis=1)
        paths.append(np.repeat(chunk.offsets[best], WINDOW)[: len(table)])
    return join(np.concatenate(paths))


def _pairs(path: list[Stretch], right: int) -> tuple[Lines, Lines]:
    """Return the lines that a path pairs."""
    kept = [stretch for stretch in path if stretch.offset != NO_PARTNER]
    lefts = np.concatenate([np.zeros(0, np.int64), *(np.arange(s.start, s.stop) for s in kept)])
    offsets = np.repeat(
        np.array([s.offset for s in kept], np.int64), [s.stop - s.start for s in kept]
    )
    rights = lefts + offsets
    exists = (rights >= 0) & (rights < right)
    return lefts[exists], rights[exists]


def _describe(stretch: Stretch, verification: Verification, similarity: Similarity) -> LineShift:
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
