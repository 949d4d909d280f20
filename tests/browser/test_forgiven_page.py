"""Forgiven differences of writing on the page: blocks, legend, filter, search, section."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import misword
from browser.steps import counted, search
from misword.core.types import Result

if TYPE_CHECKING:
    from browser.conftest import Open

REFERENCES = ["we are going to pay $5 million", "the uh e-mail was good", "nothing here"]
SYSTEMS = {
    "one": ["we're going to pay five million dollars", "the email was good", "nothing here"],
    "two": ["we are going to play 5 million", "the uh um e mail is good", "something here"],
}


@pytest.fixture(scope="module")
def forgiven() -> Result:
    scores = misword.score(
        REFERENCES, SYSTEMS, "wer,cer", forgive="writing", ids=["pay", "mail", "here"]
    )
    return misword.compare(scores, bootstrap=100).result()


def test_blocks_of_two_systems_are_in_one_column(open_page: Open, forgiven: Result) -> None:
    """The words of a block are one column; another system has its own words below it."""
    page = open_page(forgiven)
    search(page, "pay")
    counted(page, 1)
    texts = [column.inner_text().split("\n") for column in page.locator(".column").all()]
    assert [cells[0] for cells in texts] == ["we are", "going", "to", "pay", "$5 million"]
    first, last = page.locator(".column").first, page.locator(".column").last
    block = first.locator(".forgiven")
    assert block.get_attribute("title") == "forgiven, contractions: we're for we are"
    assert block.locator("small").inner_text() == "contractions"
    assert first.locator(".cells .hit").all_inner_texts() == ["we", "are"]
    assert last.locator(".forgiven bdi").inner_text() == "five million dollars"
    assert last.locator(".cells .substitution bdi").inner_text() == "5"
    spoken = page.locator(".unseen li").all_inner_texts()
    assert (
        spoken[0] == "one: we're for we are forgiven; five million dollars for $5 million forgiven"
    )
    assert "forgiven difference of writing" in page.locator(".legend").inner_text()


def test_words_without_a_partner(open_page: Open, forgiven: Result) -> None:
    """A filler that only one side has is a block with one side."""
    page = open_page(forgiven)
    search(page, "mail")
    counted(page, 1)
    columns = page.locator(".column")
    assert columns.locator("> .cell:first-child").all_inner_texts() == [
        "the", "uh", "\u00a0", "e-mail", "was", "good",
    ]  # fmt: skip
    assert columns.nth(1).locator(".forgiven bdi").inner_text() == "∅"
    assert columns.nth(2).locator(".forgiven bdi").inner_text() == "um"


def test_search_and_filter(open_page: Open, forgiven: Result) -> None:
    """Search sees the texts as they are written, also across the ends of blocks."""
    from playwright.sync_api import expect

    page = open_page(forgiven)
    listed = page.locator(".list .id")
    for text, found in {
        "we are going": ["pay"],
        "pay five million dollars": ["pay"],
        "the email was": ["mail"],
        "uh um e mail is": ["mail"],
        "are pay": [],
    }.items():
        search(page, text)
        expect(listed).to_have_text(found)
    page.get_by_role("button", name="Reset").click()
    page.get_by_label("Filter by").select_option(label="forgiven difference of family")
    for family, found in {"numbers": ["pay"], "compounds": ["mail"]}.items():
        page.get_by_label("Family", exact=True).select_option(label=family)
        expect(listed).to_have_text(found)
    assert page.get_by_label("Order by").locator("option", has_text="family").count() == 0


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 360])
def test_the_section_fits(open_page: Open, forgiven: Result, theme: str, width: int) -> None:
    page = open_page(forgiven, viewport={"width": width, "height": 800}, color_scheme=theme)
    section = page.locator("section", has=page.get_by_role("heading", name="Forgiven differences"))
    section.scroll_into_view_if_needed()
    shown = section.inner_text()
    for text in ("without forgiveness, %", "we're", "five million dollars", "Compounds", "∅"):
        assert text in shown
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    grounds = [
        page.locator(f".legend .{kind}").evaluate("one => getComputedStyle(one).backgroundColor")
        for kind in ("forgiven", "substitution")
    ]
    assert grounds[0] != grounds[1]
