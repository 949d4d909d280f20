"""axe-core on a page: https://github.com/dequelabs/axe-core"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

# Shows all that is folded. axe cannot compute contrasts on a picture, such as the shadows at the
# edges of tables: it gets the colour below.
UNFOLD = """() => {
  for (const one of document.querySelectorAll("details")) one.open = true;
  for (const one of document.querySelectorAll(".scroll, .chart, .table, pre")) {
    one.style.backgroundImage = "none";
  }
}"""
# Charts have their content as text beside them, and are hidden from screen readers.
DRAWINGS = {"exclude": [["svg[aria-hidden=true]"]]}
GRAVE = ("serious", "critical")


def grave_findings(page: Page, theme: str) -> list[str]:
    """Return the serious and critical findings in one theme, each with its first elements."""
    from axe_playwright_python.sync_playwright import Axe

    page.get_by_label("Theme").select_option(theme)
    page.evaluate(UNFOLD)
    found = Axe().run(page, DRAWINGS).response["violations"]
    return [
        f"{one['id']} ({one['impact']}): "
        + " | ".join(
            f"{node['target']} {node['failureSummary'][:160]}" for node in one["nodes"][:3]
        )
        for one in found
        if one["impact"] in GRAVE
    ]
