"""The page of a blend in a browser: charts and aligned words are drawn, and text stays text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from browser.steps import drawn
from fits_made import fitted_choices, fitted_ratings, hostile_choices
from misword.core.types import Result
from results_made import HOSTILE

if TYPE_CHECKING:
    from browser.conftest import Open

LONG = ("the cat sat on the mat", "a cat", "the cap")


def test_charts_and_aligned_words_are_drawn(open_page: Open) -> None:
    page = open_page([fitted_choices(), fitted_choices()])
    drawn(page)
    assert page.locator("figure").count() == 6
    blocks = page.locator("[data-aligned] .alignment")
    assert blocks.count() == 4
    first = blocks.first
    assert first.locator(".names .cell").all_inner_texts() == ["reference", "a", "b"]
    assert first.locator(".cell.substitution bdi").all_inner_texts() == ["a cat", "the cap"]
    assert first.locator(".cell.insertion bdi").all_inner_texts() == ["a cat", "the cap"]
    assert page.locator("[data-aligned] .texts").count() == 0
    assert "a cat for the cat; a cat inserted" in page.locator(".unseen li").first.inner_text()


def test_names_are_on_each_line_of_every_alignment(open_page: Open) -> None:
    """All alignments keep their names when the window becomes narrow."""
    from playwright.sync_api import expect

    page = open_page(fitted_choices(texts=LONG), viewport={"width": 1000, "height": 700})
    expect(page.locator(".alignment .names")).to_have_count(2)
    page.set_viewport_size({"width": 300, "height": 700})
    expect(page.locator(".alignment .names")).to_have_count(4)


@pytest.mark.parametrize("result", [fitted_choices(), fitted_ratings()], ids=["choices", "ratings"])
def test_narrow_screens_do_not_scroll_sideways(open_page: Open, result: Result) -> None:
    page = open_page(result, viewport={"width": 360, "height": 740})
    drawn(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_no_text_is_taken_for_code(open_page: Open) -> None:
    page = open_page([hostile_choices(), fitted_ratings()])
    drawn(page)
    for mark in page.locator(".chart .mark-symbol path").all():
        mark.hover(force=True)
    assert page.evaluate("window.hacked") is None
    assert page.locator("img, iframe, object, embed, link, svg [onload]").count() == 0
    assert page.locator("[onmouseover], [onerror]").count() == 0
    body = page.locator("body").inner_text()
    for text in HOSTILE[:3]:
        assert text in body
