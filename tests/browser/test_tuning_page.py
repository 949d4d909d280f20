"""The pages of tuned weights and of chosen systems in a browser: charts are drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from browser.steps import drawn
from misword.core.types import Result
from results_made import HOSTILE, system_tuning, tuning

if TYPE_CHECKING:
    from browser.conftest import Open


def test_charts_are_drawn(open_page: Open) -> None:
    page = open_page([tuning(), system_tuning()])
    drawn(page)
    assert page.locator("figure").count() == 2
    assert "the tuned weights have WER 22.00" in page.locator("h2").first.inner_text()


@pytest.mark.parametrize("result", [tuning(), system_tuning()], ids=["weights", "systems"])
def test_narrow_screens_do_not_scroll_sideways(open_page: Open, result: Result) -> None:
    page = open_page(result, viewport={"width": 360, "height": 740})
    drawn(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_no_text_is_taken_for_code(open_page: Open) -> None:
    drawn(open_page([tuning(HOSTILE[0], HOSTILE[1]), system_tuning(HOSTILE[:2])]))
