"""Time until the page of a large draft can be used, and of its files: `python bench/draft.py`.

30,000 headwords with five candidates each, in headless Chromium from disk. Times of the page are
those of its own clock; medians of five loads. Needs Chromium and the package playwright; writes
bench/results/draft.md.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from misword.bli.draft import Draft, read_judgements
from misword.bli.drafting.rows import Candidate, Headword
from misword.core.signature import Signature
from misword.report import write_report
from report import CHROMIUM, LOADS, load
from timing import machine

RESULTS = Path(__file__).parent / "results" / "draft.md"
HEADWORDS, CANDIDATES = 30_000, 5
TAGS = ("NOUN", "VERB", "ADJ", "ADV", "PROPN")

# JavaScript that is run on the list of the draft `d`; the page is drawn again before the time is
# read.
WORK = {
    "first contentful paint": "return performance.getEntriesByName('first-contentful-paint')[0]"
    ".startTime",
    "first search, right after loading": "d.query.value = 'w12'; d.update()",
    "range of a probability": "d.query.value = ''; choose(f => f.name === 'probability');"
    " d.filters.conditions[0].low.value = '0.5'; d.update()",
    "a part of speech": "choose(f => f.name === 'part of speech');"
    " d.filters.conditions[0].choice.value = '2'; d.update()",
    "order by frequency rank": "d.filters.reset(); d.order.value = '2'; d.update()",
    "a verdict, and the next row": "d.judge(d.list.items[d.list.at], 1)",
    "to the end of the list": "d.list.select(d.rows.size - 1)",
    "1,000 verdicts stored by the browser": "for (let i = 0; i < 1000; i += 1) "
    "d.verdicts.put(i, 1, ''); d.verdicts.write()",
}
TIMED = """() => {{
  const d = misword.drafts[0];
  const choose = (test) => {{
    d.filters.reset();
    const [condition] = d.filters.conditions;
    condition.field.value = String(d.fields.findIndex(test));
    condition.offer();
  }};
  const start = performance.now();
  {work};
  d.list.box.getBoundingClientRect();
  return performance.now() - start;
}}"""


def make_draft() -> Draft:
    """Return a draft of made-up words with falling probabilities."""
    rng = np.random.default_rng(1)
    numbers = rng.integers(HEADWORDS, size=(HEADWORDS, CANDIDATES)).tolist()
    first = np.sort(rng.random(HEADWORDS))[::-1].tolist()
    rows = tuple(
        Headword(
            f"word{row}",
            HEADWORDS - row,
            tuple(
                Candidate(f"mot{number}", best / (place + 1), f"word{number}")
                for place, number in enumerate(of_row)
            ),
            TAGS[row % len(TAGS)],
            f"word{row}",
            best / 2,
        )
        for row, (of_row, best) in enumerate(zip(numbers, first, strict=True))
    )
    return Draft(rows, True, ("en", "fr"), Signature("translate", (("k", str(CANDIDATES)),)))


def seconds(work: Callable[[], Any]) -> float:
    """Return the CPU time of a piece of work."""
    start = time.process_time()
    work()
    return time.process_time() - start


def main() -> None:
    from playwright.sync_api import sync_playwright

    if not Path(CHROMIUM).exists():
        sys.exit("skipped: needs Chromium (apt-get install chromium)")
    draft = make_draft()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        page, book = Path(folder) / "draft.html", Path(folder) / "draft.xlsx"
        lines = [
            f"| page written | {seconds(lambda: write_report([draft.result()], page)):.2f} s |",
            f"| workbook written | {seconds(lambda: draft.write(book)):.2f} s |",
            f"| workbook read | {seconds(lambda: read_judgements(book)):.2f} s |",
            f"| size of the page | {page.stat().st_size / 1e6:.1f} MB |",
        ]
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        loads = [load(browser, page, WORK, TIMED) for _ in range(LOADS)]
        version = browser.version
        browser.close()
    lines += [f"| {name} | {median(one[name] for one in loads):.0f} ms |" for name in loads[0]]
    RESULTS.write_text(
        f"# The page of a large draft\n\n`python bench/draft.py`: {HEADWORDS:,} headwords with "
        f"{CANDIDATES} candidates. Chromium {version.partition('.')[0]}, headless, {machine()}; "
        f"CPU time of the files, medians of {LOADS} loads of the page.\n\n"
        "| | |\n|:--|--:|\n" + "\n".join(lines) + "\n",
        encoding="utf-8",
    )
    print(RESULTS.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
