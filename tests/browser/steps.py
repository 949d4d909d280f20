"""What several tests do to a page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl

from misword.core.types import Result

if TYPE_CHECKING:
    from playwright.sync_api import Page


def scored(utts: list[str], words: pl.DataFrame, metric: str = "wer") -> Result:
    """Scores of as many systems as the words have."""
    systems = words["system"].unique(maintain_order=True).to_list()
    rows = [
        {"utt": utt, "system": name, "rank": 1, f"{metric}.rate": 0.5}
        for name in systems
        for utt in utts
    ]
    tables = {"utterances": pl.DataFrame(rows), "words": words}
    return Result("scores", tables, {"metrics": [metric]})


def ids(page: Page) -> list[str]:
    return page.locator("[role=option] .id").all_inner_texts()


def counted(page: Page, number: int) -> None:
    """Wait until the explorer says that so many utterances are left."""
    from playwright.sync_api import expect

    expect(page.locator(".count")).to_have_text(re.compile(f"^{number:,} of "))


def search(page: Page, text: str) -> None:
    page.get_by_label("Search in ids and texts").fill(text)


def drawn(page: Page) -> None:
    """Until every chart is drawn."""
    for chart in page.locator(".chart").all():
        chart.scroll_into_view_if_needed()
        chart.locator("svg").wait_for()
