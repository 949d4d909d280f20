"""Costs computed without an alignment equal those of the alignment; nearest tokens by cost."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import brute
from misword.alignment import Costs, align
from misword.alignment.distances import closest, distances
from misword.core.types import Tokens

SIZE = 5
rows = st.lists(st.lists(st.integers(0, SIZE - 1), max_size=7), min_size=1, max_size=8)
price = st.integers(0, 12).map(lambda quarters: quarters / 4)
tables = st.tuples(
    st.lists(price, min_size=SIZE * SIZE, max_size=SIZE * SIZE),
    st.lists(price, min_size=SIZE, max_size=SIZE),
    st.lists(price, min_size=SIZE, max_size=SIZE),
).map(lambda found: Costs.table(np.reshape(found[0], (SIZE, SIZE)), found[1], found[2]))


def tokens(lists: list[list[int]]) -> Tokens:
    offsets = np.cumsum([0, *map(len, lists)], dtype=np.int64)
    ids = np.array([token for row in lists for token in row], np.int32)
    return Tokens(ids, offsets, [str(i) for i in range(SIZE)])


def every(refs: list[list[int]], hyps: list[list[int]]) -> np.ndarray:
    return np.array([[r, h] for r in range(len(refs)) for h in range(len(hyps))], np.int64)


@pytest.mark.slow
@given(rows, rows, tables)
def test_distances_are_what_alignments_cost(
    refs: list[list[int]], hyps: list[list[int]], costs: Costs
) -> None:
    sides, pairs = (tokens(refs), tokens(hyps)), every(refs, hyps)
    expected = align(*sides, pairs=pairs, costs=costs).costs
    assert distances(*sides, pairs, costs).tolist() == expected.tolist()
    truth = [brute.weighted(refs[r], hyps[h], costs)[0] for r, h in pairs.tolist()]
    assert expected.tolist() == truth


@pytest.mark.slow
@given(rows, rows, tables, st.integers(1, 9), st.sampled_from([0.0, 2.5, 6.0, np.inf]))
def test_closest_are_the_least_of_all(
    refs: list[list[int]], hyps: list[list[int]], costs: Costs, k: int, limit: float
) -> None:
    sides = tokens(refs), tokens(hyps)
    own = np.arange(len(refs)) % len(hyps)
    found = closest(*sides, costs, k, limit=limit, own=own)
    priced = align(*sides, pairs=every(refs, hyps), costs=costs).costs.reshape(len(refs), -1)
    for r, row in enumerate(priced):
        ordered = sorted((cost, h) for h, cost in enumerate(row) if cost <= limit and h != own[r])
        best = ordered[: found.ids.shape[1]]
        rest = found.ids.shape[1] - len(best)
        assert found.ids[r].tolist() == [h for _, h in best] + [-1] * rest
        assert found.costs[r].tolist() == [cost for cost, _ in best] + [np.inf] * rest


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_workers_change_nothing(workers: int) -> None:
    rng = np.random.default_rng(0)
    lists = [rng.integers(0, SIZE, rng.integers(0, 9)).tolist() for _ in range(300)]
    side, costs = tokens(lists), Costs.table(rng.integers(0, 9, (SIZE, SIZE)) / 4, 1.25, 0.75)
    pairs = rng.integers(0, len(lists), (90_000, 2))
    expected = align(side, side, pairs=pairs, costs=costs, operations=False).costs
    assert (distances(side, side, pairs, costs, workers) == expected).all()
    one, many = (closest(side, side, costs, 4, workers=n) for n in (1, workers))
    assert (one.ids == many.ids).all()
    assert (one.costs == many.costs).all()


def test_nothing_to_measure() -> None:
    none, one = tokens([]), tokens([[0, 1]])
    costs = Costs.table(np.ones((SIZE, SIZE)))
    assert distances(none, none, np.zeros((0, 2), np.int64), costs).tolist() == []
    assert closest(one, none, costs, 3).ids.shape == (1, 0)
    assert closest(none, one, costs, 3).ids.shape == (0, 1)
    assert closest(one, tokens([[]]), costs, 3).costs.tolist() == [[2.0]]


@pytest.mark.parametrize("kind", [np.uint8, np.int32])
@pytest.mark.parametrize("size", [0, 1, 63, 64, 65, 255, 256, 257])
def test_sizes_at_the_edges(kind: type[np.generic], size: int) -> None:
    rng = np.random.default_rng(size)
    lists = [rng.integers(0, SIZE, n).tolist() for n in (size, 0, size, 1)]
    side = replace(tokens(lists), ids=tokens(lists).ids.astype(kind))
    costs = Costs.table(rng.integers(0, 9, (SIZE, SIZE)) / 4, 1.25, 0.75)
    pairs = every(lists, lists)
    truth = [brute.weighted(lists[r], lists[h], costs)[0] for r, h in pairs.tolist()]
    assert distances(side, side, pairs, costs).tolist() == truth
    found = closest(side, side, costs, 4)
    by_row = np.reshape(truth, (4, 4))
    assert found.ids.tolist() == np.argsort(by_row, axis=1, kind="stable").tolist()
    assert found.costs.tolist() == np.sort(by_row, axis=1).tolist()


def test_arguments_that_do_not_fit() -> None:
    one, costs = tokens([[0, 1]]), Costs.table(np.ones((SIZE, SIZE)))
    with pytest.raises(ValueError, match="pairs must be numbers of texts"):
        distances(one, one, np.array([[0, 1]]), costs)
    with pytest.raises(ValueError, match="token ids must be from 0 to 4"):
        distances(one, tokens([[SIZE]]), np.array([[0, 0]]), costs)
    with pytest.raises(ValueError, match="do not cover all 5 tokens"):
        closest(one, one, Costs.table(np.ones((2, 2))), 1)
    with pytest.raises(ValueError, match="1 references, but 2 numbers in own"):
        closest(one, one, costs, 1, own=np.arange(2))
    with pytest.raises(ValueError, match="need a table of costs"):
        closest(one, one, Costs.pairs([0], [1], [0.5], size=SIZE), 1)
