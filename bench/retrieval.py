"""Time of neighbours, hubness, induction and CSLS against plain numpy: `python bench/retrieval.py`.

Real vectors from ../shared/data: en-fr (30,000 x 100) and the two halves of English (20,000 x 300),
each mapped by Procrustes after unit, center, unit; and 200,000 x 300 mixtures of the latter. CPU
seconds are summed over threads. Plain numpy has one BLAS thread, since more threads mostly wait.
Writes bench/results/retrieval.md.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from misword.bli.arrays import Float32Array, RowNumbers
from misword.bli.retrievers import Neighbors, Retriever
from misword.bli.retrievers.csls import CSLS
from misword.bli.retrievers.nearest import NN, InvertedNN, InvertedSoftmax
from misword.bli.search.hubness import hubness
from misword.bli.search.induction import induce
from misword.bli.spaces import Space
from misword.core.workers import one_blas_thread
from misword.embed.vectors.neighbors import blocks, nearest
from misword.embed.vectors.words import WordVectors
from timing import Timing, clock, machine, table

RESULTS = Path(__file__).parent / "results" / "retrieval.md"
SHARED = Path(__file__).parents[2] / "shared" / "data"
QUERIES, SOME, LARGE, SAMPLE = 1500, 7500, 200_000, 2000
# Unit vectors of both languages in one space, and the rows of the query words.
Case = tuple[Float32Array, Float32Array, RowNumbers]


def pairs(path: Path, source: Space, target: Space) -> tuple[RowNumbers, RowNumbers]:
    words = [line.split()[:2] for line in path.read_text("utf-8").splitlines()]
    left, right = (
        side.find([pair[at] for pair in words]) for at, side in enumerate((source, target))
    )
    both = (left >= 0) & (right >= 0)
    return left[both], right[both]


def mapped(files: tuple[Path, Path], train: Path, test: Path) -> Case:
    """Return both languages in one space, and 1,500 queries: test words first, then others."""
    source, target = (Space.of(WordVectors.open(name, keep=False)) for name in files)
    left, right = pairs(train, source, target)
    u, _, v = np.linalg.svd(source.rows[left].T @ target.rows[right])
    rows = source.rows @ (u @ v)
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    tested = np.unique(pairs(test, source, target)[0])
    others = np.setdiff1d(np.random.default_rng(0).permutation(len(source)), tested)
    return rows, target.rows, np.concatenate([tested, others])[:QUERIES]


def enlarged(case: Case) -> Case:
    """Return a larger case: each row is a real vector plus another with a random weight."""
    rng = np.random.default_rng(1)
    sides = []
    for side in case[:2]:
        weights = rng.uniform(0.2, 0.8, (LARGE, 1)).astype(np.float32)
        rows = (
            side[np.arange(LARGE) % len(side)] + weights * side[rng.integers(len(side), size=LARGE)]
        )
        sides.append(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9))
    return sides[0], sides[1], rng.permutation(LARGE)[:QUERIES]


# ---------------------------------------------------------------- plain numpy


def sgemm(rows: Float32Array, others: Float32Array) -> None:
    for block in blocks(rows, 1024):
        _ = block @ others.T


def by_partition(rows: Float32Array, others: Float32Array, k: int = 10) -> Float32Array:
    """Return all hubness terms: blocks of products, partitioned in place."""
    terms = np.empty(len(rows), np.float32)
    for lo in range(0, len(rows), 256):
        products = rows[lo : lo + 256] @ others.T
        products.partition(products.shape[1] - k, axis=1)
        terms[lo : lo + 256] = products[:, -k:].mean(axis=1)
    return terms


def by_argpartition(rows: Float32Array, others: Float32Array, k: int) -> RowNumbers:
    ids = np.empty((len(rows), k), np.int64)
    for lo in range(0, len(rows), 256):
        products = -(rows[lo : lo + 256] @ others.T)
        best = np.argpartition(products, k - 1, axis=1)[:, :k]
        order = np.argsort(np.take_along_axis(products, best, 1), axis=1)
        ids[lo : lo + 256] = np.take_along_axis(best, order, 1)
    return ids


def full_csls(case: Case, k: int, terms: Float32Array | None = None) -> RowNumbers:
    """Return the best targets of the queries, with the hubness terms of all targets computed."""
    source, target, queries = case
    hubness_terms = by_partition(target, source) if terms is None else terms
    rows = np.column_stack([source[queries], np.full(len(queries), -0.5, np.float32)])
    return by_argpartition(rows, np.column_stack([target, hubness_terms]), k)


def one_way(source: Float32Array, target: Float32Array, keep: float) -> None:
    """Induce a dictionary from source to target: hubness terms, scores, dropout, maximum."""
    rng = np.random.default_rng(0)
    penalties = by_partition(target, source) / 2
    for block in blocks(source, 256):
        scores = block @ target.T
        scores -= penalties
        scores *= rng.random(scores.shape, np.float32) < keep
        scores.argmax(axis=1)


# ---------------------------------------------------------------- sections


def plain(name: str, work: Callable[[], object], note: str = "") -> Timing:
    with one_blas_thread():
        return clock(name, note, work, 1)


def shape(case: Case) -> str:
    return f"{len(case[0]):,} x {len(case[1]):,} x {case[0].shape[1]}"


def of_neighbors(case: Case) -> str:
    rows, target = case[0][:SOME], case[1]
    timings = [
        plain("one bare sgemm", lambda: sgemm(rows, target)),
        clock("nearest, k = 10", "", lambda: nearest(rows, blocks(target), 10), 2),
        plain("sgemm + argpartition, k = 10", lambda: by_argpartition(rows, target, 10)),
        clock("nearest, k = 1000", "", lambda: nearest(rows, blocks(target), 1000), 2),
        plain("sgemm + argpartition, k = 1000", lambda: by_argpartition(rows, target, 1000)),
    ]
    size = f"{len(rows):,} x {len(target):,} x {rows.shape[1]}"
    return table(f"Neighbours of many words, en-fr, {size}", timings)


def of_induction(case: Case) -> str:
    source, target, _ = case
    earlier = induce(source, target, keep=0.1).estimates
    timings = [
        plain("one bare sgemm", lambda: sgemm(source, target)),
        clock("hubness of both sides", "", lambda: hubness(source, target, 10), 2),
        plain("sgemm + partition, one side", lambda: by_partition(target, source)),
        clock("induce, keep = 0.1, once", "both ways", lambda: induce(source, target, keep=0.1), 1),
        clock(
            "induce, keep = 0.1, again",
            "both ways",
            lambda: induce(source, target, keep=0.1, iteration=1, earlier=earlier),
            3,
        ),
        clock(
            "induce, keep = 1, again",
            "both ways",
            lambda: induce(source, target, earlier=earlier),
            2,
        ),
        plain("numpy, keep = 0.1", lambda: one_way(source, target, 0.1), "one way"),
    ]
    return table(f"Hubness and dictionary induction, pseudo, {shape(case)}", timings)


def retrieving(part: Retriever, case: Case, k: int, times: int = 2) -> tuple[Timing, RowNumbers]:
    results: list[Neighbors] = []

    def work() -> None:
        results.append(part.retrieve(case[2], case[0], case[1], k))

    return clock(f"{part.name}, k = {k}", "", work, times), results[0].ids


def of_csls(name: str, case: Case) -> str:
    truth: list[RowNumbers] = []
    base = "every term (sgemm + partition), k = 10"
    timings = [plain(base, lambda: truth.append(full_csls(case, 10)))]
    for k in (1, 5, 10):
        timing, ids = retrieving(CSLS(), case, k)
        timing.note = f"{np.mean(ids == truth[0][:, :k]):.2%} in the same place"
        timings.append(timing)
    others: tuple[Retriever, ...] = (NN(), InvertedSoftmax(), InvertedNN())
    timings += [retrieving(part, case, 10, 1)[0] for part in others]
    return faster(f"CSLS of {len(case[2]):,} words, {name}, {shape(case)}", timings)


def of_large(case: Case) -> str:
    source, target, queries = case
    sampled = target[:: len(target) // SAMPLE]
    share = len(sampled) / len(target)
    base = plain("every term (sgemm + partition)", lambda: by_partition(sampled, source))
    base.cpu, base.wall, base.note = base.cpu / share, base.wall / share, f"from {share:.0%}"
    timings = [base, *(retrieving(CSLS(), case, k, 1)[0] for k in (1, 10))]
    timings.append(retrieving(NN(), case, 10, 1)[0])
    return faster(f"CSLS of {len(queries):,} words, mixtures, {shape(case)}", timings)


def faster(title: str, timings: list[Timing]) -> str:
    base = timings[0]
    rows = "\n".join(
        f"| {t.name} | {t.note} | {t.cpu:.2f} | {t.wall:.2f} | {base.cpu / t.cpu:.1f} |"
        for t in timings
    )
    return f"### {title}\n\n| | | CPU s | wall s | CPU, times less |\n|:--|:--|--:|--:|--:|\n{rows}"


CHILD = """
import sys
import numpy as np
from misword.bli.search.induction import induce
from misword.bli.retrievers import RETRIEVERS
what, rows, dimension = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rng = np.random.default_rng(0)
sides = [rng.standard_normal((rows, dimension), np.float32) for _ in range(2)]
for side in sides:
    side /= np.sqrt(np.einsum("ij,ij->i", side, side))[:, None]
if what == "induce":
    induce(*sides, keep=0.1)
else:
    count = rows if what == "csls of all words" else 1500
    RETRIEVERS.create(what.split()[0]).retrieve(np.arange(count), *sides, 10)
with open("/proc/self/status") as status:
    peak = next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM"))
print(peak, sum(side.nbytes for side in sides) / 2**20)
"""


def of_memory() -> str:
    rows = []
    for what, size, dimension in (
        ("induce", 20_000, 300),
        ("nn", LARGE, 300),
        ("csls", LARGE, 100),
        ("csls of all words", LARGE, 8),
    ):
        command = [sys.executable, "-c", CHILD, what, str(size), str(dimension)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        peak, own = (float(part) for part in done.stdout.split())
        rows.append(f"| {what} | {size:,} x {size:,} x {dimension} | {peak:.0f} | {own:.0f} |")
    head = "| | size | peak MB | of this the vectors |\n|:--|:--|--:|--:|\n"
    return "### Memory, in a fresh process, random vectors\n\n" + head + "\n".join(rows)


def speed(case: Case) -> str:
    source, target, _ = case
    operations = 2 * len(source) * len(target) * source.shape[1] / 1e9
    timing = plain("sgemm", lambda: sgemm(source, target))
    return f"sgemm: {operations / timing.cpu:.0f} GFLOP in a CPU second, with one thread."


def main() -> None:
    halves, vectors, gold = SHARED / "bli" / "pseudo", SHARED / "vectors", SHARED / "bli"
    pseudo = mapped(
        (halves / "en0.vec.gz", halves / "en1.vec.gz"), halves / "train.txt", halves / "test.txt"
    )
    french = mapped(
        (vectors / "en.vec.gz", vectors / "fr.vec.gz"),
        gold / "en-fr.0-5000.txt",
        gold / "en-fr.5000-6500.txt",
    )
    parts = [f"# Retrieval\n\n`python bench/retrieval.py`, {machine()}. {speed(pseudo)}"]
    sections: list[Callable[[], str]] = [
        lambda: of_neighbors(french),
        lambda: of_induction(pseudo),
        lambda: of_csls("en-fr", french),
        lambda: of_csls("pseudo", pseudo),
        lambda: of_large(enlarged(pseudo)),
        of_memory,
    ]
    RESULTS.parent.mkdir(exist_ok=True)
    for section in sections:  # written after each section, in case a later one is interrupted
        parts.append(section())
        RESULTS.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    print(RESULTS.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
