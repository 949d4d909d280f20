"""The first screen in a browser, charts of many systems, and the place of charts."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

import misword
from browser.steps import drawn
from misword.core.types import Result
from pages_made import PAGES, compared
from results_made import HOSTILE

if TYPE_CHECKING:
    from browser.conftest import Open

LONG = "recogniser with a very long name, trained on everything that there is " * 2
SHIFTS = """() => new Promise((done) => {
  let sum = 0;
  new PerformanceObserver((list) => {
    for (const one of list.getEntries()) if (!one.hadRecentInput) sum += one.value;
  }).observe({ type: "layout-shift", buffered: true });
  setTimeout(() => done(sum), 700);
})"""
# The height that the page reserved for each chart, and the height with which it was drawn.
HEIGHTS = """() => [...document.querySelectorAll(".chart")].map((place) => [
  place.closest("figure").id, parseFloat(place.style.minHeight),
  place.querySelector("svg").getBoundingClientRect().height])"""


def test_the_verdict_is_on_the_first_screen(open_page: Open) -> None:
    page = open_page(compared(2, 300), viewport={"width": 420, "height": 800})
    for text in ("300 utterances", "2,400 words", "2 systems", "28 May 2026", "june.txt"):
        assert text in page.locator(".about").inner_text()
    heading = page.locator("h2").first
    assert "system-02 is worse than system-01" in heading.inner_text()
    tile = page.locator(".tile").first
    assert tile.locator(".change").inner_text().startswith("▲")
    assert "worse" in tile.inner_text()
    for place in (heading, tile):
        box = place.bounding_box()
        assert box
        assert box["y"] + box["height"] < 800


def test_a_link_opens_what_is_folded(open_page: Open) -> None:
    page = open_page(PAGES["scores"]())
    assert not page.locator("#cite ~ details pre").is_visible()
    page.get_by_role("link", name="Citing").click()
    page.locator("#cite ~ details pre").wait_for()  # it is opened by an event after the click
    page.goto(f"{page.url.partition('#')[0]}#r0-origin")
    page.reload()
    page.get_by_text("Signatures", exact=True).wait_for()


def test_all_that_is_folded_is_printed(open_page: Open) -> None:
    page = open_page(PAGES["scores"]())
    folds = page.locator("details.fold")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert folds.evaluate_all("all => all.every(one => one.open)")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert not folds.evaluate_all("all => all.some(one => one.open)")


@pytest.mark.parametrize("width", [1280, 420])
@pytest.mark.parametrize("kind", ["scores", "comparison", "correlation", "oracle", "fit", "many"])
def test_charts_are_drawn_in_the_place_that_the_page_reserved(
    open_page: Open, kind: str, width: int
) -> None:
    result = compared(8, 30) if kind == "many" else PAGES[kind]()
    page = open_page(result, viewport={"width": width, "height": 800})
    drawn(page)
    for name, reserved, height in page.evaluate(HEIGHTS):
        assert 0.98 * reserved - 20 <= height <= reserved, name
    assert page.evaluate(SHIFTS) == 0


def test_passages_are_drawn_when_they_are_seen_and_move_nothing(open_page: Open) -> None:
    page = open_page(compared(3, 6, size=1500), viewport={"width": 1280, "height": 900})
    drawn(page)
    cards = page.locator(".passages .card")
    assert cards.count() == 0
    page.locator(".passages").scroll_into_view_if_needed()
    cards.first.wait_for()
    few = cards.count()
    assert few < 10
    page.locator(".passages .cards").evaluate("box => { box.scrollTop = box.scrollHeight; }")
    cards.nth(few).wait_for()
    assert page.evaluate(SHIFTS) == 0


def test_the_rates_of_twenty_systems_are_on_the_first_screen(open_page: Open) -> None:
    page = open_page(compared(20), viewport={"width": 1280, "height": 900})
    drawn(page)
    box = page.locator("#r0-figure-ranking-0 svg").bounding_box()
    assert box
    assert box["y"] + box["height"] < 900


def test_shifts_are_noticed(open_page: Open) -> None:
    page = open_page(PAGES["scores"]())
    page.evaluate(
        "() => { const block = document.createElement('p'); block.style.height = '200px';"
        " requestAnimationFrame(() => document.body.prepend(block)); }"
    )
    assert page.evaluate(SHIFTS) > 0.01


def test_many_systems_stay_readable(open_page: Open) -> None:
    """A row for each system, none over another; cells in place of twenty colours."""
    page = open_page(compared(20), viewport={"width": 1280, "height": 900})
    drawn(page)
    ranking = page.locator("#r0-figure-ranking-0")
    tops = ranking.locator(".mark-symbol.role-mark path").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect().y).sort((a, b) => a - b)"
    )
    assert len(tops) == 20
    assert all(b - a > 15 for a, b in pairwise(tops))
    cells = page.locator("#r0-figure-groups-0 .mark-rect.role-mark path")
    assert cells.count() == 3 * 19


RIGHT = ["a b", "c d"]
UNUSUAL: dict[str, Callable[[], Result]] = {
    "one utterance": lambda: misword.score(["a b c"], ["a x c"], "wer,cer").result(),
    "no errors": lambda: misword.score(RIGHT, {"a": RIGHT, "b": RIGHT}, "wer").result(),
    "no errors compared": lambda: misword.compare(RIGHT, {"a": RIGHT, "b": RIGHT}).result(),
    "nothing to get right": lambda: misword.score(["", ""], ["", "a"], "wer").result(),
    "hostile": lambda: compared(3, 12, HOSTILE),
    "long names": lambda: compared(3, 12, [f"{LONG}{k}" for k in range(3)]),
    "many long names": lambda: compared(8, 12, [f"{LONG}{k}" for k in range(8)]),
}


@pytest.mark.parametrize("name", UNUSUAL)
def test_unusual_results(open_page: Open, name: str) -> None:
    """They are drawn, fit into a narrow screen, and no name becomes an element."""
    page = open_page(UNUSUAL[name](), viewport={"width": 420, "height": 800})
    drawn(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 420
    assert page.locator("h2").first.inner_text().strip()
    assert page.evaluate("window.hacked") is None
    assert page.locator("img").count() == 0


@pytest.mark.parametrize("selector", [".scroll", ".chart"])
def test_what_scrolls_sideways_shows_it(open_page: Open, demo: Result, selector: str) -> None:
    """A shadow at the edge: a background that does not move with the content."""
    page = open_page(demo, viewport={"width": 420, "height": 800})
    style: dict[str, Any] = page.locator(selector).first.evaluate(
        "one => ({ image: getComputedStyle(one).backgroundImage,"
        " moves: getComputedStyle(one).backgroundAttachment })"
    )
    assert style["image"].count("radial-gradient") == 2
    assert style["moves"] == "local, local, scroll, scroll, scroll"


def test_no_column_of_the_list_is_hidden(open_page: Open, demo: Result) -> None:
    page = open_page(demo, viewport={"width": 420, "height": 800})
    cells = page.locator(".list [role=option]").first.locator("> *")
    assert cells.evaluate_all("all => all.every(one => one.offsetWidth > 20)")
