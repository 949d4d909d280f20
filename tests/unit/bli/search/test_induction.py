"""Dictionary induction: brute force, dropout, and settings that must not change the result."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from misword.bli.arrays import Float32Array, RowNumbers
from misword.bli.search import products
from misword.bli.search.hubness import hubness
from misword.bli.search.induction import PartnerSearch, induce
from misword.bli.search.products import Estimates, dropout_keys


@pytest.fixture(scope="module", autouse=True)
def small_tiles() -> Iterator[None]:
    """Use many small tiles."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(products, "LEAST_ROWS", 16)
        patch.setattr(products, "MOST_ROWS", 16)
        patch.setattr(products, "COLUMNS", 37)
        yield


def units(rng: np.random.Generator, rows: int, zeros: int = 0, dimension: int = 12) -> Float32Array:
    matrix = rng.normal(size=(rows, dimension))
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    matrix[rng.permutation(rows)[:zeros]] = 0
    return matrix.astype(np.float32)


def kept(
    own: RowNumbers, others: RowNumbers, keep: float, seed: int, iteration: int, direction: int
) -> NDArray[np.bool_]:
    """Which pairs are kept; direction 0 is from source to target, 1 from target to source."""
    keys = dropout_keys(keep, seed, iteration)
    pair = (own.astype(np.uint64)[:, None] << np.uint64(32)) | others.astype(np.uint64)
    bits = keys[direction] + pair * np.uint64(0x9E3779B97F4A7C15)  # SplitMix64
    for shift, multiplier in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):
        bits = (bits ^ (bits >> np.uint64(shift))) * np.uint64(multiplier)
    below: NDArray[np.bool_] = (bits >> np.uint64(11)) < keys[2]
    return below


def brute(
    x: Float32Array, z: Float32Array, csls: int, keep: float, seed: int, turn: int
) -> tuple[RowNumbers, RowNumbers, float]:
    """Every score, and the dropout of every pair: forward, backward, objective."""
    real = np.flatnonzero(x.any(axis=1)), np.flatnonzero(z.any(axis=1))
    cosines = x[real[0]] @ z[real[1]].T
    found = []
    for direction, scores in enumerate((cosines, cosines.T)):
        own, others = (np.arange(n) for n in scores.shape)
        off = np.sort(scores, axis=0)[::-1][:csls].mean(axis=0) / 2 if csls else 0
        mask = kept(own, others, keep, seed, turn, direction)
        mask[~mask.any(axis=1)] = True
        best = np.full(len((x, z)[direction]), -1)
        best[real[direction]] = real[1 - direction][
            np.where(mask, scores - off, -np.inf).argmax(axis=1)
        ]
        found.append(best)
    objective = (cosines.max(axis=1).mean() + cosines.max(axis=0).mean()) / 2
    return found[0], found[1], float(objective)


@given(
    st.integers(0, 2**32), st.integers(1, 60), st.integers(1, 90), st.sampled_from([0, 1, 3, 10]),
    st.sampled_from([1.0, 0.5, 0.1, 0.01]), st.sampled_from([1, 2]),
    st.sampled_from([None, 0.0, 0.01, 0.3]),
)  # fmt: skip
def test_induction_is_brute_force(
    seed: int, rows: int, columns: int, csls: int, keep: float, workers: int, change: float | None
) -> None:
    """Without earlier hubness terms, and with terms that are the same, similar or wrong."""
    rng = np.random.default_rng(seed)
    x, z = units(rng, rows, rows // 5), units(rng, columns, columns // 7)
    ours = induce(
        x, z, csls=csls, keep=keep, seed=seed, iteration=seed % 7, workers=workers,
        earlier=None if change is None else estimates(x, z, change, rng),
    )  # fmt: skip
    forward, backward, objective = brute(x, z, csls, keep, seed, seed % 7)
    assert ours.forward.tolist() == forward.tolist()
    assert ours.backward.tolist() == backward.tolist()
    assert ours.objective == pytest.approx(objective, abs=1e-6)


def estimates(
    x: Float32Array, z: Float32Array, change: float, rng: np.random.Generator
) -> Estimates:
    """Estimates of the words with a vector: those of the same space, with random errors."""
    known = induce(x, z, keep=0.5).estimates
    halves, bars = (
        tuple((side + change * rng.normal(size=len(side))).astype(np.float32) for side in sides)
        for sides in (known.halves, known.bars)
    )
    return Estimates((halves[0], halves[1]), (bars[0], bars[1]))


def test_estimates_are_half_the_hubness_terms() -> None:
    rng = np.random.default_rng(1)
    x, z = units(rng, 100), units(rng, 90)
    terms = hubness(x, z, 10)
    wrong = estimates(x, z, 0.3, rng)
    for found in (induce(x, z).estimates, induce(x, z, keep=0.2, earlier=wrong).estimates):
        assert np.array_equal(2 * found.halves[0], terms.source)
        assert np.array_equal(2 * found.halves[1], terms.target)


def test_few_words_are_compared_with_all_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Good estimates prove the partners of nearly all words."""
    rng = np.random.default_rng(2)
    x, z = units(rng, 400, dimension=30), units(rng, 500, dimension=30)
    compared = list[int]()
    search = PartnerSearch._best_of_all

    def counted(
        self: PartnerSearch, numbers: RowNumbers, limit: int, workers: int | None
    ) -> RowNumbers:
        compared.append(len(numbers))
        return search(self, numbers, limit, workers)

    monkeypatch.setattr(PartnerSearch, "_best_of_all", counted)
    first = induce(x, z, keep=0.3)
    induce(x, z, keep=0.3, iteration=1, earlier=first.estimates)
    assert sum(compared) < 30


@pytest.mark.slow
@given(st.integers(0, 2**32))
def test_equal_scores_take_the_first_row(seed: int) -> None:
    """Integers give many equal scores without rounding; threads and estimates change nothing."""
    rng = np.random.default_rng(seed)
    x, z = (rng.integers(-1, 2, (n, 3)).astype(np.float32) for n in (70, 90))
    forward, backward, _ = brute(x, z, 0, 0.5, seed, 0)
    for workers in (1, 2, 3):
        ours = induce(x, z, csls=0, keep=0.5, seed=seed, workers=workers)
        assert ours.forward.tolist() == forward.tolist()
        assert ours.backward.tolist() == backward.tolist()


def test_workers_and_estimates_change_no_bit() -> None:
    rng = np.random.default_rng(3)
    x, z = units(rng, 300), units(rng, 400)
    runs = [
        induce(x, z, keep=0.3, seed=5, iteration=2, workers=workers, earlier=earlier)
        for workers in (1, 2, 5)
        for earlier in (None, *(estimates(x, z, change, rng) for change in (0, 0.01, 0.3)))
    ]
    for run in runs[1:]:
        assert run.forward.tolist() == runs[0].forward.tolist()
        assert run.backward.tolist() == runs[0].backward.tolist()
        assert run.objective == runs[0].objective
        for side in (0, 1):
            assert np.array_equal(run.estimates.halves[side], runs[0].estimates.halves[side])


def test_estimates_of_other_words_are_refused() -> None:
    x, z = units(np.random.default_rng(0), 20), units(np.random.default_rng(1), 30)
    with pytest.raises(ValueError, match="other words"):
        induce(x, z, earlier=induce(x, z[:29]).estimates)


def test_rows_of_zeros_have_no_partner() -> None:
    x = units(np.random.default_rng(0), 5)
    nothing = np.zeros((3, 12), np.float32)
    found = induce(x, nothing)
    assert (found.forward.tolist(), found.backward.tolist()) == ([-1] * 5, [-1] * 3)
    assert found.objective == 0.0


@pytest.mark.parametrize("keep", [0.1, 0.4, 0.8])
def test_dropout_is_fair_and_independent(keep: float) -> None:
    """Each key keeps its share of pairs; two keys agree as often as independent draws do."""
    rows = np.arange(1000)
    first = kept(rows, rows, keep, 0, 0, 0)
    others = [kept(rows, rows, keep, *key) for key in ((0, 0, 1), (0, 1, 0), (1, 0, 0), (2, 9, 1))]
    sigma = np.sqrt(keep * (1 - keep) / first.size)
    for mask in (first, *others):
        assert abs(mask.mean() - keep) < 5 * sigma
        by_row, by_column = mask.mean(axis=1), mask.mean(axis=0)
        for means in (by_row, by_column):
            assert np.std(means) == pytest.approx(sigma * np.sqrt(1000), rel=0.15)
    both = keep * keep
    for mask in (*others, first.T[::-1], np.roll(first, 1, axis=1), np.roll(first, 1, axis=0)):
        share = (first & mask).mean()
        assert abs(share - both) < 5 * np.sqrt(both * (1 - both) / first.size)


def test_every_pair_is_kept_at_one() -> None:
    rows = np.arange(500)
    assert kept(rows, rows, 1.0, 3, 4, 1).all()
    assert not kept(rows, rows, 0.0, 3, 4, 1).any()
