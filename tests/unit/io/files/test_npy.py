"""Arrays in files: what their headers claim is compared with what is there."""

from __future__ import annotations

import tracemalloc
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from misword.io.files.archives import map_npy, read_npy


def saved(array: Any, **options: Any) -> bytes:
    file = BytesIO()
    np.save(file, array, **options)
    return file.getvalue()


@given(hnp.arrays(st.sampled_from(["<f4", ">f8", "<i8", "u1", "?", "<U3"]), hnp.array_shapes()))
def test_round_trip(array: Any) -> None:
    for kept in (array, np.asfortranarray(array)):
        found = read_npy(saved(kept))
        assert found.dtype == array.dtype
        assert np.array_equal(found, array) or not np.isfinite(array).all()


def test_mapped(tmp_path: Path) -> None:
    array = np.arange(6.0).reshape(2, 3)
    path = tmp_path / "a.npy"
    path.write_bytes(saved(array))
    assert np.array_equal(map_npy(path), array)
    path.write_bytes(saved(array[:0]))
    assert map_npy(path).shape == (0, 3)
    path.write_bytes(saved(array)[:-1])
    with pytest.raises(ValueError, match="48 bytes of numbers are claimed, 47 are there"):
        map_npy(path)


@pytest.mark.parametrize("shape", [b"(4000000000, 300)", b"(99999999999999999999, )", b"(-1, 4)"])
def test_claims_allocate_nothing(shape: bytes) -> None:
    data = saved(np.zeros((2, 4)))
    claimed = data.replace(b"(2, 4), }" + b" " * (len(shape) - 6), shape + b", }")
    assert claimed != data
    tracemalloc.start()
    with pytest.raises(ValueError, match=r"claimed|negative|valid"):
        read_npy(claimed)
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()


def test_objects_and_records_are_refused() -> None:
    with pytest.raises(ValueError, match="an array of type object"):
        read_npy(saved(np.array([None]), allow_pickle=True))
    with pytest.raises(ValueError, match="an array of type"):
        read_npy(saved(np.zeros(2, "i4,f4")))


@given(st.data())
def test_any_change_is_refused_or_read(data: st.DataObject) -> None:
    whole = saved(np.arange(4, dtype=np.float32))
    at, bit = data.draw(st.integers(0, len(whole) - 1)), data.draw(st.integers(0, 7))
    flipped = bytearray(whole)
    flipped[at] ^= 1 << bit
    for content in (bytes(flipped), whole[:at]):
        try:
            read_npy(content)
        except ValueError:
            continue
