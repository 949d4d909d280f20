"""Time and memory of `misword oracle` on 1,000 lists of 1,000 hypotheses: `make bench`.

The texts are those of bench/corpus.py; each hypothesis has errors of its own. Vectors are random.
The command is a process of its own; its peak is the largest resident set. The choice is timed
alone, on the scores of the same lists. Writes bench/results/oracle.md.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

import corpus
import misword
from misword.asr.nbest.choice import JudgedHypotheses, choose
from misword.asr.nbest.lists import HypothesisLists
from timing import clock, machine

RESULTS = Path(__file__).parent / "results" / "oracle.md"
LISTS, DEPTH, WORDS = 1_000, 1_000, 15
METRICS = "wer,wer-e,wer-s"
DIMENSIONS = 100


def main() -> None:
    """Write the files, run the command, time the choice and write the table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_files(folder)
        rows = [measure(folder, f"nbest.{suffix}") for suffix in ("parquet", "jsonl")]
        rows += choices(folder)
    head = "| work | CPU s | peak MB |\n|:--|--:|--:|"
    text = f"# Best hypotheses of N-best lists\n\n{LISTS:,} lists of {DEPTH:,}, {machine()}."
    RESULTS.write_text("\n\n".join([text, "\n".join([head, *rows])]) + "\n")


def write_files(folder: Path) -> None:
    """Write references, N-best lists in two formats, and vectors of all words."""
    references, _ = corpus.make(LISTS, WORDS)
    rng = np.random.default_rng(0)
    vocabulary = sorted({word for text in references for word in text.split()})
    ids = [f"utt{number:04}" for number in range(LISTS)]
    pl.DataFrame({"utt": ids, "text": references}).write_csv(folder / "ref.csv")
    texts = [heard(text, vocabulary, rng) for text in references for _ in range(DEPTH)]
    lists = pl.DataFrame(
        {
            "utt": np.repeat(ids, DEPTH),
            "rank": np.tile(np.arange(1, DEPTH + 1), LISTS),
            "text": texts,
        }
    )
    lists.write_parquet(folder / "nbest.parquet")
    lists.write_ndjson(folder / "nbest.jsonl")
    vectors = rng.normal(size=(len(vocabulary), DIMENSIONS))
    lines = [
        f"{word} {' '.join(f'{x:.4f}' for x in row)}"
        for word, row in zip(vocabulary, vectors, strict=True)
    ]
    (folder / "words.vec").write_text("\n".join(lines) + "\n")


def heard(text: str, vocabulary: list[str], rng: np.random.Generator) -> str:
    """Return a text with one to four of its words substituted or deleted."""
    words = text.split()
    for place in rng.integers(len(words), size=rng.integers(1, 5)):
        other = vocabulary[rng.integers(len(vocabulary))]
        words[place] = other if rng.random() < 0.8 else ""
    return " ".join(filter(None, words))


def measure(folder: Path, name: str) -> str:
    """Return a row with CPU time and peak memory of the command; vectors are in the cache."""
    command = [sys.executable, "-m", "misword", "oracle", "ref.csv", name, "--metrics", METRICS]
    command += ["--vectors", "words.vec", "--format", "json", "-q"]
    environment = {**os.environ, "MISWORD_CACHE": str(folder / "cache")}
    for _ in range(2):  # the first run reads the vectors into the cache
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        assert status == 0
    cpu = usage.ru_utime + usage.ru_stime
    return f"| `misword oracle`, {name} | {cpu:.2f} | {usage.ru_maxrss / 1024:.0f} |"


def choices(folder: Path) -> list[str]:
    """Return rows with the CPU time of the choice alone."""
    read, _ = misword.read_corpus(folder / "ref.csv", folder / "nbest.parquet", nbest=True)
    vectors = folder / "words.vec"
    labels = (*METRICS.split(","), "mer", "wil")
    scores = misword.score(read, metrics=labels, vectors=vectors, keep_texts=False)
    lists = HypothesisLists.of(scores.table["rank"].to_numpy())
    judged = {
        column.label: JudgedHypotheses(
            column.measure, np.asfortranarray(column.terms(scores.table))
        )
        for column in scores.columns
    }
    three = clock("choice", "", lambda: [choose(lists, judged, by) for by in labels[:3]]).cpu
    rows = [f"| choice by {METRICS} | {three:.3f} | |"]
    for label in ("mer", "wil"):
        cpu = clock(label, "", partial(choose, lists, judged, label)).cpu
        rows.append(f"| choice by {label} | {cpu:.3f} | |")
    return rows


if __name__ == "__main__":
    main()
