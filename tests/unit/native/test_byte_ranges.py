"""Ranges of bytes, copied one after the other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from misword.native.byte_ranges import gather


@given(st.binary(max_size=30), st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30))))
def test_ranges_are_those_of_slices(data: bytes, cuts: list[tuple[int, int]]) -> None:
    spans = [(min(a, len(data)), min(max(a, b), len(data))) for a, b in cuts]
    starts, ends = (np.array([span[side] for span in spans], np.int64) for side in (0, 1))
    found = gather(np.frombuffer(data, np.uint8), starts, ends - starts)
    assert found.tobytes() == b"".join(data[a:b] for a, b in spans)


@pytest.mark.parametrize(
    ("start", "length"), [(-1, 1), (0, -1), (0, 4), (3, 1), (4, 0), (1, 2**63 - 1), (2**63 - 1, 1)]
)
def test_ranges_outside_of_the_bytes_are_refused(start: int, length: int) -> None:
    with pytest.raises(ValueError, match="within the 3 bytes"):
        gather(np.zeros(3, np.uint8), np.array([0, start]), np.array([3, length]))


def test_as_many_lengths_as_starts() -> None:
    with pytest.raises(ValueError, match="2 starts and 1 lengths"):
        gather(np.zeros(3, np.uint8), np.array([0, 1]), np.array([1]))
