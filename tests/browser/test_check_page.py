"""The page of the findings of checks in a browser: no text is taken for code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import misword
from planted import demo
from results_made import HOSTILE

if TYPE_CHECKING:
    from browser.conftest import Open


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 360])
def test_the_page_is_drawn_and_text_stays_text(open_page: Open, scheme: str, width: int) -> None:
    refs, hyps = demo("en")
    strange = [f"{text}\ufffd" for text in HOSTILE[:3]]
    result = misword.check(refs, {HOSTILE[0]: [*strange, *hyps[3:]]}).result()
    page = open_page(result, color_scheme=scheme, viewport={"width": width, "height": 800})
    assert page.locator("h3").all_inner_texts()[:2] == [
        "The findings one by one", "The checks that were made"
    ]  # fmt: skip
    assert page.evaluate("window.hacked") is None
    assert page.locator("img, iframe, object, embed, link").count() == 0
    body = page.locator("body").inner_text()
    assert all(text in body for text in strange)
    # Wide tables scroll within the page; the page itself does not.
    assert page.evaluate("document.documentElement.scrollWidth") <= width
