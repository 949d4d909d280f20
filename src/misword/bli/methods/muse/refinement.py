"""MUSE's refinement: a dictionary of close words by CSLS, a rotation from it, and again.

How good a rotation is, is told without a lexicon by the mean cosine of the dictionary that it gives
for the most frequent words (Conneau et al. 2018, section 3.2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from misword.bli.methods import Matrix, Pairs, Run, State
from misword.bli.methods.linear import cross, orthogonal
from misword.bli.methods.vecmap.induction import Induced, induce
from misword.bli.retrievers.csls import CSLS
from misword.bli.search.threads import by_rows, one_blas_thread
from misword.bli.spaces import Space, to_unit
from misword.core.errors import OptionError

Direction = Literal["S2T", "T2S", "S2T&T2S", "S2T|T2S"]
BLOCK = 4096  # rows at a time, whatever the number of workers: the same bits


@dataclass(frozen=True, slots=True)
class Refinement:
    """How to refine: how often, and which pairs make the dictionary.

    `rank`: both words of a pair are among the so many most frequent ones of their language; their
    neighbours, and the hubness terms, are sought in the whole vocabularies. `selection`: so many of
    the most frequent words tell how good a rotation is.
    """

    refinements: int
    rank: int
    csls: int
    dictionary: Direction
    selection: int

    def check(self) -> None:
        """Refuse what cannot be counted."""
        for name, least in (("refinements", 0), ("rank", 1), ("csls", 1), ("selection", 1)):
            if getattr(self, name) < least:
                raise OptionError(f"{name} is {getattr(self, name)}", fix=f"use {least} or more")


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """The best targets, by CSLS, of the first words of a source, and the cosines with them."""

    best: NDArray[np.int64]
    cosines: NDArray[np.float64]

    def mean_cosine(self, words: int) -> float:
        """Of the first so many words, those whose best target is among the first so many too."""
        best, cosines = self.best[:words], self.cosines[:words]
        some = (best >= 0) & (best < words)
        return float(cosines[some].mean()) if some.any() else 0.0

    def pairs(self, rank: int) -> Pairs:
        """Pairs of a word and its best target, both among the first so many."""
        best = self.best[:rank]
        rows = np.flatnonzero((best >= 0) & (best < rank))
        return np.column_stack([rows, best[rows]])


def mapped(rows: Matrix, matrix: Matrix | None, workers: int | None = None) -> Matrix:
    """Rows times a matrix (none: as they are), of length one."""
    made = np.empty((len(rows), rows.shape[1] if matrix is None else matrix.shape[1]), np.float32)

    def work(lo: int, hi: int) -> None:
        if matrix is None:
            made[lo:hi] = rows[lo:hi]
        else:
            np.matmul(rows[lo:hi], matrix, out=made[lo:hi])
        to_unit(made[lo:hi])

    by_rows(work, len(rows), BLOCK, workers)
    return made


def translations(
    source: Matrix, target: Matrix, words: int, csls: int, workers: int | None = None
) -> Found:
    """The best target of each of the first so many rows; -1 for a row of zeros."""
    queries = np.flatnonzero(source[:words].any(axis=1))
    best, cosines = np.full(min(words, len(source)), -1), np.zeros(min(words, len(source)))
    found = CSLS(csls).retrieve(queries, source, target, 1, workers)
    if found.ids.shape[1]:
        best[queries] = found.ids[:, 0]
        cosines[queries] = np.einsum(
            "ij,ij->i", source[queries], target[best[queries]], dtype=np.float64
        )
    return Found(best, cosines)


def dictionary(forward: Found, backward: Found | None, rank: int, direction: Direction) -> Pairs:
    """Pairs of rows: what one direction found, what both did, or what either did."""
    if direction == "S2T" or backward is None:
        return forward.pairs(rank)
    back = backward.pairs(rank)[:, ::-1]
    if direction == "T2S":
        return back
    both = np.concatenate([forward.pairs(rank), back])
    pairs, times = np.unique(both, axis=0, return_counts=True)
    return pairs if direction == "S2T|T2S" else pairs[times == 2]


def rotation(source: Space, target: Space, pairs: Pairs) -> Matrix:
    """The orthogonal map that brings the sources of pairs nearest to their targets."""
    with one_blas_thread():
        return orthogonal(cross(source.rows, target.rows, pairs)).astype(np.float32)


def refine(
    source: Space,
    target: Space,
    matrix: Matrix,
    pairs: int,
    options: Refinement,
    run: Run,
    state: State | None = None,
) -> Matrix:
    """Refine a rotation; gives the best one there was, the first included.

    The best is that of the highest hit@1 on the validation lexicon where there is one, and of the
    highest mean cosine otherwise. `pairs`: how many the first rotation was made from. `state` is
    one that this function saved.
    """
    stays = np.eye(target.dimension, dtype=np.float32)
    now: State = state or {
        "refinement": 0, "pairs": pairs, "matrix": matrix, "best": matrix, "value": -np.inf,
    }  # fmt: skip
    fixed = mapped(target.rows, None, run.workers)
    while True:
        moved = mapped(source.rows, now["matrix"], run.workers)
        last = now["refinement"] == options.refinements
        words = max(options.selection, 0 if last else options.rank)
        forward = translations(moved, fixed, words, options.csls, run.workers)
        close = forward.mean_cosine(options.selection)
        record = {"refinement": now["refinement"], "pairs": now["pairs"], "mean cosine": close}
        hit = run.step(record, now["matrix"], stays)
        value = close if hit is None else hit
        if value > now["value"]:
            now = {**now, "best": now["matrix"], "value": value}
        if last:
            break
        found = _dictionary(moved, fixed, forward, options, run.workers)
        if not len(found):
            break  # nothing to learn from: the best so far is what there is
        now = {
            **now,
            "refinement": now["refinement"] + 1,
            "pairs": len(found),
            "matrix": rotation(source, target, found),
        }
        run.save(now)
    return np.asarray(now["best"])


def agreement(
    source: Space, target: Space, matrix: Matrix, options: Refinement, workers: int | None = None
) -> float:
    """The share of the most frequent words that are the translation of their translation.

    Only the `selection` most frequent words of each language are looked at.
    """
    found = _frequent(source, target, matrix, options, workers)
    some = np.flatnonzero(found.forward >= 0)
    back = found.backward[found.forward[some]]
    return float(np.count_nonzero(back == some) / max(len(some), 1))


def chance(
    source: Space, target: Space, options: Refinement, seed: int, workers: int | None = None
) -> float:
    """The agreement that a random rotation comes to by being refined, among frequent words."""
    normal = np.random.default_rng(seed).standard_normal((source.dimension, source.dimension))
    with one_blas_thread():
        matrix = orthogonal(normal).astype(np.float32)
    for _ in range(options.refinements):
        forward = _frequent(source, target, matrix, options, workers).forward
        some = np.flatnonzero(forward >= 0)
        matrix = rotation(source, target, np.column_stack([some, forward[some]]))
    return agreement(source, target, matrix, options, workers)


def _frequent(
    source: Space, target: Space, matrix: Matrix, options: Refinement, workers: int | None
) -> Induced:
    """The dictionaries of the most frequent words in both directions."""
    words = options.selection
    moved = mapped(source.rows[:words], matrix, workers)
    fixed = mapped(target.rows[:words], None, workers)
    return induce(moved, fixed, csls=options.csls, workers=workers)


def _dictionary(
    moved: Matrix, fixed: Matrix, forward: Found, options: Refinement, workers: int | None
) -> Pairs:
    backward = None
    if options.dictionary != "S2T":
        backward = translations(fixed, moved, options.rank, options.csls, workers)
    return dictionary(forward, backward, options.rank, options.dictionary)
