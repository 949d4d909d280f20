"""Time of `misword.mbr` and `misword.combine`: `make bench`. Writes bench/results/mbr.md."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import misword
from timing import clock, machine

RESULTS = Path(__file__).parent / "results" / "mbr.md"
LISTS, DEPTH, WORDS = 50, 300, 20
UTTERANCES, SYSTEMS = 5_000, 4


def main() -> None:
    """Time the expected costs of all hypotheses of lists, and a vote, and write the table."""
    lists = noisy_texts(LISTS, DEPTH)
    scores = [[-float(rank) for rank in range(DEPTH)] for _ in lists]
    expected = clock("mbr", "", lambda: misword.mbr(lists, scores=scores, workers=1), times=2).cpu
    pairs = LISTS * DEPTH * (DEPTH - 1)
    voters = noisy_texts(UTTERANCES, SYSTEMS)
    systems = [[texts[system] for texts in voters] for system in range(SYSTEMS)]
    voted = clock("combine", "", lambda: misword.combine(systems, workers=1), times=2).cpu
    rows = [
        "| work | CPU s | a second |\n|:--|--:|:--|",
        f"| mbr by WER, {LISTS} lists of {DEPTH} | {expected:.2f} | "
        f"{pairs / expected / 1e6:.1f} million ordered pairs |",
        f"| combine, {SYSTEMS} systems, {UTTERANCES:,} utterances | {voted:.2f} | "
        f"{UTTERANCES / voted:,.0f} utterances |",
    ]
    text = f"# Least expected cost, and votes\n\nTexts of {WORDS} words, one thread, {machine()}."
    RESULTS.write_text(text + "\n\n" + "\n".join(rows) + "\n")


def noisy_texts(utterances: int, copies: int) -> list[list[str]]:
    """Return copies of random texts, with a tenth of the words replaced in each."""
    rng = np.random.default_rng(0)
    texts = rng.integers(0, 5_000, (utterances, 1, WORDS))
    noise = rng.integers(0, 5_000, (utterances, copies, WORDS))
    made = np.where(rng.random(noise.shape) < 0.1, noise, texts)
    return [[" ".join(f"w{word}" for word in text) for text in rows] for rows in made]


if __name__ == "__main__":
    main()
