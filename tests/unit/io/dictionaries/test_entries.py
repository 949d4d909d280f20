"""Entries with all fields: they are the same after a round trip through JSON."""

from __future__ import annotations

import json

from hypothesis import given

from entries_made import entries
from misword.io.dictionaries.entries import Entry, Equivalent, Sense


@given(entries)
def test_json_keeps_every_field(entry: Entry) -> None:
    assert Entry.from_json(json.loads(json.dumps(entry.to_json()))) == entry


def test_fields_that_json_leaves_out_are_empty() -> None:
    found = Entry.from_json({"headword": "ice cream", "senses": [{"number": 1}]})
    assert found == Entry("ice cream", (Sense(1),))


def test_equivalents_of_all_senses() -> None:
    river, money = Sense(1, (Equivalent("rive"),)), Sense(2, (Equivalent("banque"),))
    assert [one.text for one in Entry("bank", (river, money)).equivalents] == ["rive", "banque"]
