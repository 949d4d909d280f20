"""Words that were split or joined, and words that look alike, on the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import misword

if TYPE_CHECKING:
    from browser.conftest import Open


def test_marks_of_spacing(open_page: Open) -> None:
    result = misword.score(["some thing flat greenhorns"], ["something greenhorn"], "wer").result()
    page = open_page(result)
    cells = page.locator(".column .cell.substitution, .column .cell.deletion")
    marks = [cell.inner_text().replace("\n", " ") for cell in cells.all()]
    assert "S␣" in marks[0]
    assert "spacing (a word split or joined)" in (cells.first.get_attribute("title") or "")
    assert "greenhorn" in marks[-1]
    assert "␣" not in marks[-1]
    assert "a word split or joined" in page.locator(".legend").inner_text()
