"""axe-core finds nothing serious on any page: wide and light, narrow and dark."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from browser.accessibility import grave_findings
from browser.steps import drawn
from misword.report.kinds import KINDS
from pages_made import PAGES, compared

if TYPE_CHECKING:
    from browser.conftest import Open


def test_every_kind_is_tested() -> None:
    assert list(PAGES) == KINDS.names()


@pytest.mark.parametrize("kind", PAGES)
def test_no_serious_findings(open_page: Open, kind: str) -> None:
    page = open_page(PAGES[kind]())
    drawn(page)
    assert grave_findings(page, "light") == []
    page.set_viewport_size({"width": 420, "height": 800})
    assert grave_findings(page, "dark") == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 420


def test_no_serious_findings_with_many_systems(open_page: Open) -> None:
    page = open_page(compared(7, 6, metrics="wer"), viewport={"width": 420, "height": 800})
    drawn(page)
    assert grave_findings(page, "dark") == []


def test_no_serious_findings_with_long_recordings(open_page: Open) -> None:
    page = open_page(compared(4, 6, size=1500), viewport={"width": 1280, "height": 900})
    drawn(page)
    page.locator(".passages").scroll_into_view_if_needed()
    page.locator(".passages .card").first.wait_for()
    assert grave_findings(page, "light") == []
    page.set_viewport_size({"width": 390, "height": 800})
    assert grave_findings(page, "dark") == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_findings_are_found(open_page: Open) -> None:
    """Grey text on white and a button without a name."""
    page = open_page(PAGES["scores"]())
    page.evaluate("document.querySelector('h2').style.color = '#ccc'")
    page.evaluate("document.querySelector('button').replaceChildren()")
    page.evaluate("document.querySelector('button').removeAttribute('aria-label')")
    found = grave_findings(page, "light")
    assert {one.partition(" ")[0] for one in found} == {"color-contrast", "button-name"}
