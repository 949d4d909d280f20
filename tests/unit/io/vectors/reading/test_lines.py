"""Lines of a word and its numbers, parsed by the kernel and line by line."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from misword.io.vectors.reading import Collector, Fault
from misword.io.vectors.text import find_newlines, parse_line, parse_lines, read_vector_lines

# For each line number: the word and the bytes of its row, or what is wrong with the line.
Parsed = dict[int, tuple[bytes, bytes] | Fault]


class Recorder:
    """Keeps what a collector would be given."""

    def __init__(self) -> None:
        self.parsed: Parsed = {}

    def add(
        self,
        text: NDArray[np.uint8],
        lengths: NDArray[np.int64],
        values: NDArray[np.float32],
        places: NDArray[np.int64],
    ) -> None:
        data, ends = text.tobytes(), np.cumsum(lengths)
        for place, length, end, row in zip(places, lengths, ends, values, strict=True):
            self.parsed[int(place)] = data[end - length : end], row.tobytes()

    def add_fault(self, fault: Fault, at: int) -> None:
        self.parsed[at] = fault


def by_kernel(block: bytes, dimension: int) -> tuple[Parsed, int]:
    recorder = Recorder()
    count = parse_lines(block, dimension, 1, cast(Collector, recorder))
    return recorder.parsed, count


def line_by_line(block: bytes, dimension: int) -> tuple[Parsed, int]:
    lines = block.split(b"\n")
    if not lines[-1]:
        lines.pop()
    result: Parsed = {}
    for number, line in enumerate(lines, 1):
        parsed = parse_line(line, dimension)
        if isinstance(parsed, tuple):
            with np.errstate(over="ignore"):
                row = np.array(parsed[2]).astype(np.float32)
            result[number] = line[parsed[0] : parsed[1]], row.tobytes()
        elif parsed is not None:
            result[number] = parsed
    return result, len(lines)


fields = st.sampled_from(
    [b"1", b"-0.25", b"0.123456", b"1.", b".5", b"-", b".", b"+1e5", b"1e", b"1e-400", b"9" * 25,
     b"0.12345678901234", b"-0.123456789012345", b"3.4e38", b"nan", b"1_0", b"\xff", b"\0", b"w",
     b"0.1234567x", b"0.12345678x", b"0x1", b"1-1", b"1.5.2"]
)  # fmt: skip
gaps = st.sampled_from([b" ", b" ", b" ", b"  ", b"\t", b"\n", b"\r\n", b" \n", b"\r", b"\0"])
lines = st.lists(st.tuples(fields, gaps), min_size=1, max_size=60).map(
    lambda pairs: b"".join(field + gap for field, gap in pairs)
)
soup = st.lists(st.sampled_from([bytes([c]) for c in b"0159.-+eE \t\r\n\0a\xc3"]), max_size=90).map(
    b"".join
)


@given(st.one_of(lines, soup, st.binary(max_size=200)).filter(bool), st.integers(1, 4))
@example(b"a 0.5", 1)
@example(b"a -", 1)
@example(b"a 0.", 1)
@example(b"\n", 1)
@example(b"a 1" + b" " * 200 + b"2\n", 2)
@example(b"a " + b"0" * 63 + b" 1", 2)
def test_any_bytes(block: bytes, dimension: int) -> None:
    assert by_kernel(block, dimension) == line_by_line(block, dimension)


@given(st.lists(st.floats(width=32, allow_nan=False), min_size=1, max_size=40), st.data())
def test_numbers_at_any_distance_from_the_end(values: list[float], data: st.DataObject) -> None:
    """The last bytes of a text are parsed without reading beyond it."""
    form = data.draw(st.sampled_from(["{:.4f}", "{:.6f}", "{!r}", "{:e}", "{:.12f}", "{:.0f}"]))
    line = b"w " + b" ".join(form.format(value).encode() for value in values)
    for rest in (b"", b"\n", b"\n\n", b"\nabc", b"\nw " + b"0.5 " * 30):
        block = line + rest
        assert by_kernel(block, len(values)) == line_by_line(block, len(values))


@pytest.mark.parametrize("digits", [1, 7, 8, 9, 13, 14, 15, 16, 17, 18, 19, 20, 100, 100_000])
def test_numbers_of_any_length(digits: int) -> None:
    rng = np.random.default_rng(digits)
    figures = ["".join(map(str, rng.integers(0, 10, digits))) for _ in range(6)]
    one, two, three, four, five, six = figures
    spelt = [f"0.{one}", f"-9.{two}", three, f"0.{'0' * digits}{four}", f"{five}e-{digits}",
             f"{six}.{six}e-{digits}"]  # fmt: skip
    block = f"w {' '.join(spelt)}\nx {' '.join(spelt)}\n".encode()
    assert by_kernel(block, 6) == line_by_line(block, 6)


def test_long_exponents() -> None:
    spelt = [b"1e" + b"9" * 100_000, b"0e" + b"9" * 30, b"1e-" + b"9" * 30, b"1e+" + b"0" * 99]
    for number in spelt:
        block = b"w " + number + b" 0.5\n"
        assert by_kernel(block, 2) == line_by_line(block, 2)


def test_typical_lines_are_left_to_the_kernel() -> None:
    rng = np.random.default_rng(0)
    matrix = rng.normal(0, 0.3, (50, 20)).astype(np.float32)
    for form in ("{:.4f}", "{:.6f}", "{!r}", "{:.8f}", "{:e}", "{:.5g}"):
        spelt = [" ".join(map(form.format, row.tolist())) for row in matrix]
        block = "".join(f"w{i} {row}\n" for i, row in enumerate(spelt)).encode()
        text = np.frombuffer(block, np.uint8)
        ends = find_newlines(text, 1)
        starts = np.concatenate([[0], ends[:-1] + 1])
        _, rows, usual = read_vector_lines(text, starts, ends, 20)
        assert usual.mean() > 0.9
        expected = np.array([row.split() for row in spelt], np.float64).astype(np.float32)
        assert rows[usual].tobytes() == expected[usual].tobytes()


@given(st.binary(max_size=50) | soup, st.integers(0, 5))
def test_newlines(block: bytes, expected: int) -> None:
    found = find_newlines(np.frombuffer(block, np.uint8), expected)
    assert found.tolist() == [place for place, byte in enumerate(block) if byte == 10]


def test_lines_outside_of_the_text_are_refused() -> None:
    text: Any = np.frombuffer(b"a 1\n", np.uint8)
    for start, end in ((-1, 3), (0, 5), (3, 2)):
        with pytest.raises(ValueError, match="within the 4 bytes"):
            read_vector_lines(text, np.array([start]), np.array([end]), 1)
    with pytest.raises(ValueError, match="1 starts and 2 ends"):
        read_vector_lines(text, np.array([0]), np.array([1, 2]), 1)


def test_a_long_number_that_is_none_takes_linear_time() -> None:
    digits = b"1" * 300_000
    assert parse_line(b"word " + digits + b"x", 1) == Fault.NUMBER
    assert parse_line(b"word 0." + digits, 1) == (0, 4, [float("0." + "1" * 30)])
