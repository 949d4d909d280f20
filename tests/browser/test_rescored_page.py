"""The page of rescored lists: filters, keys, and the hypotheses with their log-probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from browser.steps import counted, widths
from results_made import HOSTILE, rescored

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from browser.conftest import Open


def shows(page: Page, *utts: str) -> None:
    """Wait until the list has these utterances."""
    from playwright.sync_api import expect

    expect(page.locator(".rescored .list .id")).to_have_text(list(utts))


def test_lists_and_what_models_prefer(open_page: Open) -> None:
    page = open_page(rescored())
    counted(page, 3)
    page.get_by_label("Preferred", exact=True).select_option(label="another hypothesis")
    shows(page, "u2")
    cells = page.locator(".rescored .list .num").all_inner_texts()
    assert cells == ["rank 2", "rank 3"]
    best = page.locator(".rescored td.best").all_inner_texts()
    assert best == ["preferred -1.00", "preferred -2.00"]
    page.get_by_label("Filter by").select_option(label="preferred by big")
    page.get_by_label("Preferred", exact=True).select_option(label="another hypothesis")
    shows(page, "u2", "u1")
    page.locator(".rescored .list").focus()
    page.keyboard.press("End")
    assert page.locator(".rescored .detail h4").inner_text() == "u1"
    page.get_by_role("button", name="Reset").click()
    page.get_by_label("Search in ids and texts").fill("onmouseover")
    shows(page, "u2")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_narrow_page_with_hostile_texts(open_page: Open, scheme: str) -> None:
    page = open_page(rescored(), color_scheme=scheme, viewport={"width": 420, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") == 420
    assert min(widths(page.locator(".rescored .list .row").first.locator("span"))) > 40
    texts = page.locator(".rescored .detail td[dir=auto]").all_inner_texts()
    assert texts == [HOSTILE[0], HOSTILE[1], "c"]
    assert page.evaluate("window.hacked") is None
