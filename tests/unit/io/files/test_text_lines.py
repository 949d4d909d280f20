"""Lines that are decoded when they are read equal those of `str.split`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from misword.io.files import sources
from misword.io.files.sources import TextLines


def expected(text: str) -> list[str]:
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


@given(st.text(alphabet="aé\n 漢\u2028", max_size=40), st.integers(1, 5), st.integers(1, 5))
def test_lines_equal_a_split(text: str, searched: int, decoded: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "SEARCHED", searched)
        patch.setattr(sources, "DECODED", decoded)
        lines, wanted = TextLines(text.encode()), expected(text)
        assert len(lines) == len(wanted)
        assert list(lines) == wanted
        assert lines.column().to_list() == wanted
        assert [lines[at] for at in range(len(wanted))] == wanted
        assert lines[1:4] == wanted[1:4]
        assert lines[::-2] == wanted[::-2]


def test_a_place_after_the_end_is_an_error() -> None:
    with pytest.raises(IndexError):
        TextLines(b"a\n")[1]
