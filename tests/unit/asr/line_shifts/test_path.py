"""The best path equals that of a search over all paths."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from misword.asr.line_shifts.search import (
    NO_PARTNER,
    LineStretch,
    best_path,
    change_cost,
    join_stretches,
)

OFFSETS = np.array([-1, 0, 2])
SCORES = st.lists(st.lists(st.integers(-40, 40), min_size=3, max_size=3), min_size=1, max_size=5)


def value(path: tuple[int, ...], table: np.ndarray) -> float:
    """The score of a path that begins at offset 0."""
    offsets = [*OFFSETS.tolist(), NO_PARTNER]
    cost = change_cost(np.array(offsets), len(table))
    scores = np.column_stack([table, np.zeros(len(table))])
    before, total = 1, 0.0
    for line, state in enumerate(path):
        total += float(scores[line, state]) - (float(cost[state]) if state != before else 0)
        before = state
    return total


def states(stretches: list[LineStretch]) -> tuple[int, ...]:
    offsets = [*OFFSETS.tolist(), NO_PARTNER]
    return tuple(offsets.index(s.offset) for s in stretches for _ in range(s.start, s.stop))


@given(SCORES, st.integers(1, 4))
def test_the_path_has_the_greatest_score(rows: list[list[int]], cut: int) -> None:
    table = np.array(rows, np.float64)
    parts = [part for part in (table[:cut], table[cut:]) if len(part)]
    found = best_path([(OFFSETS, part) for part in parts], len(table))
    best = max(value(path, table) for path in product(range(4), repeat=len(table)))
    assert value(states(found), table) == pytest.approx(best)


def test_offsets_of_the_tables_may_differ() -> None:
    """An offset that the next table does not have ends."""
    first = np.tile([-4.0, 8.0], (20, 1))
    second = np.tile([-4.0, 8.0], (20, 1))
    found = best_path([(np.array([0, 5]), first), (np.array([0, 9]), second)], 40)
    assert found == [LineStretch(0, 20, 5), LineStretch(20, 40, 9)]


def test_no_lines() -> None:
    assert best_path([], 0) == []


def test_stretches() -> None:
    path = np.array([0, 0, 3, 3, 3, 0])
    assert join_stretches(path) == [
        LineStretch(0, 2, 0),
        LineStretch(2, 5, 3),
        LineStretch(5, 6, 0),
    ]


def test_large_offsets_cost_more() -> None:
    near, far, none = change_cost(np.array([1, -500, NO_PARTNER]), 100)
    assert none < near < far
