"""Time until the report of a large corpus can be used: `python bench/report.py`.

20,000 utterances of two systems, six metrics, tags and metadata, in headless Chromium from disk.
The time of loading is that of the page's own clock, the fastest of five loads; `interactions` says
what the other times are, medians of five loads. Needs Chromium and the package playwright; writes
bench/results/report.md.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import polars as pl

import corpus
import misword
from interactions import interactions
from misword.core.types import Result
from misword.report import write_report
from misword.report.page import CHARTS, EARLY, OWN, asset
from timing import machine

RESULTS = Path(__file__).parent / "results" / "report.md"
CHROMIUM = "/usr/bin/chromium"
UTTERANCES, LOADS = 20_000, 5
READY = "ready to be used, from the start of loading"
METRICS = "wer,cer,mer,wil,wer-e,ember"
TAGS = ("NOUN", "VERB", "ADJ", "ADP", "DET", "PRON", "ADV", "PROPN")


def make_result() -> Result:
    """Return a comparison of two systems with random tags; the second has 40 % corrected."""
    refs, base = corpus.make(UTTERANCES)
    rng = np.random.default_rng(1)
    corrected = rng.random(len(refs)) < 0.4
    rows = zip(refs, base, corrected, strict=True)
    new = [ref if correct else hyp for ref, hyp, correct in rows]
    words = sorted({word for text in [*refs, *base] for word in text.split()})
    numbers = rng.standard_normal((len(words), 50)).astype(np.float32)
    comparison = misword.compare(
        refs,
        {"base": base, "new": new},
        METRICS,
        vectors=misword.WordVectors.of(words, numbers),
        metadata={
            "speaker": [f"speaker {k:03}" for k in rng.integers(200, size=len(refs))],
            "snr": rng.normal(20, 5, len(refs)).round(1),
        },
    ).result({"misword": misword.__version__})
    tag = (pl.col("reference").fill_null("").hash(seed=0) % len(TAGS)).cast(pl.Int64)
    tagged = tag.replace_strict(dict(enumerate(TAGS)), return_dtype=pl.String)
    tables = {
        name: frame.with_columns(tagged.alias("tag")) if name.startswith("words") else frame
        for name, frame in comparison.tables.items()
    }
    return Result(comparison.kind, tables, comparison.provenance)


def opened(browser: Any, path: Path) -> tuple[Any, dict[str, float]]:
    """Load the page; return it, and the milliseconds until it could be used."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(path.as_uri())
    return page, {READY: page.evaluate("misword.ready")}


def load(browser: Any, path: Path, work_of: dict[str, str], timed: str) -> dict[str, float]:
    """Load the page once; return the milliseconds of everything that is timed."""
    page, times = opened(browser, path)
    for name, work in work_of.items():
        times[name] = page.evaluate(timed.format(work=work))
    page.close()
    return times


def load_report(browser: Any, path: Path) -> dict[str, float]:
    """Load the report once; return the milliseconds of loading and of each interaction."""
    page, times = opened(browser, path)
    times |= interactions(page)
    page.close()
    return times


def main() -> None:
    from playwright.sync_api import sync_playwright

    if not Path(CHROMIUM).exists():
        sys.exit("skipped: needs Chromium (apt-get install chromium)")
    result = make_result()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        path = Path(folder) / "report.html"
        start = time.process_time()
        write_report([result], path)
        written = time.process_time() - start
        size = path.stat().st_size
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        loads = [load_report(browser, path) for _ in range(LOADS)]
        version = browser.version
        browser.close()
    fixed = sum(len(asset(name).encode()) for name in (*CHARTS, *OWN, EARLY, "style.css"))
    lines = [
        f"| processor time of misword | {written:.2f} s |",
        f"| scripts and style in the file | {fixed / 1e6:.2f} MB |",
        f"| data and tables in the file | {(size - fixed) / 1e6:.2f} MB |",
    ]
    # Other work on the machine can only make the loading slower: the fastest counts.
    lines.append(f"| {READY} | {min(one.pop(READY) for one in loads):.0f} ms |")
    lines += [f"| {name} | {median(one[name] for one in loads):.0f} ms |" for name in loads[0]]
    RESULTS.write_text(
        "# The report of a large corpus\n\n"
        f"`python bench/report.py`: {UTTERANCES:,} utterances of two systems, about "
        f"{corpus.WORDS} words each, {METRICS.count(',') + 1} metrics, tags, two metadata columns. "
        f"Chromium {version.partition('.')[0]}, headless, {machine()}; {LOADS} loads: the fastest "
        "loading, and medians of the processor time of each interaction until the next frame is "
        "drawn."
        "\n\n"
        "| | |\n|:--|--:|\n" + "\n".join(lines) + "\n",
        encoding="utf-8",
    )
    print(RESULTS.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
