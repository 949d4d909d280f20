"""Steps that several tests of a page share."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl

from misword.cli.commands.files.report import with_parts
from misword.core.types import Result

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page


def scored(utts: list[str], words: pl.DataFrame, metric: str = "wer") -> Result:
    """Scores of the systems that a table of words has."""
    systems = words["system"].unique(maintain_order=True).to_list()
    rows = [
        {"utt": utt, "system": name, "rank": 1, f"{metric}.rate": 0.5}
        for name in systems
        for utt in utts
    ]
    tables = {"utterances": pl.DataFrame(rows), "words": words}
    return with_parts(Result("scores", tables, {"metrics": [metric]}))


def ids(page: Page) -> list[str]:
    return page.locator("[role=option] .id").all_inner_texts()


def counted(page: Page, number: int) -> None:
    """Wait until the explorer shows this number of utterances."""
    from playwright.sync_api import expect

    expect(page.locator(".count")).to_have_text(re.compile(f"^{number:,} of "))


def search(page: Page, text: str) -> None:
    page.get_by_label("Search in ids and texts").fill(text)


def widths(elements: Locator) -> list[float]:
    """The width of each element; 0 for a hidden one."""
    found = elements.evaluate_all("all => all.map((one) => one.getBoundingClientRect().width)")
    return [float(width) for width in found]


def drawn(page: Page) -> None:
    """Wait until every chart is drawn."""
    for chart in page.locator(".chart").all():
        chart.scroll_into_view_if_needed()
        chart.locator("svg").wait_for()
