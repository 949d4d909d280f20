"""The page of the best hypotheses: the N-best list of an utterance, and the translations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import misword

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.slow


def test_lists_and_translations(open_page: Callable[..., Any]) -> None:
    found = misword.oracle(
        ["le chat dort", "sur le lit"],
        [["le chat", "le <b>chat</b> dort", "le chat dort"], ["sur un lit", "sur le lit"]],
        "wer,cer",
        translations=[["the cat", "the cat", "the cat is asleep"], ["on a bed", "on the bed"]],
        translation_references=["the cat is asleep now", "on the bed"],
        downstream="chrf",
        bootstrap=9,
    )
    page = open_page(found.result())
    assert "What the choice does to the translations" in page.inner_text("main")
    table = page.locator("table.nbest")
    rows = table.locator("tbody tr")
    assert rows.count() == 3
    assert rows.nth(1).locator("td").nth(2).inner_text() == "le <b>chat</b> dort"
    chosen = table.locator("tr.chosen")
    assert chosen.count() == 1
    assert chosen.locator("td").nth(1).inner_text() == "WER, CER"
    page.get_by_label("Search in ids and texts").fill("sur le")
    page.locator("[role=option]").first.click()
    assert rows.count() == 2
