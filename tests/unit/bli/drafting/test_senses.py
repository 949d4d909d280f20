"""Candidates are grouped by average linkage, as scipy does it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from misword.bli.drafting.senses import average_linkage


@given(st.integers(0, 2**32), st.integers(2, 10), st.floats(0, 1))
def test_groups_are_those_of_scipy(seed: int, size: int, limit: float) -> None:
    hierarchy = pytest.importorskip("scipy.cluster.hierarchy")
    distance = pytest.importorskip("scipy.spatial.distance")
    vectors = np.random.default_rng(seed).normal(size=(size, 3))
    vectors /= np.linalg.norm(vectors, axis=1)[:, None]
    distances = np.maximum(1 - vectors @ vectors.T, 0)
    distances = (distances + distances.T) / 2
    np.fill_diagonal(distances, 0)
    tree = hierarchy.linkage(distance.squareform(distances), "average")
    expected = hierarchy.fcluster(tree, limit, "distance").tolist()
    assert partition(average_linkage(distances, limit)) == partition(expected)


def partition(groups: list[int]) -> list[int]:
    """Return the groups numbered in the order of their first items."""
    numbers: dict[int, int] = {}
    return [numbers.setdefault(group, len(numbers)) for group in groups]
