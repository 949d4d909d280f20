"""The page of correlations: a scatter plot with axes to choose and dots to click."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

from browser.steps import drawn
from misword.core.types import Result
from results_made import HOSTILE, correlation

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from browser.conftest import Open

SYSTEMS = ("base", HOSTILE[0])


def plotted(ids: list[str], wer: list[float], cer: list[float], *, texts: bool = True) -> Result:
    """Correlations of two metrics with the rates of two systems, the second half as high."""
    rates = pl.concat(
        pl.DataFrame(
            {"utt": ids, "system": name, "wer.rate": wer, "cer.rate": cer},
            schema_overrides={"wer.rate": pl.Float64, "cer.rate": pl.Float64},
        ).with_columns(pl.col("wer.rate", "cer.rate") / (1 + place))
        for place, name in enumerate(SYSTEMS)
    )
    made = correlation(["wer", "cer"])
    tables = {**made.tables, "utterances": rates}
    if texts:
        tables["texts"] = rates.select(
            "utt", "system", reference=pl.lit(HOSTILE[2]), hypothesis=pl.lit(HOSTILE[1])
        )
    return Result("correlation", tables, made.provenance)


IDS = ["one", "two", "three", HOSTILE[3]]
WER, CER = [0.7, 0.7, 0.8, 0.9], [0.1, 0.1, 0.4, 0.2]
SMALL = plotted(IDS, WER, CER)


def click(page: Page, dot: int) -> None:
    """Click on one of the dots, the largest first."""
    page.locator(".scatter .mark-symbol path").nth(dot).click(force=True)


def heading(page: Page) -> str:
    return page.locator(".scatter .detail h4").inner_text()


def test_a_click_shows_the_utterances_of_a_dot(open_page: Open) -> None:
    """A dot of two utterances has a list; texts and rates of the chosen one are shown."""
    page = open_page(SMALL)
    drawn(page)
    assert page.locator(".scatter .mark-symbol path").count() == 3
    click(page, 0)
    assert page.locator(".scatter .count").inner_text() == "WER 70.0 %, CER 10.0 %: 2 utterances"
    assert heading(page) == "one"
    page.locator(".scatter .list").focus()
    page.keyboard.press("ArrowDown")
    assert heading(page) == "two"
    texts = page.locator(".scatter .texts > span").all_inner_texts()
    assert texts == ["reference", HOSTILE[2], "base", HOSTILE[1], HOSTILE[0], HOSTILE[1]]
    assert page.locator(".scatter .detail td").all_inner_texts() == ["70.0", "10.0", "35.0", "5.0"]
    click(page, 1)
    assert heading(page) == "three"
    assert page.locator(".scatter .list").is_hidden()
    assert page.evaluate("window.hacked") is None


def test_axes_and_system_are_chosen_and_use_their_range(open_page: Open) -> None:
    page = open_page(SMALL)
    drawn(page)
    titles = page.locator(".scatter .role-axis-title").all_text_contents()
    assert titles == ["WER, %", "CER, %"]
    labels = page.locator(".scatter .role-axis-label").first.locator("text").all_text_contents()
    assert (labels[0], labels[-1]) == ("70", "90")
    pearson = np.corrcoef(WER, CER)[0, 1]
    assert f"Pearson correlation {pearson:.2f}" in page.locator(".scatter figure h4").inner_text()
    page.get_by_label("Horizontal").select_option(label="CER")
    page.get_by_label("Vertical").select_option(label="WER")
    page.get_by_label("System").select_option(label=HOSTILE[0])
    page.locator(".scatter .role-axis-title text", has_text="WER, %").wait_for()
    assert page.evaluate("misword.scatters[0].plot.domains") == [[4, 20], [34, 46]]


def test_arrow_keys_go_from_dot_to_dot(open_page: Open) -> None:
    page = open_page(SMALL)
    drawn(page)
    page.locator(".scatter .chart").focus()
    found = []
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "ArrowUp", "ArrowLeft"):
        page.keyboard.press(key)
        found.append(heading(page))
    assert found == ["one", "three", HOSTILE[3], "three", "one"]


def test_far_values_are_drawn_at_the_end(open_page: Open) -> None:
    """One value far away does not press the others together, and the page says so."""
    size = 300
    wer = [*np.linspace(0, 0.5, size - 1).tolist(), 9.0]
    page = open_page(plotted([f"u{i}" for i in range(size)], wer, [0.1, 0.2] * (size // 2)))
    drawn(page)
    note = page.locator(".scatter figure .note").inner_text()
    assert note == "1 utterance beyond the axes: drawn at their ends."
    assert page.evaluate("misword.scatters[0].plot.domains[0]") == [0, 50]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_narrow_page_without_texts(open_page: Open, scheme: str) -> None:
    result = plotted(IDS, WER, CER, texts=False)
    page = open_page(result, color_scheme=scheme, viewport={"width": 420, "height": 900})
    drawn(page)
    assert page.evaluate("document.documentElement.scrollWidth") == 420
    click(page, 0)
    assert heading(page) == "one"


def test_twenty_thousand_utterances(open_page: Open) -> None:
    """Utterances at nearly the same place are one dot: the page has far fewer dots."""
    size = 20_000
    rng = np.random.default_rng(0)
    wer = rng.beta(2, 5, size)
    ids = [f"u{i}" for i in range(size)]
    page = open_page(plotted(ids, wer.tolist(), (wer / 2 + rng.normal(0, 0.05, size)).tolist()))
    drawn(page)
    dots = page.locator(".scatter .mark-symbol path").count()
    assert 500 < dots < 110 * 70
    sizes = page.evaluate("misword.scatters[0].plot.dots.map(({ items }) => items.length)")
    assert (len(sizes), sum(sizes)) == (dots, size)


def test_older_results_have_no_scatter_plot(open_page: Open) -> None:
    page = open_page(correlation())
    drawn(page)
    assert page.locator(".scatter").count() == 0
