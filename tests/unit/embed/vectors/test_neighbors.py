"""The running top k equals sorting all products."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

from misword.core.progress import Step, reporting
from misword.core.workers import pieces
from misword.embed.vectors import neighbors
from misword.embed.vectors.neighbors import blocks, nearest, pack_keys, unpack_keys

finite = st.floats(-(2.0**99), 2.0**99, width=32)


@given(
    st.integers(0, 2**32), st.integers(1, 300), st.integers(1, 120), st.integers(1, 200),
    st.integers(1, 9), st.integers(1, 3),
)  # fmt: skip
def test_nearest_is_sorting(
    seed: int, rows: int, k: int, size: int, queries: int, workers: int
) -> None:
    """Whole numbers: many equal products, none of them rounded."""
    rng = np.random.default_rng(seed)
    targets = rng.integers(-2, 3, (rows, 3)).astype(np.float32)
    asked = rng.integers(-2, 3, (queries, 3)).astype(np.float32)
    ids, scores = nearest(asked, blocks(targets, size), k, workers)
    products = asked @ targets.T
    order = np.argsort(-products, axis=1, kind="stable")[:, :k]
    assert ids.tolist() == order.tolist()
    assert np.array_equal(scores, np.take_along_axis(products, order, 1))


@pytest.mark.parametrize("order", [1, -1])
def test_products_that_only_rise_or_fall(order: int) -> None:
    """Rising products all enter the list; the lists must have room for them."""
    targets = np.linspace(-1, 1, 20_000, dtype=np.float32)[::order, None]
    ids, scores = nearest(np.ones((3, 1), np.float32), blocks(targets), 1500)
    best = np.arange(19_999, 18_499, -1) if order == 1 else np.arange(1500)
    assert all(row == best.tolist() for row in ids.tolist())
    assert np.array_equal(scores[0], targets[best, 0])


def test_workers_change_no_bit() -> None:
    rng = np.random.default_rng(0)
    asked, targets = (rng.normal(size=(n, 50)).astype(np.float32) for n in (700, 3000))
    one, two = (nearest(asked, blocks(targets), 100, workers) for workers in (1, 3))
    assert one[0].tobytes() == two[0].tobytes()
    assert one[1].tobytes() == two[1].tobytes()


def test_real_numbers() -> None:
    """Products of another division differ in the last bits: the values agree within rounding."""
    rng = np.random.default_rng(1)
    asked, targets = (rng.normal(size=(n, 60)).astype(np.float32) for n in (300, 9000))
    products = asked.astype(np.float64) @ targets.T.astype(np.float64)
    ids, scores = nearest(asked, blocks(targets), 20)
    best = -np.sort(-products, axis=1)[:, :20]
    np.testing.assert_allclose(scores, best, atol=1e-4)
    np.testing.assert_allclose(np.take_along_axis(products, ids, 1), best, atol=1e-4)


@given(arrays.arrays(np.float32, (1, 20), elements=finite), st.integers(0, 2**32 - 21))
def test_keys_keep_the_order(values: NDArray[np.float32], first: int) -> None:
    """A smaller key has the greater value, or an equal value and the smaller row."""
    keys = pack_keys(values, first)[0]
    order = sorted(range(20), key=lambda at: (-values[0, at], at))
    assert np.argsort(keys, kind="stable").tolist() == order
    rows, back = unpack_keys(keys)
    assert rows.tolist() == list(range(first, first + 20))
    assert np.array_equal(back, values[0])
    assert (keys < neighbors.EMPTY).all()


def test_pieces_hand_out_every_number_once_and_errors_come_back() -> None:
    for workers in (1, 4):
        seen: list[int] = []
        pieces(lambda seen=seen: seen.append, 50, workers)  # type: ignore[misc]
        assert sorted(seen) == list(range(50))
        with pytest.raises(ZeroDivisionError):
            pieces(lambda: lambda number: print(1 // (number - 3)), 5, workers)


def test_pieces_tell_how_far_they_are() -> None:
    told: list[int] = []

    @contextmanager
    def listener(what: str, total: int | None) -> Iterator[Step]:
        assert (what, total) == ("work", 7)
        yield told.append

    with reporting(listener):
        pieces(lambda: lambda number: None, 7, 3, "work")
    assert sum(told) == 7
