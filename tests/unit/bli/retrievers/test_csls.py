"""CSLS by bounds on real vectors: the full computation's ranks, from part of its terms."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from misword.bli.arrays import Float32Array as Matrix
from misword.bli.retrievers import csls
from misword.bli.retrievers.csls import CSLS
from misword.bli.search.hubness import PrunedHubness
from misword.bli.spaces import Space
from misword.embed.vectors.words import WordVectors

WORDS = 4000
QUERIES = np.arange(7, WORDS, 25)


@pytest.fixture(scope="module")
def sides(shared: Path) -> tuple[Matrix, Matrix]:
    """English and French, mapped by Procrustes over words that are spelled alike."""
    english, french = (
        Space.of(
            WordVectors.open(shared / "vectors" / f"{lang}.vec.gz", max_words=WORDS, keep=False)
        )
        for lang in ("en", "fr")
    )
    rows = french.find(english.words)
    pairs = np.flatnonzero(rows >= 0)
    u, _, v = np.linalg.svd(english.rows[pairs].T @ french.rows[rows[pairs]])
    return english.rows @ (u @ v), french.rows


@pytest.fixture(scope="module")
def scores(sides: tuple[Matrix, Matrix]) -> NDArray[np.float64]:
    """Every score of the queries, from every term, in double precision."""
    source, target = (side.astype(np.float64) for side in sides)
    asked = source[QUERIES] @ target.T
    own = np.sort(asked, axis=1)[:, -10:].mean(axis=1)
    off = np.partition(target @ source.T, WORDS - 10, axis=1)[:, -10:].mean(axis=1)
    full: NDArray[np.float64] = 2 * asked - own[:, None] - off
    return full


@pytest.mark.parametrize("k", [1, 5, 10])
def test_ranks_of_the_full_computation(
    sides: tuple[Matrix, Matrix],
    scores: NDArray[np.float64],
    k: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    learnt = list[int]()
    whole = PrunedHubness.terms

    def counted(
        shadow: PrunedHubness, rows: Matrix, bars: Matrix, k: int, workers: int | None = None
    ) -> Matrix:
        learnt.append(len(rows))
        return whole(shadow, rows, bars, k, workers)

    monkeypatch.setattr(csls, "BOUNDS_FROM", 0)
    monkeypatch.setattr(PrunedHubness, "terms", counted)
    found = CSLS().retrieve(QUERIES, *sides, k)
    best = np.argsort(-scores, axis=1)[:, :k]
    exact = np.take_along_axis(scores, best, 1)
    np.testing.assert_allclose(found.scores, exact, atol=3e-6)
    close = (
        np.abs(np.take_along_axis(scores, found.ids, 1) - exact) < 1e-6
    )  # equal but for rounding
    assert ((found.ids == best) | close).all()
    assert np.mean(found.ids == best) > 0.99
    assert 0 < sum(learnt) < WORDS / 2
