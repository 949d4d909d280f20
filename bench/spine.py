"""Time of misword and of other packages on one corpus, in one run: `make bench`.

Machines differ and are shared: compare ratios, not seconds. CPU time is summed over threads. Every
package gets the same strings in memory. The best of a few runs counts. `bench/startup.py` measures
whole processes. Writes bench/results/spine.md.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import jiwer
import kaldialign
import numpy as np
import universal_edit_distance
import werx
from rapidfuzz.distance import Levenshtein

import corpus
import misword
from misword.alignment import Costs, align
from misword.text.texts import Texts
from misword.text.tokens import encode_words
from timing import Timing, clock, machine, table

RESULTS = Path(__file__).parent / "results" / "spine.md"


def rapidfuzz_words(refs: list[str], hyps: list[str]) -> list[Any]:
    return [
        Levenshtein.editops(ref.split(), hyp.split()) for ref, hyp in zip(refs, hyps, strict=True)
    ]


def kaldialign_words(refs: list[str], hyps: list[str]) -> list[Any]:
    return [
        kaldialign.edit_distance(ref.split(), hyp.split())
        for ref, hyp in zip(refs, hyps, strict=True)
    ]


def numpy_weighted(ref: list[int], hyp: list[int], price: Callable[[int, int], float]) -> float:
    """Return the cost of one pair by dynamic programming, as users write it."""
    table = np.zeros((len(ref) + 1, len(hyp) + 1))
    table[:, 0], table[0] = np.arange(len(ref) + 1), np.arange(len(hyp) + 1)
    for i, r in enumerate(ref, 1):
        for j, h in enumerate(hyp, 1):
            swap = table[i - 1, j - 1] + (0 if r == h else price(r, h))
            table[i, j] = min(swap, table[i - 1, j] + 1, table[i, j - 1] + 1)
    return float(table[-1, -1])


def words(refs: list[str], hyps: list[str]) -> list[Timing]:
    counts = "S, D, I of every utterance"
    ued = universal_edit_distance.word_edit_distance_array
    return [
        clock("misword", counts, lambda: misword.score(refs, hyps, "wer")),
        clock("misword, one thread", counts, lambda: misword.score(refs, hyps, "wer", workers=1)),
        clock("jiwer.process_words", counts, lambda: jiwer.process_words(refs, hyps), 2),
        clock("rapidfuzz editops loop", counts, lambda: rapidfuzz_words(refs, hyps), 3),
        clock("kaldialign loop", counts, lambda: kaldialign_words(refs, hyps), 2),
        clock("werx.analysis", counts, lambda: werx.analysis(refs, hyps), 2),
        clock("werx.wer", "rate only", lambda: werx.wer(refs, hyps), 3),
        clock("universal-edit-distance", "distances only", lambda: ued(refs, hyps), 3),
    ]


def characters(refs: list[str], hyps: list[str]) -> list[Timing]:
    counts = "S, D, I of every utterance"
    ued = universal_edit_distance.character_edit_distance_array
    return [
        clock("misword", counts, lambda: misword.score(refs, hyps, "cer")),
        clock("jiwer.process_characters", counts, lambda: jiwer.process_characters(refs, hyps), 1),
        clock("universal-edit-distance", "distances only", lambda: ued(refs, hyps), 2),
    ]


def weighted(refs: list[str], hyps: list[str]) -> list[Timing]:
    """Time weighted costs: a hundred neighbours of each word have a cost, all others cost 1."""
    ref, hyp = encode_words([Texts.of(refs), Texts.of(hyps)])
    size = len(ref.vocabulary)
    rng = np.random.default_rng(1)
    key = np.unique(np.repeat(np.arange(size), 100) * size + rng.integers(0, size, 100 * size))
    costs = Costs.pairs(key // size, key % size, rng.random(len(key)), size=size)

    def from_text() -> None:
        align(*encode_words([Texts.of(refs), Texts.of(hyps)]), costs=costs)

    few = 200
    table = dict(zip(key.tolist(), costs.prices[0].tolist(), strict=True))

    def naive() -> None:
        for row in range(few):
            left = ref.ids[ref.offsets[row] : ref.offsets[row + 1]].tolist()
            right = hyp.ids[hyp.offsets[row] : hyp.offsets[row + 1]].tolist()
            numpy_weighted(left, right, lambda r, h: table.get(r * size + h, 1.0))

    slow = clock("numpy loop", "", naive, 1)
    scale = len(refs) / few
    return [
        clock("misword, from text", "operations and costs", from_text, 3),
        clock(
            "misword, aligning only",
            "operations and costs",
            lambda: align(ref, hyp, costs=costs),
            3,
        ),
        clock("misword, unit costs, aligning only", "operations", lambda: align(ref, hyp), 3),
        Timing("numpy loop", f"scaled up from {few} pairs", slow.cpu * scale, slow.wall * scale),
    ]


def shapes(refs: list[str], hyps: list[str]) -> list[Timing]:
    """Time other shapes of corpora: misword, then two peers, for each shape."""
    found = []
    for shape, (left, right) in corpus.shapes(refs, hyps).items():
        pair = left, right
        found += [
            clock(f"misword, {shape}", "", partial(misword.score, *pair, "wer"), 3),
            clock(f"jiwer, {shape}", "", partial(jiwer.process_words, *pair), 1),
            clock(f"rapidfuzz, {shape}", "", partial(rapidfuzz_words, *pair), 1),
        ]
    return found


CALLS = 10_000


def single_pairs(refs: list[str], hyps: list[str]) -> list[Timing]:
    """Time calls with one pair of texts, as in a loop of one's own."""
    pairs = list(zip(refs[:CALLS], hyps[:CALLS], strict=True))

    def called(rate: Callable[..., Any]) -> None:
        for ref, hyp in pairs:
            rate(ref, hyp)

    rates: dict[str, Callable[..., Any]] = {
        "misword.wer": misword.wer,
        "misword.cer": misword.cer,
        "jiwer.wer": jiwer.wer,
        "jiwer.cer": jiwer.cer,
    }
    return [
        clock(name, f"{CALLS:,} calls", partial(called, rate), 2) for name, rate in rates.items()
    ]


CHILD = """
import sys
sys.path.insert(0, {here!r})
import numpy as np, polars
import misword, corpus
from misword.alignment import Costs, align
from misword.core.types import Tokens

def memory(field):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith(field))

small = corpus.make(100)
misword.score(*small)
{setup}
with open("/proc/self/clear_refs", "w") as peak:  # the peak from here on
    peak.write("5")
before = memory("VmRSS")
{work}
print(memory("VmHWM") - before)
"""

LONG = """
rng = np.random.default_rng(0)
size = 3000
left = rng.integers(0, size, 20_000).astype(np.int32)
right = np.where(rng.random(20_000) < 0.15, rng.integers(0, size, 20_000), left).astype(np.int32)
sides = [Tokens(side, np.array([0, 20_000]), range(size)) for side in (left, right)]
table = Costs.table(rng.random((size, size)))
"""


def megabytes(setup: str, work: str) -> float:
    """Return the growth of peak memory over `work` in a new process (Linux)."""
    code = CHILD.format(here=str(Path(__file__).parent), setup=setup, work=work)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(done.stdout)


def measured(refs: list[str], hyps: list[str]) -> dict[str, list[Timing]]:
    """Return the timings beside peers by the title of their table, for this and other programs."""
    return {
        "Words": words(refs, hyps),
        "Characters": characters(refs, hyps),
        "One pair a call": single_pairs(refs, hyps),
        "Shapes of corpora, words": shapes(refs, hyps),
    }


def main() -> None:
    refs, hyps = corpus.make()
    rate = misword.score(refs, hyps, "wer")["wer"]
    misword.score(refs, hyps, "cer")
    parts = [
        "# The spine beside its peers",
        f"`make bench`, {machine()}. "
        f"{len(refs):,} pairs of about {corpus.WORDS} words, {corpus.VOCABULARY:,} Zipf words, WER "
        f"{100 * rate:.1f} %, strings in memory. Ratios are to the first row: how many times more "
        "the others take.",
        *(table(title, timings) for title, timings in measured(refs, hyps).items()),
        table("Weighted costs", weighted(refs, hyps)),
    ]
    memory = {
        "100,000 pairs, wer and cer": megabytes(
            "refs, hyps = corpus.make()", "misword.score(refs, hyps)"
        ),
        "one pair of 20,000 words, unit costs": megabytes(LONG, "align(*sides)"),
        "one pair of 20,000 words, weighted": megabytes(LONG, "align(*sides, costs=table)"),
    }
    rows = "\n".join(f"| {name} | {value:.0f} |" for name, value in memory.items())
    parts.append(f"### Peak memory beyond the input\n\n| | MB |\n|:--|--:|\n{rows}")
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    print(RESULTS.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
