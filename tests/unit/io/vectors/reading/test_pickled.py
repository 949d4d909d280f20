"""Pickles are read as data: the same values as Python's unpickler gives, and no calls."""

from __future__ import annotations

import collections
import os
import pickle
import pickletools
import struct
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from misword.core.errors import InputError
from misword.io.vectors.pickles import OPERATIONS, PickledCall, array_of, read_pickle
from own_files import Attack

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
values = st.recursive(
    scalars | st.binary(),
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.lists(inner, max_size=5).map(tuple)
        | st.dictionaries(st.text() | st.integers(), inner, max_size=5)
    ),
    max_leaves=20,
)


@given(values, st.integers(0, 5))
def test_plain_values_come_back(value: Any, protocol: int) -> None:
    assert read_pickle(pickle.dumps(value, protocol), "v.kv") == value


@given(st.recursive(scalars, lambda inner: st.lists(inner, max_size=4), max_leaves=9))
def test_shared_values_stay_shared(value: Any) -> None:
    one, other = read_pickle(pickle.dumps([value, value]), "v.kv")
    assert one == other == value
    assert (one is other) or not isinstance(value, list)


@pytest.mark.parametrize("protocol", range(6))
def test_containers_of_other_kinds(protocol: int) -> None:
    counts = collections.defaultdict(int, {"a": 1})
    ordered = collections.OrderedDict([("b", 2)])
    content = {"counts": counts, "ordered": ordered, "set": {3}, "frozen": frozenset([4])}
    found = read_pickle(pickle.dumps(content, protocol), "v.kv")
    assert found == {"counts": {"a": 1}, "ordered": {"b": 2}, "set": [3], "frozen": [4]}


@pytest.mark.parametrize("protocol", range(6))
@pytest.mark.parametrize("dtype", ["<f4", ">f8", "<f2", "<i8", "<u4"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_come_back(protocol: int, dtype: str, order: Any) -> None:
    array = np.arange(12).reshape(3, 4).astype(dtype, order=order)
    found = array_of(read_pickle(pickle.dumps(array, protocol), "v.kv"))
    assert found is not None
    assert found.dtype == array.dtype
    assert np.array_equal(found, array)


def test_arrays_of_objects_and_wrong_sizes_are_refused() -> None:
    objects = read_pickle(pickle.dumps(np.array(["a", None], object)), "v.kv")
    with pytest.raises(ValueError, match="an array of type 'O8'"):
        array_of(objects)
    record = read_pickle(pickle.dumps(np.zeros((2, 2), np.float32), 2), "v.kv")
    for state in (
        (1, (4_000_000_000, 300), *record.state[2:]),
        (1, (-2, -2), *record.state[2:]),
        (1, (2, 2.0), *record.state[2:]),
        (*record.state[:4], [1, 2, 3, 4]),
        (1, (2, 2), None, False, b""),
    ):
        with pytest.raises(ValueError, match=r"bytes|array|type"):
            array_of(PickledCall(record.name, record.arguments, state))
    assert array_of(PickledCall("gensim.x", (), (1, 2, 3, 4, 5))) is None
    assert array_of([1.0]) is None


@pytest.mark.parametrize("protocol", range(6))
def test_nothing_is_called(tmp_path: Path, protocol: int) -> None:
    mark = tmp_path / "ran"
    for attack in (
        Attack(os.system, f"touch {mark}"),
        Attack(eval, f"open({str(mark)!r}, 'w')"),
        Attack(getattr, "text", "upper"),
        [{"inner": (1, Attack(Path.touch, mark))}],
        Attack(open, str(mark), "w"),
    ):
        with pytest.raises(InputError, match=r"the pickle names '[\w.]+', which could run code"):
            read_pickle(pickle.dumps(attack, protocol), "v.kv")
    assert not mark.exists()


def test_the_refused_name_is_told() -> None:
    with pytest.raises(InputError, match=r"'builtins\.eval'"):
        read_pickle(pickle.dumps(eval), "v.kv")
    for module, name in (("os", "system"), ("gensim.\n", "x"), ("numpy", "load")):
        text = b"".join(b"\x8c" + bytes([len(part)]) + part.encode() for part in (module, name))
        with pytest.raises(InputError, match="names"):
            read_pickle(b"\x80\x04" + text + b"\x93.", "v.kv")


def test_known_names_are_inert() -> None:
    """Neither `int` nor a class of gensim is called, and a state has no effect."""
    program = b"\x80\x04cgensim.models.word2vec\nWord2Vec\n)\x81}\x8c\x01aK\x01sb."
    found = read_pickle(program, "v.kv")
    assert isinstance(found, PickledCall)
    assert (found.name, found.attributes) == ("gensim.models.word2vec.Word2Vec", {"a": 1})
    number = read_pickle(b"\x80\x04cbuiltins\nint\n\x8c\x0299\x85R.", "v.kv")
    assert isinstance(number, PickledCall)
    assert number.arguments == ("99",)
    with pytest.raises(InputError, match="damaged"):
        read_pickle(b"\x80\x04}}b.", "v.kv")  # the state of a dictionary


SIZES = {
    "BINBYTES8": b"\x8e" + struct.pack("<Q", 1 << 60),
    "BINUNICODE8": b"\x8d" + struct.pack("<Q", 1 << 60),
    "BYTEARRAY8": b"\x96" + struct.pack("<Q", 1 << 40),
    "BINBYTES": b"B" + struct.pack("<I", (1 << 32) - 1),
    "LONG4": b"\x8b" + struct.pack("<I", (1 << 31) - 1),
    "memo": b"N" + b"r" + struct.pack("<I", (1 << 32) - 1) + b"j" + struct.pack("<I", 5),
    "empty": b"",
    "no mark": b"t.",
    "no stack": b"\x87.",
    "unknown": b"\xff.",
    "long number": b"I" + b"9" * 5000 + b"\n.",
    "deep key": b"(" + b")" + b"\x85" * 200_000 + b"K\x01d.",
}


@pytest.mark.parametrize("name", SIZES)
def test_claims_allocate_nothing(name: str) -> None:
    with pytest.raises(InputError, match="cut off or damaged"):
        read_pickle(b"\x80\x04" + SIZES[name], "v.kv")


def test_large_memo_numbers_take_no_memory() -> None:
    program = b"\x80\x04Nr" + struct.pack("<I", (1 << 32) - 1) + b"."
    assert read_pickle(program, "v.kv") is None


def test_one_text_is_not_encoded_many_times() -> None:
    text = "x" * 5000
    call = b"c_codecs\nencode\nh\x00\x8c\x06latin1\x86R0"
    program = b"\x80\x04X" + struct.pack("<I", len(text)) + text.encode() + b"q\x00" + 100 * call
    with pytest.raises(InputError, match="damaged"):
        read_pickle(program + b".", "v.kv")


@given(st.data())
def test_any_change_is_refused_or_read(data: st.DataObject) -> None:
    whole = pickle.dumps({"index_to_key": ["a", "b"], "vectors": np.ones((2, 2), np.float32)})
    at = data.draw(st.integers(0, len(whole) - 1))
    changed = whole[:at] + bytes([data.draw(st.integers(0, 255))]) + whole[at + 1 :]
    for content in (changed, whole[:at]):
        with suppress(InputError):
            read_pickle(content, "v.kv")


def test_all_operations_of_data_are_known() -> None:
    """Every opcode that `pickle` writes for data, of every protocol."""
    names = {op.name: ord(op.code) for op in pickletools.opcodes}
    refused = {"PERSID", "BINPERSID", "EXT1", "EXT2", "EXT4", "NEXT_BUFFER", "READONLY_BUFFER"}
    missing = {name for name, code in names.items() if code not in OPERATIONS}
    assert missing == {*refused, "STOP", "STRING"}
