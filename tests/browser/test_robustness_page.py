"""The page of robustness: intervals of several encoders at one error rate do not overlap."""

from __future__ import annotations

from typing import TYPE_CHECKING

from browser.steps import drawn
from results_made import HOSTILE, robustness

if TYPE_CHECKING:
    from browser.conftest import Open

ENCODERS = ("mean", "sif", "usif", HOSTILE[0])


def test_each_interval_has_its_own_place(open_page: Open) -> None:
    page = open_page(robustness(ENCODERS), viewport={"width": 420, "height": 900})
    drawn(page)
    chart = page.locator(".chart").first
    boxes = [mark.bounding_box() for mark in chart.locator(".mark-rule.role-mark line").all()]
    places = [round(box["x"]) for box in boxes if box is not None and box["height"] > 5]
    assert len(places) == 3 * len(ENCODERS)
    assert len(set(places)) == len(places)
    labels = chart.locator(".role-axis-label").first.locator("text").all_text_contents()
    assert labels == ["0", "10", "30"]
    assert page.evaluate("window.hacked") is None
