"""Time of `--keywords` and `--entities tags` beside plain WER: `make bench`.

The generated corpus of the other benchmarks: 100,000 pairs. A thousand terms, half of them of two
words, in ten classes; then also the first two words of each reference as an entity, as spans that
were read before. CPU time is summed over threads; each figure is the least of several runs.
Writes bench/results/entities.md.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import corpus
import misword
from timing import clock, machine, table

RESULTS = Path(__file__).parent / "results" / "entities.md"
TERMS, CLASSES = 1000, 10


def terms(references: list[str]) -> dict[str, str]:
    """Return terms of one and two words of the references, with their classes."""
    found: dict[str, str] = {}
    for number, text in enumerate(references):
        words = text.split()
        term = " ".join(words[1 : 2 + number % 2])
        if term:
            found.setdefault(term, f"class {len(found) % CLASSES}")
        if len(found) == TERMS:
            break
    return found


def main() -> None:
    """Measure, and write the table."""
    references, hypotheses, *_ = corpus.make()
    keywords = terms(references)
    spans = ['[[0, 1, "X"]]' if text else "" for text in references]
    runs = {
        "WER": {},
        "WER, 1,000 keywords": {"keywords": keywords},
        "WER, 1,000 keywords, entities": {
            "keywords": keywords,
            "entities": "tags",
            "metadata": {"entities": spans},
        },
    }
    score = partial(misword.score, references, hypotheses, "wer")
    timings = [clock(name, "", partial(score, **options)) for name, options in runs.items()]
    text = "\n\n".join(["# Entities", machine(), table("100,000 generated pairs", timings)])
    RESULTS.write_text(text + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
