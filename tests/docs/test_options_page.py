"""docs/options.md has all options, as they are declared."""

from __future__ import annotations

from options_page import PAGE, page


def test_the_page_is_made_from_the_declarations() -> None:
    assert PAGE.read_text("utf-8") == page(), "run `python tools/options_page.py`"
