"""Time of `misword.tune` on 1,000 lists of 1,000 hypotheses: `make bench`.

A line search finds all plateaus of one line in the space of weights, and their rates. The features
are random: independent of each other, opposed to each other (as an acoustic score and the number of
words), or on a circle, so that each hypothesis is the best somewhere along the line. Writes
bench/results/tune.md.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from misword.asr.metrics.rates import WER
from misword.asr.nbest.features import FeatureLists
from misword.asr.nbest.weight_search import (
    Changes,
    Plateaus,
    SearchSettings,
    best_stretch,
    tune_lists,
)
from timing import clock, machine

RESULTS = Path(__file__).parent / "results" / "tune.md"
LISTS, DEPTH = 1_000, 1_000


def main() -> None:
    """Time line searches and a whole search, and write the table."""
    rows = []
    for name, lists in made_lists().items():

        def search(lists: FeatureLists = lists) -> Plateaus:
            weights, direction = np.eye(3)[:2]
            plateaus = Changes.along(lists, weights, direction).plateaus(lists.terms)
            best_stretch(plateaus, lists.measure)
            return plateaus

        plateaus = len(search().starts)
        rows.append(f"| a line, {name} | {clock(name, '', search).cpu:.3f} | {plateaus:,} |")
    lists = made_lists()["independent features"]
    cpu = clock("search", "", lambda: tune_lists(lists, SearchSettings()), times=1).cpu
    rows.append(f"| three weights, 5 starts | {cpu:.2f} | |")
    head = "| work | CPU s | plateaus |\n|:--|--:|--:|"
    text = f"# Weights of N-best lists\n\n{LISTS:,} lists of {DEPTH:,}, {machine()}."
    RESULTS.write_text("\n\n".join([text, "\n".join([head, *rows])]) + "\n")


def made_lists() -> dict[str, FeatureLists]:
    """Return lists with three features of each kind, and errors that one feature knows."""
    rng = np.random.default_rng(0)
    size = LISTS * DEPTH
    offsets = np.arange(0, size + 1, DEPTH)
    errors = rng.integers(0, 6, size)
    terms = np.stack([errors, np.full(size, 15)], axis=1)
    independent = rng.normal(size=(3, size)) - errors
    opposed = np.stack([independent[0], -independent[0] + 0.3 * independent[1], independent[2]])
    angles = rng.uniform(0, 2 * np.pi, size)
    circle = np.stack([np.cos(angles), np.sin(angles), independent[2]])
    kinds = {
        "independent features": independent,
        "opposed features": opposed,
        "features on a circle": circle,
    }
    return {name: FeatureLists(made, offsets, terms, WER()) for name, made in kinds.items()}


if __name__ == "__main__":
    main()
