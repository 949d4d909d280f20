"""Dictionaries are read back as they were written, in each format and with any text."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from entries_made import HOSTILE, entry_of
from entries_made import entries as any_entries
from extras import needs
from misword.io.dictionaries.entries import Entry
from misword.io.dictionaries.lexical_markup import escaped, unescaped
from misword.io.dictionaries.read import read_dictionary
from misword.io.dictionaries.writing import WRITTEN, write_dictionary

NEEDS = {".xlsx": ("xlsxwriter", "openpyxl"), ".ttl": ("pyoxigraph",)}
FORMATS = [
    pytest.param(suffix, marks=[needs(name) for name in NEEDS.get(suffix, ())])
    for suffix in WRITTEN
]


def read_back(entries: list[Entry], suffix: str) -> list[Entry]:
    with TemporaryDirectory() as folder:
        path = Path(folder, f"made{suffix}")
        write_dictionary(entries, path, ("en", "fr"), "A <title>\n")
        return list(read_dictionary(path, "en", "fr").entries)


@pytest.mark.parametrize("suffix", FORMATS)
@settings(deadline=None, max_examples=12)
@given(made=st.lists(any_entries, min_size=1, max_size=4))
def test_any_entries_are_read_as_they_were_written(suffix: str, made: list[Entry]) -> None:
    assert read_back(made, suffix) == made


@pytest.mark.parametrize("suffix", FORMATS)
def test_hostile_texts_are_read_as_they_were_written(suffix: str) -> None:
    made = [entry_of(HOSTILE, number) for number in range(len(HOSTILE))]
    assert read_back(made, suffix) == made


@given(st.text(alphabet="\\u0041-\x00\ud800ab", max_size=12))
def test_escapes_can_be_undone(text: str) -> None:
    assert unescaped(escaped(text)) == text
    escaped(text).encode()
