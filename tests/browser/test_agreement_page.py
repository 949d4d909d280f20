"""The page of agreement with people: the chart, and which metric is wrong on which triplet."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest

import misword
from browser.steps import counted, drawn, ids
from misword.core.types import Result
from results_made import HOSTILE, agreement

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from browser.conftest import Open

# CER prefers what people chose in both; WER is wrong on the first and has a tie on the second.
ROWS = {
    "reference": ["the cat sat on the mat", "so we go home", "he ran off", "empty votes"],
    "hypA": ["the cats sad on the mats", "so we goes home", "he ran of", "empty vote"],
    "votesA": [6, 5, 0, 3],
    "hypB": ["the xylophone sat on the mat", "so we qqqqqq home", "he ran off", "empty notes"],
    "votesB": [1, 2, 7, 3],
}


@cache
def judged() -> Result:
    return misword.agree(ROWS, "wer,cer", bootstrap=20).result()


def choose(page: Page, metric: str, verdict: str) -> None:
    page.get_by_label("Filter by").select_option(label=metric)
    page.get_by_label("Verdict", exact=True).select_option(label=verdict)


def shows(page: Page, *triplets: str) -> None:
    """Wait until the list has these triplets."""
    from playwright.sync_api import expect

    expect(page.locator(".triplets .list .id")).to_have_text(list(triplets))


def test_triplets_that_a_metric_got_wrong(open_page: Open) -> None:
    page = open_page(judged())
    counted(page, 4)
    for metric, verdict, triplets in (
        ("WER", "wrong", ["1"]),
        ("WER", "tie", ["2"]),
        ("WER", "people tied", ["4"]),
        ("CER", "wrong", []),
        ("CER", "right", ["1", "2", "3"]),
    ):
        choose(page, metric, verdict)
        shows(page, *triplets)
    detail = page.locator(".triplets .detail")
    assert "Votes 6 : 1: most people chose a." in detail.inner_text()
    assert detail.locator("td.wrong").all_inner_texts() == ["wrong"]
    first = detail.locator(".alignment .column").nth(1)
    assert first.locator(".cell").all_inner_texts() == ["cat", "catsS", "xylophoneS"]


def test_order_search_and_keys(open_page: Open) -> None:
    """The triplet with the most wrong metrics comes first; the keys go through the list."""
    page = open_page(judged())
    assert ids(page)[0] == "1"
    page.get_by_label("Order by").select_option(label="votes for the majority, %")
    shows(page, "3", "1", "2", "4")
    page.locator(".triplets .list").focus()
    page.keyboard.press("End")
    assert page.locator(".triplets .detail h4").inner_text() == "Triplet 4"
    page.get_by_label("Search in texts").fill("QQQQ")
    shows(page, "2")


@pytest.mark.parametrize("width", [420, 1400])
def test_hostile_texts_without_words(open_page: Open, width: int) -> None:
    """An older result without aligned words shows its texts as they are written."""
    page = open_page(
        agreement({"wer": (0.6, 0.5, 0.7), HOSTILE[0]: (0.7, 0.6, 0.8)}),
        viewport={"width": width, "height": 900},
    )
    drawn(page)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    texts = page.locator(".triplets .texts span").all_inner_texts()
    assert texts == ["reference", HOSTILE[0], "a", HOSTILE[1], "b", HOSTILE[2]]
    assert page.evaluate("window.hacked") is None
    for cell in page.locator(".triplets .list .row").first.locator("span").all():
        assert cell.is_visible()


def test_the_line_of_chance_has_a_name_in_both_themes(open_page: Open) -> None:
    page = open_page(judged(), color_scheme="dark")
    drawn(page)
    label = page.locator(".chart text", has_text="chance, 50 %")
    assert label.count() == 1
    assert label.get_attribute("fill") == page.evaluate(
        "getComputedStyle(document.documentElement).getPropertyValue('--muted').trim()"
    )
