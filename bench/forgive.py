"""Time and memory of `--forgive writing` beside plain WER: `make bench`.

Two corpora of short utterances: the generated one of the other benchmarks, in which little is to be
forgiven, and the calls of Earnings-21 in pieces of 20 words with the answers of four recognisers,
repeated to 100,000 pairs. Then the ten whole calls of one recogniser, of 5,000 to 14,000 words
each. CPU time is summed over threads; each figure is the least of several runs.
Writes bench/results/forgive.md.
"""

from __future__ import annotations

import resource
from functools import partial
from pathlib import Path
from typing import Any

import corpus
import misword
from misword.io.transcripts.read import read_corpus
from timing import clock, machine, table

RESULTS = Path(__file__).parent / "results" / "forgive.md"
DATA = Path(__file__).parents[2] / "shared" / "data" / "earnings21"
SYSTEMS = ("microsoft", "speechmatics", "google", "amazon")
PIECE, PAIRS = 20, 100_000


def pieces() -> tuple[list[str], list[str]]:
    """Return pieces of the calls: about PIECE reference words and the words aligned with them."""
    calls, _ = read_corpus(DATA / "nlp_references", [DATA / name for name in SYSTEMS])
    references, hypotheses = [], []
    words = misword.score(calls, metrics="wer").words()
    for _, part in words.group_by("utt", "system", maintain_order=True):
        sides = part["reference"].to_list(), part["hypothesis"].to_list()
        for start in range(0, len(part), PIECE):
            chosen = slice(start, start + PIECE)
            references.append(" ".join(filter(None, sides[0][chosen])))
            hypotheses.append(" ".join(filter(None, sides[1][chosen])))
    times = -(-PAIRS // len(references))
    return (references * times)[:PAIRS], (hypotheses * times)[:PAIRS]


def measure(title: str, texts: tuple[Any, ...]) -> str:
    """Return the table of one corpus: plain WER and WER with differences of writing forgiven."""
    timings = []
    for name, families in (("WER", ""), ("WER, --forgive writing", "writing")):
        options: dict[str, Any] = {"metrics": "wer", "forgive": families}
        rate = 100 * misword.score(*texts, **options)["wer"]
        timings.append(clock(name, f"{rate:.2f} %", partial(misword.score, *texts, **options)))
    return table(title, timings)


def main() -> None:
    """Measure, and write the tables."""
    calls, _ = read_corpus(DATA / "nlp_references", [DATA / SYSTEMS[0]])
    parts = [
        measure("100,000 generated pairs", corpus.make()),
        measure("100,000 pieces of calls", pieces()),
        measure("Ten whole calls", (calls,)),
    ]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    text = "\n\n".join(["# Forgiving", machine(), *parts, f"Peak memory of all: {memory} MB."])
    RESULTS.write_text(text + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
