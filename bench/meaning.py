"""Time of WER-E, EmbER and WER-S against WER, and against a loop in numpy: `make bench`.

100,000 pairs with 30,000 vectors of 300 numbers, and a 1000-best list of 1,000 utterances. Times
are the best of a few runs: compare ratios, not seconds. Writes
bench/results/meaning.md.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

import corpus
import misword
from timing import Timing, clock, machine, table

RESULTS = Path(__file__).parent / "results" / "meaning.md"
DIMENSION = 300
SLOW_PAIRS = 200
NBEST_UTTERANCES, NBEST = 1000, 1000


def make_vectors(*columns: list[str]) -> misword.WordVectors:
    """Return a random vector for each word plus that of its neighbour: cosines from -0.2 to 0.7."""
    words = sorted({word for column in columns for text in column for word in text.split()})
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((len(words), DIMENSION)).astype(np.float32)
    rows[1:] += rows[:-1]
    return misword.WordVectors.of(words, rows)


def numpy_pair(ref: list[str], hyp: list[str], table: dict[str, np.ndarray]) -> float:
    """Return the WER-S cost of one pair as users write it: a matrix and two loops."""
    cells = np.zeros((len(ref) + 1, len(hyp) + 1))
    cells[:, 0] = np.arange(len(ref) + 1)
    cells[0, :] = np.arange(len(hyp) + 1)
    for i, word in enumerate(ref, 1):
        for j, other in enumerate(hyp, 1):
            if word == other:
                cost = 0.0
            elif word in table and other in table:
                left, right = table[word], table[other]
                cosine = left @ right / (np.linalg.norm(left) * np.linalg.norm(right))
                cost = 1 - float(cosine)
            else:
                cost = 1.0
            cells[i, j] = min(cells[i - 1, j - 1] + cost, cells[i, j - 1] + 1, cells[i - 1, j] + 1)
    return float(cells[-1, -1])


def nbest(refs: list[str], hyps: list[str]) -> misword.Corpus:
    """Return N-best lists: each hypothesis a thousand times, with three words changed."""
    rng = np.random.default_rng(0)
    words = sorted({word for text in hyps for word in text.split()})
    utts = [str(i) for i in range(NBEST_UTTERANCES)]
    texts, rank = [], []
    for text in hyps[:NBEST_UTTERANCES]:
        best = text.split() or ["a"]
        for place in range(NBEST):
            other = list(best)
            for at in rng.integers(0, len(best), 3):
                other[at] = words[int(rng.integers(len(words)))]
            texts.append(" ".join(other))
            rank.append(place + 1)
    hypotheses = pl.DataFrame(
        {
            "utt": [utt for utt in utts for _ in range(NBEST)],
            "system": ["nbest"] * len(texts),
            "rank": rank,
            "text": texts,
            "score": [0.0] * len(texts),
        }
    )
    return misword.Corpus(pl.DataFrame({"utt": utts, "text": refs[:NBEST_UTTERANCES]}), hypotheses)


def beside_wer(refs: list[str], hyps: list[str], vectors: misword.WordVectors) -> list[Timing]:
    def run(metrics: str) -> Timing:
        return clock(
            metrics, "100,000 pairs", lambda: misword.score(refs, hyps, metrics, vectors=vectors)
        )

    return [run("wer"), run("wer,wer-e,ember"), run("wer-s"), run("wer,wer-e,wer-s,ember")]


def against_numpy(refs: list[str], hyps: list[str], vectors: misword.WordVectors) -> list[Timing]:
    """Time the numpy loop on a few pairs, scaled to all pairs, after checking its results."""
    rows = {word: np.array(vectors[word]) for word in vectors.words}
    few = [(ref.split(), hyp.split()) for ref, hyp in zip(refs, hyps, strict=True)][:SLOW_PAIRS]
    by_numpy = [numpy_pair(ref, hyp, rows) for ref, hyp in few]
    scores = misword.score(refs[:SLOW_PAIRS], hyps[:SLOW_PAIRS], "wer-s", vectors=vectors)
    np.testing.assert_allclose(scores.table["wer-s.cost"], by_numpy, atol=1e-5)
    slow = clock(
        "numpy, pair by pair",
        f"{SLOW_PAIRS} pairs, times {len(refs) // SLOW_PAIRS}",
        lambda: [numpy_pair(ref, hyp, rows) for ref, hyp in few],
        times=1,
    )
    scale = len(refs) / SLOW_PAIRS
    return [Timing(slow.name, slow.note, slow.cpu * scale, slow.wall * scale)]


def main() -> None:
    refs, hyps = corpus.make()
    vectors = make_vectors(refs, hyps)
    first = beside_wer(refs, hyps, vectors)
    second = [first[2], *against_numpy(refs, hyps, vectors)]
    lists = nbest(refs, hyps)
    third = [
        clock(
            "wer-s",
            f"{len(lists.hypotheses):,} pairs",
            lambda: misword.score(lists, metrics="wer-s", vectors=vectors),
            times=2,
        )
    ]
    parts = [
        "# Metrics with vectors",
        f"`make bench`, {machine()}. {len(refs):,} pairs of about {corpus.WORDS} words, "
        f"{len(vectors):,} vectors of {DIMENSION} numbers; strings and vectors in memory. Ratios "
        "are to the first row.",
        table("Beside WER", first),
        table("WER-S beside the loop that users write", second),
        table(f"A {NBEST}-best list of {NBEST_UTTERANCES:,} utterances", third),
    ]
    RESULTS.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    print(RESULTS.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
