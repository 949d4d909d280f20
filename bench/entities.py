"""Time of `--keywords` and `--entities tags` beside plain WER: `make bench`.

The generated corpus of the other benchmarks: 100,000 pairs. A thousand terms, half of them of two
words, in ten classes, without the thousand most frequent words; then also the first word of each
reference as an entity, in a column of spans. The time grows with the number of terms in the texts:
the second line has terms that are most of all words. CPU time is summed over threads; each figure
is the least of several runs. Writes bench/results/entities.md.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import corpus
import misword
from timing import clock, machine, table

RESULTS = Path(__file__).parent / "results" / "entities.md"
TERMS, CLASSES, FREQUENT = 1000, 10, 1000


def terms(references: list[str], left_out: int = FREQUENT) -> dict[str, str]:
    """Return terms of one and two words with classes, without the most frequent words."""
    counts = Counter(word for text in references for word in text.split())
    frequent = {word for word, _ in counts.most_common(left_out)}
    found: dict[str, str] = {}
    for number, text in enumerate(references):
        words = [word for word in text.split() if word not in frequent]
        term = " ".join(words[: 1 + number % 2])
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
    runs: dict[str, dict[str, Any]] = {
        "WER": {},
        "WER, 1,000 frequent keywords": {"keywords": terms(references, 0)},
        "WER, 1,000 keywords": {"keywords": keywords},
        "WER, 1,000 keywords, entities": {
            "keywords": keywords,
            "entities": "tags",
            "metadata": {"entities": spans},
        },
    }
    score = partial(misword.score, references, hypotheses, "wer")
    timings = []
    for name, options in runs.items():
        counts = score(**options).records.get("entity_counts")
        spans_found = "" if counts is None else f"{counts['terms'].sum():,} spans"
        timings.append(clock(name, spans_found, partial(score, **options)))
    text = "\n\n".join(["# Entities", machine(), table("100,000 generated pairs", timings)])
    RESULTS.write_text(text + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
