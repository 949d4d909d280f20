"""Dictionary induction: brute force, dropout, and settings that must not change the result."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from kernel_switch import use_kernels
from misword.bli.arrays import Float32Array, RowNumbers
from misword.bli.search import tiles
from misword.bli.search.induction import Induced, induce
from misword.bli.search.pair_dropout import dropout_keys, kept_pairs
from misword.bli.search.tiles import TileMemory


@pytest.fixture(params=["plain", "compiled"], scope="module", autouse=True)
def way(request: pytest.FixtureRequest) -> Iterator[str]:
    """Use many small tiles, with plain and with compiled code."""
    with pytest.MonkeyPatch.context() as patch:
        use_kernels(patch, compiled=request.param == "compiled")
        patch.setattr(tiles, "ROWS", 16)
        patch.setattr(tiles, "COLUMNS", 37)
        yield request.param


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
    return kept_pairs(keys[direction], own, others, keys[2])


def brute(
    x: Float32Array, z: Float32Array, csls: int, keep: float, seed: int, turn: int
) -> Induced:
    """Every score, and the dropout of every pair."""
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
    return Induced(found[0], found[1], float(objective))


@given(
    st.integers(0, 2**32), st.integers(1, 60), st.integers(1, 90), st.sampled_from([0, 1, 3, 10]),
    st.sampled_from([1.0, 0.5, 0.1, 0.01]), st.sampled_from([1, 2]), st.integers(0, 30_000),
)  # fmt: skip
def test_induction_is_brute_force(
    seed: int, rows: int, columns: int, csls: int, keep: float, workers: int, memory: int
) -> None:
    rng = np.random.default_rng(seed)
    x, z = units(rng, rows, rows // 5), units(rng, columns, columns // 7)
    ours = induce(
        x, z, csls=csls, keep=keep, seed=seed, iteration=seed % 7, workers=workers, memory=memory
    )
    truth = brute(x, z, csls, keep, seed, seed % 7)
    assert ours.forward.tolist() == truth.forward.tolist()
    assert ours.backward.tolist() == truth.backward.tolist()
    assert ours.objective == pytest.approx(truth.objective, abs=1e-6)


@pytest.mark.slow
@given(st.integers(0, 2**32))
def test_equal_scores_take_the_first_row(seed: int) -> None:
    """Integers give many equal scores without rounding; threads and memory change nothing."""
    rng = np.random.default_rng(seed)
    x, z = (rng.integers(-1, 2, (n, 3)).astype(np.float32) for n in (70, 90))
    truth = brute(x, z, 0, 0.5, seed, 0)
    for workers, memory in ((1, 0), (2, 0), (3, 10_000), (2, 10**6)):
        ours = induce(x, z, csls=0, keep=0.5, seed=seed, workers=workers, memory=memory)
        assert ours.forward.tolist() == truth.forward.tolist()
        assert ours.backward.tolist() == truth.backward.tolist()


def test_workers_and_memory_change_no_bit() -> None:
    rng = np.random.default_rng(3)
    x, z = units(rng, 300), units(rng, 400)
    runs = [
        induce(x, z, keep=0.3, seed=5, iteration=2, workers=workers, memory=memory)
        for workers in (1, 2, 5)
        for memory in (0, 100_000, 10**7)
    ]
    store = TileMemory()
    induce(
        units(rng, 350), z, memory=10**7, tile_memory=store
    )  # a used store changes no later result
    runs += [induce(x, z, keep=0.3, seed=5, iteration=2, memory=10**7, tile_memory=store)]
    for run in runs[1:]:
        assert run.forward.tolist() == runs[0].forward.tolist()
        assert run.backward.tolist() == runs[0].backward.tolist()
        assert run.objective == runs[0].objective


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
