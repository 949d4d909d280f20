"""The timeline of a meeting in a browser: turns by click and by button, and audio of a turn."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import misword

if TYPE_CHECKING:
    from collections.abc import Callable

REFERENCE = "r 1 anna 0 4 good morning\nr 1 ben 4 8 fine thanks\n"
HYPOTHESIS = "r 1 s0 0 2 good\nr 1 s1 2 4 morning\nr 1 s1 4 8 fine tanks so\n"


def test_turns_are_shown_by_click_and_by_button(
    open_page: Callable[..., Any], tmp_path: Path
) -> None:
    for name, text in (("ref.stm", REFERENCE), ("hyp.stm", HYPOTHESIS)):
        (tmp_path / name).write_text(text)
    corpus, _ = misword.read_corpus(
        tmp_path / "ref.stm", tmp_path / "hyp.stm", segments="recording"
    )
    page = open_page(misword.score(corpus, metrics="cpwer").result(bootstrap=0))
    place = page.locator(".timeline")
    place.scroll_into_view_if_needed()
    assert place.locator(".lanes").inner_text().split() == ["anna", "s0", "ben", "s1"]
    assert "3 marks of wrong words and 2 of words with the wrong speaker" in place.inner_text()
    canvas = place.locator("canvas")
    box = canvas.bounding_box()
    # The words of ben in the reference are in the second lane, above, in the second half.
    canvas.click(position={"x": 0.6 * box["width"], "y": 54 + 12})
    detail = place.locator(".detail")
    assert "4 to 0:08, turn of the reference" in detail.inner_text()
    assert "fine thanks" in detail.inner_text()
    assert detail.locator(".substitution").all_inner_texts() == ["thanks", "tanks", "so"]
    page.get_by_role("button", name="Next error").click()
    assert detail.locator(".chosen").count() == 1
    painted = canvas.evaluate(
        "c => c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some((v) => v)"
    )
    assert painted
