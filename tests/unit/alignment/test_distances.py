"""Costs computed without an alignment equal those of the alignment; nearest tokens by cost."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    way: str, refs: list[list[int]], hyps: list[list[int]], costs: Costs
) -> None:
    sides, pairs = (tokens(refs), tokens(hyps)), every(refs, hyps)
    expected = align(*sides, pairs=pairs, costs=costs).costs
    assert distances(*sides, pairs, costs).tolist() == expected.tolist()


@pytest.mark.slow
@given(rows, rows, tables, st.integers(1, 9), st.sampled_from([0.0, 2.5, 6.0, np.inf]))
def test_closest_are_the_least_of_all(
    way: str, refs: list[list[int]], hyps: list[list[int]], costs: Costs, k: int, limit: float
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


def test_nothing_to_measure(way: str) -> None:
    none, one = tokens([]), tokens([[0, 1]])
    costs = Costs.table(np.ones((SIZE, SIZE)))
    assert distances(none, none, np.zeros((0, 2), np.int64), costs).tolist() == []
    assert closest(one, none, costs, 3).ids.shape == (1, 0)
    assert closest(none, one, costs, 3).ids.shape == (0, 1)
    assert closest(one, tokens([[]]), costs, 3).costs.tolist() == [[2.0]]
