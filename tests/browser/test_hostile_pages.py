"""Pages of rescored lists, robustness, realism and drafts, used with texts that look like code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from browser.steps import drawn
from hostile_results import string_columns, with_strange_column
from misword.core.types import Result
from pages_made import PAGES
from results_made import HOSTILE, rescored, robustness

if TYPE_CHECKING:
    from browser.conftest import Open

# Columns whose values misword itself chooses; others of the same result refer to them.
FIXED = {"verdict", "column", "model"}
MADE = {
    "rescored": lambda: rescored(HOSTILE[:2]),
    "robustness": lambda: robustness(HOSTILE),
    "realism": PAGES["realism"],
    "draft": PAGES["draft"],
}


def hostile(kind: str) -> Result:
    """A result of the kind in which every text of a user looks like code."""
    made = MADE[kind]()
    for column in string_columns(made):
        if column not in FIXED:
            made = with_strange_column(made, column, HOSTILE)
    return made


@pytest.mark.parametrize("kind", MADE)
def test_no_text_is_taken_for_code(open_page: Open, kind: str) -> None:
    page = open_page(hostile(kind))
    drawn(page)
    for row in page.locator("[role=option]").all():
        row.click()
    for control in page.locator("select").all():
        for value in control.locator("option").evaluate_all("all => all.map(o => o.value)"):
            if control.is_visible():
                control.select_option(value)
    for mark in page.locator(".chart .mark-symbol path, .chart .mark-rect path").all():
        mark.hover(force=True)
    assert page.evaluate("window.hacked") is None
    assert page.locator("img, iframe, object, embed, link, svg [onload]").count() == 0
    assert page.locator("[onmouseover], [onerror], [onload]").count() == 0
    assert HOSTILE[0] in page.locator("body").inner_text()
