"""How the report behaves in a browser, and how accessible it is: `python bench/report_pages.py`.

A comparison of two systems on 20,000 utterances is loaded, used by mouse and keyboard, and scrolled
to its end. First paint, layout shift and the duration of events are those that the browser reports
(the definitions of Lighthouse and Web Vitals). axe-core then examines a small page of each kind of
result, wide and light, and narrow and dark. Needs Chromium and the packages playwright and
axe-playwright-python; writes bench/results/report-pages.md. The command fails if a limit is passed.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

TESTS = Path(__file__).parents[1] / "tests"
sys.path.append(str(TESTS))

from browser.accessibility import grave_findings  # noqa: E402
from misword.report import write_report  # noqa: E402
from pages_made import PAGES, compared  # noqa: E402
from report import CHROMIUM, LOADS, UTTERANCES, make_result  # noqa: E402
from timing import machine  # noqa: E402

RESULTS = Path(__file__).parent / "results" / "report-pages.md"
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
# Limits: milliseconds to the first paint and of one interaction, and the sum of layout shifts.
FIRST_PAINT, INTERACTION, SHIFT = 500, 50, 0.0
# Ten recordings of an hour by four systems: megabytes, and milliseconds until the page can be used.
RECORDINGS, WORDS, SYSTEMS = 10, 9000, 4
MEGABYTES, READY = 3.0, 1000
LIMITS = {
    "first contentful paint": FIRST_PAINT,
    "layout shift, in all": SHIFT,
    "longest handling of a click or key": INTERACTION,
}
PAINT = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
# Collects the layout shifts that no click or key has caused, and the durations of events.
OBSERVE = """() => {
  window.shifts = [];
  window.events = {};
  new PerformanceObserver((list) => {
    for (const one of list.getEntries()) if (!one.hadRecentInput) window.shifts.push(one.value);
  }).observe({ type: "layout-shift", buffered: true });
  new PerformanceObserver((list) => {
    for (const one of list.getEntries()) {
      window.events[one.name] = Math.max(window.events[one.name] ?? 0,
        one.processingEnd - one.processingStart);
    }
  }).observe({ type: "event", buffered: true, durationThreshold: 16 });
}"""
STEPS = 12


def use(page: Any) -> None:
    """Scroll to the end, sort a table, type into the search, and move through the list."""
    for _ in range(STEPS):
        page.mouse.wheel(0, 900)
        page.wait_for_timeout(120)
    page.locator("button.sort:visible").first.click()
    box = page.get_by_label("Search in ids and texts")
    box.click()
    box.press_sequentially("the", delay=60)
    page.wait_for_timeout(400)
    page.locator("[role=option]").nth(2).click()
    for key in ("ArrowDown", "PageDown", "End", "Home"):
        page.keyboard.press(key)
    page.wait_for_timeout(300)


def measure(browser: Any, path: Path) -> dict[str, float]:
    """Load and use the page once; return the figures that have a limit."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(path.as_uri())
    page.evaluate(OBSERVE)
    first_paint = page.evaluate(PAINT)
    page.wait_for_timeout(1500)
    use(page)
    events = page.evaluate("Object.values(window.events)")
    shift = page.evaluate("window.shifts.reduce((a, b) => a + b, 0)")
    page.close()
    return dict(zip(LIMITS, (first_paint, shift, max([0.0, *events])), strict=True))


def measure_recordings(browser: Any, path: Path) -> tuple[float, float]:
    """Return the size of the page of long recordings, and the median time until it can be used."""
    write_report([compared(SYSTEMS, RECORDINGS, size=WORDS)], path)
    times = []
    for _ in range(LOADS):
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(path.as_uri())
        times.append(page.evaluate("misword.ready"))
        page.close()
    return path.stat().st_size / 1e6, median(times)


def examined(browser: Any, path: Path) -> list[str]:
    """Return the serious and critical findings of axe-core in both themes and widths."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(path.as_uri())
    page.wait_for_timeout(1200)
    found = grave_findings(page, "light")
    page.set_viewport_size({"width": 420, "height": 800})
    found += grave_findings(page, "dark")
    page.close()
    return found


def main() -> None:
    from playwright.sync_api import sync_playwright

    if not Path(CHROMIUM).exists():
        sys.exit("skipped: needs Chromium (apt-get install chromium)")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        path = Path(folder) / "report.html"
        write_report([make_result()], path)
        loads = [measure(browser, path) for _ in range(LOADS)]
        recordings = measure_recordings(browser, path)
        findings = {"recordings": examined(browser, path)}
        for kind, make in PAGES.items():
            write_report([make()], path)
            findings[kind] = examined(browser, path)
        version = browser.version.partition(".")[0]
        browser.close()
    figures = {name: median(one[name] for one in loads) for name in loads[0]}
    text = report_text(figures, recordings, findings, version)
    RESULTS.write_text(text, encoding="utf-8")
    print(text)
    for kind, found in findings.items():
        print(*(f"{kind}: {one}" for one in found), sep="\n", end="\n" if found else "")
    beyond = [name for name, limit in LIMITS.items() if figures[name] > limit]
    if recordings[0] > MEGABYTES or recordings[1] > READY:
        beyond.append("long recordings")
    if beyond or any(findings.values()):
        sys.exit(f"beyond the limit: {', '.join(beyond) or 'findings of axe-core'}")


def report_text(
    figures: dict[str, float],
    recordings: tuple[float, float],
    findings: dict[str, list[str]],
    version: str,
) -> str:
    """Return the page of results."""
    kinds = [f"| {kind} | {len(found)} |" for kind, found in findings.items()]
    lines = [
        f"| {name} | {figures[name]:.4f} | {limit:.0f} |"
        if limit == SHIFT
        else f"| {name} | {figures[name]:.0f} ms | {limit} ms |"
        for name, limit in LIMITS.items()
    ]
    return (
        "# The report in a browser\n\n"
        f"`python bench/report_pages.py`: {UTTERANCES:,} utterances of two systems; medians of "
        f"{LOADS} loads. Chromium {version}, headless, {machine()}.\n\n"
        "| | | limit |\n|:--|--:|--:|\n" + "\n".join(lines) + "\n\n"
        f"{RECORDINGS} recordings of {WORDS:,} words by {SYSTEMS} systems: {recordings[0]:.1f} MB "
        f"(limit {MEGABYTES:.0f}), usable {recordings[1]:.0f} ms after the start of loading (limit "
        f"{READY}).\n\n"
        "A search updates the list some time after a key; report.md has the times of updates.\n\n"
        "Serious and critical findings of axe-core on a page of each kind, wide and light, narrow "
        "and dark:\n\n| kind | findings |\n|:--|--:|\n" + "\n".join(kinds) + "\n"
    )


if __name__ == "__main__":
    main()
