"""Texts of the page that filter the explorer: a click shows the utterances that they are about.

Each text names its conditions in an attribute. The script `chips.js` makes a button of it if the
explorer of the same result has what the conditions name; without scripts it stays text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from misword.core.formatting import group_values
from misword.report.html.markup import Cell, Markup, element

# A condition as `chips.js` reads it.
Condition = tuple[str | None, ...]
# Groups of the explorer's fields, as in `filter.js`.
METADATA, WORDS = "Metadata", "Words"


def field_is(group: str, name: str, value: Any) -> Condition:
    """Return the condition that a field of the explorer has this value."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return ("is", group, name, "" if value is None else text)


def difference_is(
    kind: str, reference: str | None, hypothesis: str | None, system: str | None = None
) -> Condition:
    """Return the condition that a system has this error or forgiven difference; None: any one."""
    return ("difference", kind, reference, hypothesis, system)


def filtering(text: str, *conditions: Condition) -> Markup:
    """Return a text that filters the explorer by conditions."""
    return element("span", text, data_filter=json.dumps(conditions, ensure_ascii=False))


def filter_cell(text: Any, *conditions: Condition) -> Cell:
    """Return a cell of text that filters the explorer by conditions."""
    shown = "" if text is None else str(text)
    return Cell(filtering(shown, *conditions) if shown else shown, is_text=True)


def group_cells(row: Mapping[str, Any], columns: Sequence[str]) -> list[Cell]:
    """Return the cells of a group of utterances: each filters by all values of the group."""
    texts = group_values(row, columns)
    if row.get("total"):
        return [Cell(text, is_text=True) for text in texts]
    conditions = [field_is(METADATA, name, row[name]) for name in columns]
    return [filter_cell(text, *conditions) for text in texts]
