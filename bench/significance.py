"""Time and memory of significance tests: `python bench/significance.py`.

The paired bootstrap of 20,000 utterances, with counts (many utterances have equal counts) and with
numbers that are all distinct; MAPSSWE, disfluencies and contrasts of 100,000 utterances. Times are
the best of a few runs. Memory is the peak above the memory before, in a run of
its own, without the memory of polars. Writes bench/results/significance.md.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import corpus
import misword
from misword.asr.comparison.worsened import contrast
from misword.core.types import Statistics
from misword.stat.bootstrap import Bootstrap
from misword.stat.mapsswe import from_words, mapsswe
from misword.stat.measure import ratio
from misword.stat.paired import by_block, paired
from misword.text.disfluencies import disfluencies
from timing import clock, machine

RESULTS = Path(__file__).parent / "results" / "significance.md"
UTTERANCES, RESAMPLES, SPEAKERS = 20_000, 1000, 50


def rate(terms: Statistics) -> Statistics:
    return ratio(terms[..., 0], terms[..., 1])


def peak(work: Callable[[], Any]) -> float:
    """Return the MB that a run needs at its peak, without its input."""
    tracemalloc.start()
    work()
    _, greatest = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return greatest / 2**20


def row(name: str, size: str, work: Callable[[], Any]) -> str:
    timing = clock(name, size, work, 3)
    return f"| {name} | {size} | {timing.cpu:.3f} | {timing.wall:.3f} | {peak(work):.1f} |"


def bootstrap() -> list[str]:
    rng = np.random.default_rng(0)
    words = rng.poisson(19, UTTERANCES) + 1
    error_rates = rng.beta(2, 11, UTTERANCES)
    before, after = (np.stack([rng.binomial(words, error_rates * f), words], 1) for f in (1, 0.95))
    ones = np.ones(UTTERANCES)
    first, second = (np.stack([rng.beta(2, 11, UTTERANCES), ones], 1) for _ in range(2))
    speaker = rng.integers(SPEAKERS, size=UTTERANCES)

    def blocks() -> None:
        paired(by_block(before, speaker), by_block(after, speaker), rate, Bootstrap(RESAMPLES))

    size = f"{UTTERANCES:,} utterances x {RESAMPLES:,}"
    return [
        row(
            "bootstrap, counts",
            size,
            lambda: paired(before, after, rate, Bootstrap(RESAMPLES)),
        ),
        row(
            "bootstrap, all distinct",
            size,
            lambda: paired(first, second, rate, Bootstrap(RESAMPLES)),
        ),
        row(f"bootstrap of {SPEAKERS} blocks", size, blocks),
    ]


def segments(refs: list[str], one: list[str]) -> list[str]:
    rng = np.random.default_rng(1)
    same = rng.random(len(refs)) < 0.9
    two = [hyp if keep else ref for hyp, ref, keep in zip(one, refs, same, strict=True)]
    words = misword.score(refs, {"one": one, "two": two}, "wer").words()
    errors = from_words(words, "one", "two")
    size = f"{len(refs):,} utterances"
    return [
        row("MAPSSWE", size, lambda: mapsswe(*errors)),
        row(
            "MAPSSWE, of a table of words", size, lambda: mapsswe(*from_words(words, "one", "two"))
        ),
    ]


def contrasts(refs: list[str]) -> list[str]:
    rng = np.random.default_rng(2)
    columns = disfluencies(refs, "en")
    table = pl.DataFrame(
        {
            **columns,
            "noise": rng.choice(["street", "office", "none"], len(refs)),
            "seconds": rng.gamma(3, 2, len(refs)),
        }
    )
    worse = rng.random(len(refs)) < 0.2
    size = f"{len(refs):,} utterances"
    return [
        row("disfluencies", size, lambda: disfluencies(refs, "en")),
        row("contrast of disfluencies", size, lambda: contrast(table, worse, list(columns))),
        row("contrast of 3 categories", size, lambda: contrast(table, worse, ["noise"])),
        row("contrast of distinct numbers", size, lambda: contrast(table, worse, ["seconds"])),
    ]


def main() -> None:
    refs, hyps = corpus.make()
    head = "| | of | CPU s | wall s | extra MB |\n|:--|:--|--:|--:|--:|"
    lines = [*bootstrap(), *segments(refs, hyps), *contrasts(refs)]
    parts = [
        "# Significance",
        f"`python bench/significance.py`, {machine()}. Two systems; utterances of about "
        f"{corpus.WORDS} words. Memory is that of Python and numpy.",
        "\n".join([head, *lines]),
    ]
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    print(RESULTS.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
