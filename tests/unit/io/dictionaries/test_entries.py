"""Entries with all fields: they are the same after a round trip through JSON."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from misword.io.dictionaries.entries import Entry, Equivalent, Example, Sense

texts = st.text(max_size=8)
verdicts = st.sampled_from(("", "accept", "reject"))
numbers = st.integers(0, 10**9)
equivalents = st.builds(
    Equivalent, texts, texts, st.none() | st.floats(0, 1, allow_nan=False), verdicts
)
examples = st.builds(Example, texts, texts, texts)
senses = st.builds(
    Sense,
    st.integers(1, 9),
    st.lists(equivalents, max_size=3).map(tuple),
    texts,
    st.lists(examples, max_size=2).map(tuple),
)
entries = st.builds(
    Entry,
    texts,
    st.lists(senses, max_size=3).map(tuple),
    texts,
    st.lists(texts, max_size=2).map(tuple),
    numbers,
    numbers,
    verdicts,
    texts,
    texts,
)


@given(entries)
def test_json_keeps_every_field(entry: Entry) -> None:
    assert Entry.from_json(json.loads(json.dumps(entry.to_json()))) == entry


def test_fields_that_json_leaves_out_are_empty() -> None:
    found = Entry.from_json({"headword": "ice cream", "senses": [{"number": 1}]})
    assert found == Entry("ice cream", (Sense(1),))


def test_equivalents_of_all_senses() -> None:
    river, money = Sense(1, (Equivalent("rive"),)), Sense(2, (Equivalent("banque"),))
    assert [one.text for one in Entry("bank", (river, money)).equivalents] == ["rive", "banque"]
