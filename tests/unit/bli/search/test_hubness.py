"""Hubness of both sides from one product, and its lower bounds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from misword.bli.arrays import Float32Array
from misword.bli.search import products
from misword.bli.search.hubness import Hubness, PrunedHubness, hubness, hubness_terms, lower_bounds
from misword.bli.spaces import Space
from misword.embed.vectors.words import WordVectors

Doubles = NDArray[np.float64]


@pytest.fixture(scope="module", autouse=True)
def small_tiles() -> Iterator[None]:
    """Use many small tiles."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(products, "LEAST_ROWS", 16)
        patch.setattr(products, "MOST_ROWS", 16)
        patch.setattr(products, "COLUMNS", 37)
        yield


def brute(rows: Float32Array, others: Float32Array, k: int) -> tuple[Doubles, Doubles]:
    """The mean of the greatest cosines, and the greatest; 0 for rows of zeros."""
    real = others[others.any(axis=1)].astype(np.float64)
    if not len(real):
        return np.zeros(len(rows)), np.zeros(len(rows))
    cosines = -np.sort(-(rows.astype(np.float64) @ real.T), axis=1)
    return cosines[:, :k].mean(axis=1), cosines[:, 0]


def both(
    rng: np.random.Generator, rows: int, columns: int, zero: bool
) -> tuple[Float32Array, Float32Array]:
    sides = []
    for size in (rows, columns):
        side = rng.normal(size=(size, 6)).astype(np.float32)
        side /= np.linalg.norm(side, axis=1, keepdims=True)
        side[: size // 3 * zero] = 0
        sides.append(rng.permutation(side))
    return sides[0], sides[1]


@given(
    st.integers(0, 2**32), st.integers(1, 60), st.integers(1, 90), st.integers(1, 20),
    st.integers(1, 3), st.booleans(),
)  # fmt: skip
def test_hubness_is_brute_force(
    seed: int, rows: int, columns: int, k: int, workers: int, zero: bool
) -> None:
    source, target = both(np.random.default_rng(seed), rows, columns, zero)
    found = hubness(source, target, k, workers)
    for ours, best, own, other in (
        (found.source, found.best_source, source, target),
        (found.target, found.best_target, target, source),
    ):
        truth = brute(own, other, k)
        np.testing.assert_allclose(ours, truth[0], atol=1e-6)
        np.testing.assert_allclose(best, truth[1], atol=1e-6)
        np.testing.assert_allclose(hubness_terms(own, other, k, workers), truth[0], atol=1e-6)


def test_rows_of_zeros_have_no_hubness() -> None:
    none, some = np.zeros((4, 3), np.float32), np.eye(3, dtype=np.float32)
    for found in (hubness(none, some, 2), hubness(some, none, 2), hubness(none, none, 2)):
        assert not any(getattr(found, name).any() for name in Hubness.__slots__)


def test_workers_change_no_bit() -> None:
    source, target = both(np.random.default_rng(8), 500, 700, zero=True)
    one, two = (hubness(source, target, 10, workers) for workers in (1, 3))
    for name in Hubness.__slots__:
        assert getattr(one, name).tobytes() == getattr(two, name).tobytes()


@given(st.integers(0, 2**32), st.integers(1, 200), st.integers(1, 200), st.integers(1, 12))
def test_bounds_lie_below(seed: int, rows: int, columns: int, k: int) -> None:
    source, target = both(np.random.default_rng(seed), rows, columns, zero=False)
    mean, least = lower_bounds(source, target, k)
    assert (mean <= brute(source, target, k)[0] + 1e-6).all()
    assert (np.sum(source @ target.T >= least[:, None] - 1e-6, axis=1) >= min(k, columns)).all()


def test_bounds_are_near_for_real_words(shared: Path) -> None:
    """Loose bounds would prune nothing. Most neighbours of a word are in few clusters."""
    path = shared / "vectors" / "fr.vec.gz"
    rows = Space.of(WordVectors.open(path, max_words=4000, keep=False)).rows
    gap = hubness_terms(rows, rows, 10) - lower_bounds(rows, rows, 10)[0]
    assert gap.min() > -1e-6
    assert gap.mean() < 0.03


@given(st.integers(0, 2**32), st.integers(1, 90), st.integers(1, 90), st.integers(1, 12))
def test_pruning_loses_no_cosine(seed: int, rows: int, columns: int, k: int) -> None:
    """With few principal directions or many, with tight lower bounds or none."""
    rng = np.random.default_rng(seed)
    source, target = both(rng, rows, columns, zero=False)
    source[:: 1 + seed % 5, 3:] = 0  # no length outside the first directions
    pruned = PrunedHubness(source, target)
    truth = brute(source, target, k)[0]
    least = -np.sort(-(source @ target.T), axis=1)[:, min(k, columns) - 1]
    for bounds in (least, np.full(rows, -np.inf, np.float32)):
        np.testing.assert_allclose(pruned.terms(source, bounds, k), truth, atol=1e-6)
