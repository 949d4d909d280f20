"""How CPU time grows with the size of the input: `make bench`.

Each row is one kind of size; the input grows four to ten times from column to column. The exponent
is that of the last two sizes: 1 is linear growth, 2 quadratic. Writes bench/results/growth.md.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import corpus
import misword
from misword.core.errors import InputError
from misword.core.types import Corpus
from misword.report import render
from timing import machine

RESULTS = Path(__file__).parent / "results" / "growth.md"
SMALL = 10  # words of an utterance where their number is not what grows
LISTS = 20_000  # that are divided into shards
SHORT = 0.3  # seconds: shorter work is repeated, and the least time counts


@dataclass(frozen=True)
class Growth:
    """What grows, and the CPU seconds of each size."""

    what: str
    sizes: tuple[int, ...]
    seconds: tuple[float, ...]

    @property
    def exponent(self) -> float:
        """The exponent of the growth between the last two sizes.

        >>> round(Growth("", (1, 10, 100), (1.0, 2.0, 20.0)).exponent, 2)
        1.0
        """
        (less, more), (before, after) = self.sizes[-2:], self.seconds[-2:]
        return log(after / before) / log(more / less)

    def row(self) -> str:
        """Return the row of the table."""
        sizes = ", ".join(f"{size:,}" for size in self.sizes)
        seconds = ", ".join(f"{used:.2f}" for used in self.seconds)
        return f"| {self.what} | {sizes} | {seconds} | {self.exponent:.1f} |"


def grown(what: str, sizes: tuple[int, ...], made: Callable[[int], Callable[[], Any]]) -> Growth:
    """Measure work of several sizes; `made` makes the input and returns the work."""
    seconds = [least(made(size)) for size in sizes]
    growth = Growth(what, sizes, tuple(seconds))
    print(growth.row(), file=sys.stderr)
    return growth


def least(work: Callable[[], Any]) -> float:
    """Return the CPU seconds of work: the least of three times, of long work the first."""
    used: list[float] = []
    while len(used) < 3 and (not used or used[-1] < SHORT):
        start = time.process_time()
        work()
        used.append(time.process_time() - start)
    return min(used)


def pairs(size: int) -> Callable[[], Any]:
    refs, hyps = corpus.make(size, SMALL)
    return lambda: misword.score(refs, hyps)


def checked(size: int) -> Callable[[], Any]:
    refs, hyps = corpus.make(size, SMALL)
    return lambda: misword.check(refs, hyps)


def systems(size: int) -> Callable[[], Any]:
    refs, hyps = corpus.make(200, SMALL)
    other = corpus.better(refs, hyps)
    named = {f"s{number}": other if number % 2 else hyps for number in range(size)}
    return lambda: misword.compare(refs, named, "wer")


def groups(size: int) -> Callable[[], Any]:
    refs, hyps = corpus.make(size, SMALL)
    other = corpus.better(refs, hyps)
    speakers = pl.DataFrame({"speaker": [f"s{number}" for number in range(size)]})
    named = {"a": hyps, "b": other}
    return lambda: misword.compare(refs, named, "wer", metadata=speakers, by="speaker")


def words(size: int) -> Callable[[], Any]:
    refs, hyps = corpus.shapes(*corpus.make(size // 20))["words like w123"]
    return lambda: misword.score([" ".join(refs)], [" ".join(hyps)], "wer")


def unrelated(size: int) -> Callable[[], Any]:
    rng = np.random.default_rng(0)
    texts = ["".join(map(chr, rng.integers(97, 117, size).tolist())) for _ in range(2)]
    return lambda: misword.cer(*texts)


def lists(size: int) -> Callable[[], Any]:
    found = n_best(100, size)
    return lambda: misword.oracle(found, metrics="wer,cer", bootstrap=0)


def n_best(utterances: int, depth: int) -> Corpus:
    """Return N-best lists; hypothesis `k` of a list has errors of its own."""
    refs, _ = corpus.make(utterances, SMALL)
    drawn = corpus.make(utterances, SMALL)
    utts = [f"u{number}" for number in range(utterances)]
    rows = {
        "utt": np.repeat(utts, depth),
        "system": ["x"] * (utterances * depth),
        "rank": np.tile(np.arange(1, depth + 1), utterances),
        "text": [f"{drawn[k % 2][n]} {k // 2}" for n in range(utterances) for k in range(depth)],
        "score": np.tile(-np.arange(1.0, depth + 1), utterances),
    }
    return Corpus(pl.DataFrame({"utt": utts, "text": refs}), pl.DataFrame(rows))


def pages(size: int) -> Callable[[], Any]:
    refs, hyps = corpus.make(size, SMALL)
    other = corpus.better(refs, hyps)
    result = misword.compare(refs, {"a": hyps, "b": other}, "wer").result()
    return lambda: render([result])


def shards(size: int) -> Callable[[], Any]:
    """Oracles of the same lists in so many shards."""
    folder = Path(tempfile.mkdtemp(prefix="growth"))
    found = n_best(LISTS, 10)
    rows = found.hypotheses.join(found.references, on="utt", suffix="_ref", maintain_order="left")
    table = rows.select("utt", "rank", pl.col("text_ref").alias("reference"),
                        pl.col("text").alias("hypothesis"))  # fmt: skip
    step = -(-LISTS // size) * 10
    for number, part in enumerate(table.iter_slices(step)):
        part.write_parquet(folder / f"part-{number:03}.parquet")
    source = misword.shards(f"{folder}/*.parquet", engine="serial")
    return lambda: misword.oracle(source, metrics="wer,cer", bootstrap=0)


def measured() -> Iterator[Growth]:
    """Yield the rows of the table."""
    misword.score(*corpus.make(1_000, SMALL)).summary()
    yield grown("pairs (`score`)", (25_000, 100_000, 400_000), pairs)
    yield grown("lines (`check`)", (2_500, 10_000, 40_000), checked)
    yield grown("systems (`compare`)", (2, 20, 100, 500), systems)
    yield grown("groups (`compare --by`)", (1_000, 10_000, 100_000), groups)
    yield grown("words in one utterance, WER 15 %", (5_000, 20_000, 80_000), words)
    yield grown("unrelated characters in one utterance", (25_000, 100_000, 300_000), unrelated)
    yield grown("hypotheses in a list (`oracle`, 100 lists)", (100, 1_000, 5_000), lists)
    yield grown("utterances of a page (`--report`)", (1_000, 10_000, 100_000), pages)
    yield grown(f"shards of the same {LISTS:,} lists (`oracle`)", (1, 7, 40), shards)


def refusal() -> str:
    """Return how long it takes to refuse two unrelated texts of a million characters."""
    work = unrelated(1_000_000)
    start = time.process_time()
    try:
        work()
    except InputError:
        return f"refused in {time.process_time() - start:.2f} s"
    return f"computed in {time.process_time() - start:.2f} s"


def main() -> None:
    """Measure and write the table."""
    rows = [growth.row() for growth in measured()]
    text = [
        "# How CPU time grows",
        f"`python bench/growth.py`, {machine()}. CPU seconds of all threads. The exponent is that "
        "of the last two sizes: 1 is linear growth, 2 quadratic; below 1, the constant part of "
        "the work still counts.",
        "\n".join(["| what grows | sizes | CPU s | exponent |", "|:--|--:|--:|--:|", *rows]),
        f"Two unrelated texts of a million characters: {refusal()}.",
    ]
    RESULTS.write_text("\n\n".join(text) + "\n", encoding="utf-8")
    print(RESULTS.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
