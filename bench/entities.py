"""Time of `--keywords` and `--entities tags` beside plain WER: `make bench`.

The generated corpus of the other benchmarks: 100,000 pairs. A thousand terms, half of them of two
words, in ten classes: rare ones, without the thousand most frequent words, and frequent ones, which
are nearly half of all words. Entities: one to three spans of one to three words at random places of
each reference, in five classes, as a column of spans in characters or of BIO tags. The first table
is the time of `misword.score`; the second also has that of the tables of rates, without intervals.
CPU time is summed over threads; each figure is the least of several runs. Writes
bench/results/entities.md.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import corpus
import misword
from timing import clock, machine, table

RESULTS = Path(__file__).parent / "results" / "entities.md"
TERMS, CLASSES, FREQUENT = 1000, 10, 1000
TIMES = 7


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


def entities(references: list[str], seed: int = 1) -> tuple[list[str], list[str]]:
    """Return random spans of each reference: a column of spans in characters, one of BIO tags."""
    rng = np.random.default_rng(seed)
    spans, tags = [], []
    for text in references:
        words = text.split()
        ends = np.cumsum([len(word) + 1 for word in words]).tolist()
        listed, tagged = [], ["O"] * len(words)
        edges = np.unique(rng.integers(0, len(words) + 1, 4)).tolist() if words else []
        for start, end in pairwise(edges):
            last, name = min(end, start + 3), f"CLASS{rng.integers(5)}"
            listed.append([ends[start] - len(words[start]) - 1, ends[last - 1] - 1, name])
            tagged[start:last] = [f"B-{name}", *[f"I-{name}"] * (last - start - 1)]
        spans.append(json.dumps(listed))
        tags.append(" ".join(tagged))
    return spans, tags


def main() -> None:
    """Measure, and write the tables."""
    references, hypotheses, *_ = corpus.make()
    rare, (spans, tags) = terms(references), entities(references)
    of_spans = {"entities": "tags", "metadata": {"entities": spans}}
    of_tags = {"entities": "tags", "metadata": {"entities": tags}}
    runs: dict[str, dict[str, Any]] = {
        "WER": {},
        "WER, 1,000 keywords": {"keywords": rare},
        "WER, 1,000 frequent keywords": {"keywords": terms(references, 0)},
        "WER, entities in characters": of_spans,
        "WER, entities as tags": of_tags,
        "WER, 1,000 keywords, entities in characters": {"keywords": rare, **of_spans},
        "WER, 1,000 keywords, entities as tags": {"keywords": rare, **of_tags},
    }
    score = partial(misword.score, references, hypotheses, "wer")

    def with_rates(options: dict[str, Any]) -> None:
        scores = score(**options)
        scores.summary(bootstrap=0)
        if options:
            scores.entities(bootstrap=0)

    scored, rated = [], []
    for name, options in runs.items():
        counts = score(**options).records.get("entity_counts")
        found = "" if counts is None else f"{counts['terms'].sum():,} spans"
        scored.append(clock(name, found, partial(score, **options), TIMES))
        rated.append(clock(name, found, partial(with_rates, options), TIMES))
    titles = "100,000 generated pairs: score", "100,000 generated pairs: score, and tables of rates"
    tables = [table(title, rows) for title, rows in zip(titles, (scored, rated), strict=True)]
    text = "\n\n".join(["# Entities", machine(), *tables])
    RESULTS.write_text(text + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
