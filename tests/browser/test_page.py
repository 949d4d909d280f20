"""The report in a browser: it opens from disk, is drawn, and takes no text for code."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from browser.steps import drawn
from misword.core.types import Result
from results_made import HOSTILE, agreement, correlation, robustness, strange

if TYPE_CHECKING:
    from playwright.sync_api import Locator

    from browser.conftest import Open


def test_the_whole_page_is_drawn_without_a_network(open_page: Open, demo: Result) -> None:
    page = open_page([demo, correlation(), agreement({"wer": (0.6, 0.5, 0.7)}), robustness()])
    drawn(page)
    assert "whisper-tiny is better than pocketsphinx" in page.locator("h2").first.inner_text()
    assert page.locator("figure").count() >= 9
    for chart in page.locator(".chart").all():
        assert chart.get_attribute("aria-label")
        assert chart.locator("svg path, svg text").count() > 5


def test_the_first_screen_has_answer_table_and_chart(open_page: Open, demo: Result) -> None:
    page = open_page(demo, viewport={"width": 1280, "height": 900})
    for selector in ("h2", "table", ".chart"):
        box = page.locator(selector).first.bounding_box()
        assert box
        assert box["y"] < 800


def test_tables_sort_by_their_headings(open_page: Open, demo: Result) -> None:
    page = open_page(demo)
    table = page.locator("#r0-confusions ~ * table").first
    before = numbers(table)
    assert before != sorted(before)
    table.get_by_role("button", name="pocketsphinx").click()
    assert numbers(table) == sorted(before)
    table.get_by_role("button", name="pocketsphinx").click()
    assert numbers(table) == sorted(before, reverse=True)
    assert table.locator("th[aria-sort=descending]").count() == 1


def numbers(table: Locator) -> list[int]:
    return [int(text) for text in table.locator("tbody td:nth-child(3)").all_inner_texts()]


@pytest.mark.parametrize("system", ["light", "dark"])
def test_theme(open_page: Open, demo: Result, system: Any) -> None:
    from playwright.sync_api import expect

    page = open_page(demo, color_scheme=system)
    drawn(page)

    def ground() -> str:
        return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))

    chart = page.locator(".chart svg").first
    page.get_by_label("Theme").select_option("light")
    light = ground()
    expect(chart).to_have_css("background-color", light)
    page.get_by_label("Theme").select_option("dark")
    assert ground() != light
    expect(chart).to_have_css("background-color", ground())
    page.get_by_label("Theme").select_option("auto")
    assert (ground() == light) == (system == "light")


def test_theme_is_remembered(open_page: Open, demo: Result) -> None:
    page = open_page(demo, color_scheme="light")
    page.get_by_label("Theme").select_option("dark")
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_no_text_is_taken_for_code(open_page: Open) -> None:
    people = agreement({f"mine:x={HOSTILE[2]}": (0.6, 0.5, 0.7)})
    page = open_page([strange(), correlation([*HOSTILE[:3], "wer"]), people])
    drawn(page)
    for row in page.locator("[role=option]").all():
        row.click()
        row.hover()
    for control in page.locator("select").all():
        for value in control.locator("option").evaluate_all("all => all.map(o => o.value)"):
            control.select_option(value)
    for mark in page.locator(".chart .mark-symbol path, .chart .mark-rect path").all():
        mark.hover(force=True)
    assert page.evaluate("window.hacked") is None
    assert page.locator("img, iframe, object, embed, link, svg [onload]").count() == 0
    assert page.locator("[onmouseover], [onerror]").count() == 0
    body = page.locator("body").inner_text()
    for text in HOSTILE[:4]:
        assert text in body
    assert "49" not in page.locator("h2").first.inner_text()


def test_downloads_of_hostile_charts_are_plain_pictures(open_page: Open, tmp_path: Path) -> None:
    page = open_page(strange())
    drawn(page)
    with page.expect_download() as waiting:
        page.locator("#r0-figure-forest").get_by_role("button", name="as SVG").click()
    assert waiting.value.suggested_filename == "misword-forest.svg"
    waiting.value.save_as(tmp_path / "forest.svg")
    text = (tmp_path / "forest.svg").read_text("utf-8")
    assert text.startswith("<svg")
    assert "<script" not in text
    assert "&lt;script" in text


def test_downloads(open_page: Open, demo: Result, tmp_path: Path) -> None:
    for kind, start in (("SVG", b"<svg"), ("PNG", b"\x89PNG\r\n")):
        page = open_page(demo)  # Chromium drops the eleventh download of a page within a second
        for button in page.get_by_role("button", name=f"as {kind}").all():
            with page.expect_download() as waiting:
                button.click()
            path = tmp_path / waiting.value.suggested_filename
            waiting.value.save_as(path)
            assert path.read_bytes().startswith(start)
            assert path.stat().st_size > 2000


def test_every_control_has_a_name(open_page: Open, demo: Result) -> None:
    page = open_page(demo)
    names = page.locator("input, select, button, summary").evaluate_all(
        "all => all.map(e => e.getAttribute('aria-label') || e.labels?.[0]?.textContent"
        " || e.textContent)"
    )
    assert len(names) > 20
    assert all(name.strip() for name in names)


def test_narrow_screens_do_not_scroll_sideways(open_page: Open, demo: Result) -> None:
    page = open_page(demo, viewport={"width": 360, "height": 740})
    drawn(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
