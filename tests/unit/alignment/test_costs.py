"""Prices: sums are exact in any order; alignments are those of the full matrix."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import brute
from misword.alignment import Costs, align, kernels
from misword.alignment.engine import steps, substitutions
from misword.core.types import Alignment, Op, Tokens
from misword.text.tokens import encode_flat

SIZE = 6
sequences = st.lists(st.integers(0, SIZE - 1), max_size=9)
pairs_of = st.lists(st.tuples(sequences, sequences), min_size=1, max_size=5)
seeds = st.integers(0, 1 << 30)


def sides(
    pairs: list[tuple[list[int], list[int]]], kind: type[Any] = np.int32, size: int = SIZE
) -> tuple[Tokens, Tokens]:
    found = []
    for side in zip(*pairs, strict=True):
        offsets = np.cumsum([0, *map(len, side)])
        ids = np.array([token for row in side for token in row], kind)
        found.append(Tokens(ids, offsets, [str(i) for i in range(size)]))
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


def check(found: Alignment, pairs: list[tuple[list[int], list[int]]], price: Costs) -> None:
    """Compare an alignment with those of the full matrix."""
    for p, (ref, hyp) in enumerate(pairs):
        cost, ops = brute.weighted(ref, hyp, price)
        assert found.operations(p).tolist() == ops
        assert found.costs[p] == cost
        assert found.counts[p].tolist() == np.bincount(ops, minlength=4).tolist()


@pytest.mark.parametrize("kind", ["table", "pairs", "vectors"])
@given(pairs=pairs_of, seed=seeds)
def test_steps_are_those_of_the_full_matrix(
    kind: str, pairs: list[tuple[list[int], list[int]]], seed: int
) -> None:
    price = some_costs(kind, seed)
    found = align(*sides(pairs), costs=price)
    check(found, pairs, price)
    small = align(*sides(pairs, np.uint8), costs=price, workers=2)
    assert found.all_operations.tolist() == small.all_operations.tolist()
    counted = align(*sides(pairs), costs=price, operations=False)
    assert counted.ops is None
    assert counted.counts.tolist() == found.counts.tolist()
    assert counted.costs.tolist() == found.costs.tolist()


@pytest.mark.parametrize("kind", ["table", "pairs", "vectors"])
@pytest.mark.parametrize("size", [0, 1, 63, 64, 65, 255, 256, 257])
def test_sizes_at_the_edges(kind: str, size: int) -> None:
    rng = np.random.default_rng(size)
    price = some_costs(kind, size + 1)
    said = rng.integers(0, SIZE, size)
    heard = np.where(rng.random(size) < 0.8, said, rng.integers(0, SIZE, size))
    others = [rng.integers(0, SIZE, n).tolist() for n in (0, 1, size)]
    pairs = [(said.tolist(), heard[rng.random(size) < 0.9].tolist())]
    pairs += [(said.tolist(), other) for other in others] + [(others[1], said.tolist())]
    check(align(*sides(pairs), costs=price), pairs, price)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["table", "vectors"])
@given(seed=seeds)
def test_windows_that_close(kind: str, seed: int) -> None:
    """Long texts with few errors: most of the matrix is never computed."""
    rng = np.random.default_rng(seed)
    size, length = 200, 50
    said = rng.integers(0, size, (4, length))
    heard = np.where(rng.random(said.shape) < 0.85, said, rng.integers(0, size, said.shape))
    kept = rng.random(said.shape) < 0.95
    width = int(rng.choice([4, 16, 21]))
    rows = rng.normal(size=(size, width))
    rows[1::2] = rows[::2] + rng.normal(size=(size // 2, width)) * rng.choice([0, 1e-5, 0.1])
    units = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    table = rng.integers(0, 9, (size, size)) / 4
    price = Costs.table(table) if kind == "table" else Costs.vectors(units, rng.random(size) < 0.9)
    pairs = [(said[k].tolist(), heard[k][kept[k]].tolist()) for k in range(len(said))]
    check(align(*sides(pairs, size=size), costs=price), pairs, price)


@pytest.mark.parametrize("kind", ["table", "vectors"])
@given(seed=seeds)
def test_long_pairs_in_segments(kind: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    said = rng.integers(0, SIZE, rng.integers(20, 60))
    heard = np.where(rng.random(len(said)) < 0.6, said, rng.integers(0, SIZE, len(said)))
    pairs = [(said.tolist(), heard[rng.random(len(said)) < 0.9].tolist())]
    price = some_costs(kind, seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "DIRECTION_CELLS", int(rng.integers(0, 500)))
        check(align(*sides(pairs), costs=price), pairs, price)


@pytest.mark.parametrize("kind", ["table", "pairs", "vectors"])
@given(seed=seeds)
def test_prices_of_pairs(kind: str, seed: int) -> None:
    price = some_costs(kind, seed)
    left, right = np.indices((SIZE, SIZE)).reshape(2, -1)
    found = price.of(left, right).tolist()
    assert found == [brute.price(price, *ids) for ids in zip(left, right, strict=True)]


def test_ids_that_have_no_price() -> None:
    price = some_costs("vectors", 0)
    for wrong in ([SIZE], [-1]):
        with pytest.raises(ValueError, match="token ids must be from 0 to 5"):
            price.of(np.array([0]), np.array(wrong))
        with pytest.raises(ValueError, match="token ids must be from 0 to 5"):
            price.cosines(np.array(wrong), np.array([0]))
    with pytest.raises(ValueError, match="2 reference ids, 1 hypothesis ids"):
        price.of(np.array([0, 1]), np.array([0]))
    assert price.of(np.zeros(0, np.int64), np.zeros(0, np.int32)).tolist() == []


def test_vectors_need_a_flag_each() -> None:
    with pytest.raises(ValueError, match="2 vectors, but 1 flags"):
        Costs.vectors(np.eye(2, dtype=np.float32), np.ones(1, np.bool_))


def test_costs_of_another_type() -> None:
    price = some_costs("table", 0)
    wrong = replace(price, prices=price.prices.astype(np.float32))
    with pytest.raises(TypeError, match="needs an array of float64"):
        align(*sides([([0], [1])]), costs=wrong)
    with pytest.raises(TypeError, match="contiguous"):
        replace(price, insertion=np.ones(2 * SIZE)[::2]).of(np.array([0]), np.array([1]))


def test_a_guide_of_other_pairs() -> None:
    both, price = sides([([0, 1], [1]), ([2], [3])]), some_costs("pairs", 0)
    guide = align(*both)
    truth = align(*both, costs=price)
    assert (align(*both, costs=price, guide=guide).all_operations == truth.all_operations).all()
    with pytest.raises(ValueError, match="1 pairs, but an alignment of 2"):
        align(*both, costs=price, guide=guide, pairs=np.array([[0, 0]]))
    with pytest.raises(ValueError, match="guide are not those of the pairs"):
        align(*both, costs=price, guide=guide, pairs=np.array([[1, 1], [0, 0]]))
    unordered = replace(guide, offsets=guide.all_offsets[::-1].copy())
    with pytest.raises(ValueError, match="offsets must rise"):
        align(*both, costs=price, guide=unordered)


@given(seed=seeds)
def test_cosines_are_exact_sums(seed: int) -> None:
    """Rounded vectors have dot products that no order of summing can change."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(SIZE, 300))
    units = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    price = Costs.vectors(units, np.ones(SIZE, np.bool_))
    left, right = np.indices((SIZE, SIZE)).reshape(2, -1)
    found = price.cosines(left, right)
    exact_rows = [[Fraction(float(value)) for value in row] for row in price.units[:2]]
    truth = [
        float(sum(a * b for a, b in zip(exact_rows[0], row, strict=True))) for row in exact_rows
    ]
    assert found[:2].tolist() == truth
    exact = (
        np.einsum("ij,ij->i", rows[left], rows[right])
        / np.linalg.norm(rows[left], axis=1)
        / np.linalg.norm(rows[right], axis=1)
    )
    np.testing.assert_allclose(found, exact, atol=1e-7)


@given(pairs=pairs_of)
def test_substitutions(pairs: list[tuple[list[int], list[int]]]) -> None:
    both = sides(pairs)
    index = np.stack([np.arange(len(pairs))] * 2, axis=1)
    alignment = align(*both)
    found = substitutions(alignment, *both, index)
    every = steps(alignment, *both, index)
    rows = every.ops == Op.SUBSTITUTION
    assert found.pair.tolist() == every.pair[rows].tolist()
    assert found.reference.tolist() == every.reference[rows].tolist()
    assert found.hypothesis.tolist() == every.hypothesis[rows].tolist()


def test_substitutions_of_other_pairs() -> None:
    both = sides([([0, 1], [2, 3]), ([], [3])])
    alignment = align(*both)
    with pytest.raises(ValueError, match="alignment are not those of the pairs"):
        substitutions(alignment, *both, np.array([[1, 1], [0, 0]]))
    counts = alignment.counts.copy()
    counts[1, Op.SUBSTITUTION] = 1
    with pytest.raises(ValueError, match="alignment are not those of the pairs"):
        substitutions(replace(alignment, counts=counts), *both, np.array([[0, 0], [1, 1]]))
    with pytest.raises(ValueError, match="pairs must be numbers of texts"):
        substitutions(alignment, *both, np.array([[0, 2], [0, 0]]))


def test_components_are_rounded_to_steps() -> None:
    rng = np.random.default_rng(0)
    units = (rng.normal(size=(50, 7)) * 10.0 ** rng.integers(-12, 1, (50, 1))).astype(np.float32)
    units[0] = [1, -1, 2**-27, 3 * 2**-27, -(2**-27), 0, 2**-26]
    found = Costs.vectors(units, np.ones(50, np.bool_)).units
    assert found.tolist() == (np.rint(units.astype(np.float64) * 2**26) / 2**26).tolist()
    assert Costs.vectors(units, np.ones(50, np.bool_), overwrite=True).units is units
    assert found.tolist() == units.tolist()


def test_prices_are_on_the_grid() -> None:
    table = Costs.table([[0.0, 1.07], [0.73, 0.0]])
    assert (table.prices * 2.0**40 % 1 == 0).all()
    np.testing.assert_allclose(table.prices, [[0.0, 1.07], [0.73, 0.0]], atol=1e-9)


def test_flat_tokens() -> None:
    tokens = encode_flat(["b", "a", "b"], np.array([0, 1, 1, 3]))
    assert [tokens[row] for row in range(3)] == [["b"], [], ["a", "b"]]
