"""Prices: exact in any order, and the same alignment whichever way it is computed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel_switch import use_kernels
from misword.alignment import Costs, align, costs, engine
from misword.alignment.steps import substitutions
from misword.core.types import Alignment, Op, Tokens
from misword.text.tokens import encode_flat

SIZE = 6
sequences = st.lists(st.integers(0, SIZE - 1), max_size=9)
pairs_of = st.lists(st.tuples(sequences, sequences), min_size=1, max_size=5)
seeds = st.integers(0, 1 << 30)


@contextmanager
def compiled(yes: bool) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        use_kernels(patch, compiled=yes)
        yield


def sides(pairs: list[tuple[list[int], list[int]]]) -> tuple[Tokens, Tokens]:
    found = []
    for side in zip(*pairs, strict=True):
        offsets = np.cumsum([0, *map(len, side)])
        ids = np.array([token for row in side for token in row], np.int32)
        found.append(Tokens(ids, offsets, [str(i) for i in range(SIZE)]))
    return found[0], found[1]


def some_costs(kind: str, seed: int) -> Costs:
    """Prices with many ties and zeros, insertions and deletions even or not."""
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 5, (SIZE, SIZE)) / 2
    even = bool(rng.integers(2))
    edges = [
        np.full(SIZE, rng.integers(0, 4) / 2) if even else rng.integers(0, 4, SIZE) / 2
        for _ in range(2)
    ]
    if kind == "table":
        return Costs.table(table, *edges)
    if kind == "pairs":
        left, right = np.nonzero(table > 1)
        return Costs.pairs(
            left, right, table[left, right], size=SIZE, insertion=edges[0], deletion=edges[1]
        )
    rows = rng.integers(-1, 2, (SIZE, 3)).astype(np.float64)
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    units = (rows / np.where(norms, norms, 1)).astype(np.float32)
    return Costs.vectors(units, norms[:, 0] > 0)


@pytest.mark.parametrize("kind", ["table", "pairs", "vectors"])
@given(pairs=pairs_of, seed=seeds)
def test_both_ways_take_the_same_steps(
    kind: str, pairs: list[tuple[list[int], list[int]]], seed: int
) -> None:
    price = some_costs(kind, seed)
    found: list[Alignment] = []
    for yes in (False, True):
        with compiled(yes):
            found.append(align(*sides(pairs), costs=price))
    assert found[0].all_operations.tolist() == found[1].all_operations.tolist()
    assert found[0].costs.tolist() == found[1].costs.tolist()
    assert found[0].counts.tolist() == found[1].counts.tolist()


@pytest.mark.parametrize("kind", ["table", "vectors"])
@given(seed=seeds)
def test_windows_that_close(kind: str, seed: int) -> None:
    """Long texts with few errors: most of the matrix is never seen."""
    rng = np.random.default_rng(seed)
    size, length = 200, 50
    said = rng.integers(0, size, (4, length))
    heard = np.where(rng.random(said.shape) < 0.85, said, rng.integers(0, size, said.shape))
    kept = rng.random(said.shape) < 0.95
    rows = rng.normal(size=(size, 4))
    rows[1::2] = rows[::2] + rng.normal(size=(size // 2, 4)) * rng.choice([0, 1e-5, 0.1])
    units = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    table = rng.integers(0, 9, (size, size)) / 4
    price = Costs.table(table) if kind == "table" else Costs.vectors(units, rng.random(size) < 0.9)
    words = [str(i) for i in range(size)]
    both = (
        Tokens(said.ravel().astype(np.int32), np.arange(5) * length, words),
        Tokens(heard[kept].astype(np.int32), np.r_[0, np.cumsum(kept.sum(axis=1))], words),
    )
    found = []
    for yes in (False, True):
        with compiled(yes):
            found.append(align(*both, costs=price))
    assert found[0].all_operations.tolist() == found[1].all_operations.tolist()
    assert found[0].costs.tolist() == found[1].costs.tolist()


@pytest.mark.parametrize("kind", ["table", "vectors"])
@given(seed=seeds)
def test_long_pairs_in_segments(kind: str, seed: int) -> None:
    from misword.alignment import weighted_kernels

    rng = np.random.default_rng(seed)
    said = rng.integers(0, SIZE, rng.integers(20, 60))
    heard = np.where(rng.random(len(said)) < 0.6, said, rng.integers(0, SIZE, len(said)))
    pair = [(said.tolist(), heard[rng.random(len(said)) < 0.9].tolist())]
    price = some_costs(kind, seed)
    with compiled(False):
        truth = align(*sides(pair), costs=price)
    step = max(len(said) // 5, 1)
    both = sides(pair)
    job = engine.Job(*both, np.array([[0, 0]]), True, 1)
    guide = job.guide()
    lengths = job.sizes[0]
    scratch = (
        np.empty(lengths[1]), np.empty(lengths[1] + 1),
        np.empty((10, lengths[1] + 1)), np.empty((10, 2), np.int64),
        np.empty(int(lengths.prod()), np.uint8),
    )  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:  # the plain function, with a small segment
        patch.setattr(weighted_kernels, "segment_length", lambda *_: step)
        ops = np.empty(int(lengths.sum()), np.uint8)
        count = np.zeros(4, np.int64)
        total, i, j, end = weighted_kernels.weighted_pair.py_func(  # type: ignore[attr-defined]
            both[0].ids, both[1].ids, float(guide.costs[0] * 3), price.cheapest,
            price.kernel_arguments, scratch, count, ops, len(ops), True,
        )  # fmt: skip
    assert total == truth.costs[0]
    rest = truth.all_operations[i + j :].tolist()
    assert ops[end:].tolist() == rest


@given(seed=seeds)
def test_cosines_are_exact_sums(seed: int) -> None:
    """Rounded vectors have dot products that no order of summing can change."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(SIZE, 300))
    units = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    price = Costs.vectors(units, np.ones(SIZE, np.bool_))
    left, right = np.indices((SIZE, SIZE)).reshape(2, -1)
    found = []
    for yes in (False, True):
        with compiled(yes):
            found.append(price.cosines(left, right))
    exact_rows = [[Fraction(float(value)) for value in row] for row in price.units[:2]]
    truth = [
        float(sum(a * b for a, b in zip(exact_rows[0], row, strict=True))) for row in exact_rows
    ]
    assert found[0].tolist() == found[1].tolist()
    assert found[0][:2].tolist() == truth
    exact = (
        np.einsum("ij,ij->i", rows[left], rows[right])
        / np.linalg.norm(rows[left], axis=1)
        / np.linalg.norm(rows[right], axis=1)
    )
    np.testing.assert_allclose(found[0], exact, atol=1e-7)
    assert (
        price.of(left, right).tolist()
        == price.grid(np.arange(SIZE), np.arange(SIZE)).ravel().tolist()
    )


@given(pairs=pairs_of)
def test_substitutions_both_ways(pairs: list[tuple[list[int], list[int]]]) -> None:
    both = sides(pairs)
    index = np.stack([np.arange(len(pairs))] * 2, axis=1)
    found = []
    for yes in (False, True):
        with compiled(yes):
            alignment = align(*both)
            found.append([column.tolist() for column in substitutions(alignment, *both, index)])
    assert found[0] == found[1]
    pair, left, right = found[0]
    assert np.bincount(pair, minlength=len(pairs)).tolist() == (
        alignment.counts[:, Op.SUBSTITUTION].tolist()
    )
    assert all(a != b for a, b in zip(left, right, strict=True))


def test_prices_are_on_the_grid() -> None:
    from misword.alignment import price_kernels

    assert (price_kernels.STEPS, price_kernels.LEAST) == (costs.STEPS, costs.LEAST)
    table = Costs.table([[0.0, 1.07], [0.73, 0.0]])
    assert (table.prices * 2.0**40 % 1 == 0).all()
    np.testing.assert_allclose(table.prices, [[0.0, 1.07], [0.73, 0.0]], atol=1e-9)


def test_flat_tokens() -> None:
    tokens = encode_flat(["b", "a", "b"], np.array([0, 1, 1, 3]))
    assert [tokens[row] for row in range(3)] == [["b"], [], ["a", "b"]]
