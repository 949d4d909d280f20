"""Are the ratios true that README and docs quote? `make bench-check`, in less than five minutes.

The short benchmarks beside the peers (bench/spine.py) are measured again. A page quotes a ratio in
a row of a table that has the column `CPU ratio`, under the title of a table of the benchmark; or in
a sentence, as `66 times jiwer`. The check fails if a quoted ratio is off by more than a third of
the measured one. It ends with the age of every result in bench/results.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import stamps
from quotes import pages

ROOT = Path(__file__).parent.parent
COLUMN = "CPU ratio"
TOLERANCE = 1 / 3
# In a sentence: `66 times jiwer`, `4 times as fast as rapidfuzz`, `50 x jiwer`; it is about words.
SENTENCE = re.compile(
    r"(\d+(?:\.\d+)?)(?: times| ?[x×])(?: as fast as)? (jiwer|rapidfuzz|kaldialign)"
)
SENTENCES = {
    "jiwer": ("Words", "jiwer.process_words"),
    "rapidfuzz": ("Words", "rapidfuzz editops loop"),
    "kaldialign": ("Words", "kaldialign loop"),
}
LEAST = 0.5  # ratios below are those of rows that are faster than the first one by far

Key = tuple[str, str]  # the title of a table, and the name of a row


@dataclass(frozen=True)
class Quote:
    """A ratio that a page quotes."""

    where: str
    key: Key
    ratio: float


def quotes(page: Path) -> Iterator[Quote]:
    """Yield the ratios that a page quotes."""
    title, column = "", None
    where = str(page.relative_to(ROOT)) if page.is_relative_to(ROOT) else page.name
    for number, line in enumerate(page.read_text("utf-8").splitlines(), 1):
        if not line.startswith("|"):
            column = None
            title = line.strip(" #:") or title
            for found in SENTENCE.finditer(line):
                yield Quote(f"{where}:{number}", SENTENCES[found[2]], float(found[1]))
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if COLUMN in cells:
            column = cells.index(COLUMN)
        elif column is not None and re.fullmatch(r"[\d.]+", cells[column]):
            yield Quote(f"{where}:{number}", (title, cells[0]), float(cells[column]))


def wrong(quoted: Iterator[Quote], measured: Mapping[Key, float]) -> Iterator[str]:
    """Yield a line for each quoted ratio that is off by more than a third.

    >>> key = ("Words", "jiwer")
    >>> list(wrong(iter([Quote("README.md:1", key, 66)]), {key: 60}))
    []
    >>> list(wrong(iter([Quote("README.md:1", key, 66)]), {key: 30}))
    ['README.md:1: Words, jiwer: quoted 66, measured 30.0']
    """
    for quote in quoted:
        ratio = measured.get(quote.key)
        if ratio is None or max(ratio, quote.ratio) < LEAST:
            continue
        if abs(quote.ratio - ratio) > TOLERANCE * ratio:
            yield (
                f"{quote.where}: {', '.join(quote.key)}: quoted {quote.ratio:g}, "
                f"measured {ratio:.1f}"
            )


def main() -> int:
    """Measure, compare and print; return 1 if a quoted ratio is not true."""
    import corpus
    import spine

    timings = spine.measured(*corpus.make())
    measured = {
        (title, timing.name): timing.cpu / rows[0].cpu
        for title, rows in timings.items()
        for timing in rows
    }
    quoted = [quote for page in pages() for quote in quotes(page)]
    checked = [quote for quote in quoted if quote.key in measured]
    mistakes = list(wrong(iter(checked), measured))
    print(f"{len(checked)} quoted ratios were measured again, {len(quoted) - len(checked)} not")
    print("\n".join(mistakes or ["all are true within a third"]))
    print(f"\nresults, the oldest first:\n{stamps.ages()}")
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
