"""Quality and time of re-ranked candidates: `python bench/reranking.py`.

Mappings by `vecmap-s:dewhiten=0.5` from a training lexicon, with a reranker learnt from the same
lexicon by cross-fitting, evaluated on a test lexicon with other words: MUSE's and XLing's lexicons
with the vectors of ../shared/data, and the two halves of English. One thread. Writes
bench/results/reranking.md.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from misword import evaluate, map_vectors
from misword.bli.evaluation.result import Evaluation
from misword.io.lexicons import read_lexicon
from timing import machine

RESULTS = Path(__file__).parent / "results" / "reranking.md"
SHARED = Path(__file__).parents[2] / "shared" / "data"
METHOD = "vecmap-s:dewhiten=0.5"
RETRIEVERS = ("csls", "reranked", "reranked:spelling=false")
T = TypeVar("T")


@dataclass(frozen=True)
class Case:
    """Vectors of two languages, a training lexicon and a test lexicon."""

    name: str
    source: Path
    target: Path
    train: Path
    test: Path


def cases() -> Iterator[Case]:
    lexicons, vectors = SHARED / "bli", SHARED / "vectors"
    for target in ("fr", "de"):
        pair, files = f"en-{target}", (vectors / "en.vec.gz", vectors / f"{target}.vec.gz")
        muse = (lexicons / f"{pair}.0-5000.txt", lexicons / f"{pair}.5000-6500.txt")
        yield Case(f"{pair}, MUSE", *files, *muse)
        folder = lexicons / "xling" / pair
        train, test = (f"yacle.{part}.{pair}.tsv" for part in ("train.freq.5k", "test.freq.2k"))
        yield Case(f"{pair}, XLing", *files, folder / train, folder / test)
    pseudo = lexicons / "pseudo"
    files = pseudo / "en0.vec.gz", pseudo / "en1.vec.gz"
    yield Case("pseudo", *files, pseudo / "train.txt", pseudo / "test.txt")


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """Return a result and the CPU seconds that it took."""
    start = time.process_time()
    return work(), time.process_time() - start


def rows(case: Case) -> Iterator[str]:
    """Yield a row of the table for each retriever."""
    lexicon = read_lexicon(case.train, lower=True)
    vectors = case.source, case.target
    plain = timed(lambda: map_vectors(*vectors, METHOD, lexicon=lexicon, workers=1))[1]
    mapping, whole = timed(
        lambda: map_vectors(*vectors, METHOD, lexicon=lexicon, rerank=lexicon, workers=1)
    )
    gold = read_lexicon(case.test, lower=True)
    judged = evaluate(mapping, gold, 1, retriever=RETRIEVERS, bootstrap=0, workers=1)
    for number, retriever in enumerate(RETRIEVERS):
        cells = [case.name, f"`{retriever}`", *figures(judged, number)]
        cells.append(f"{whole - plain:.1f}" if number == 1 else "")
        yield f"| {' | '.join(cells)} |"


def figures(judged: Evaluation, number: int) -> list[str]:
    """Return hit@1, its headwords, precision and recall at 0.5, and the calibration errors."""
    system = judged.systems[number]
    hit = judged.rates.filter(system=system, metric="hit@1").row(0, named=True)
    cells = [f"{hit['whole']:,}", f"{100 * hit['rate']:.2f}"]
    tables = judged.probabilities
    if not judged.gold_ranks[number].gives_probabilities:
        return [*cells, "", "", "", ""]
    half = tables.thresholds.filter(system=system, threshold=0.5).row(0, named=True)
    cells += [f"{100 * half[name]:.1f}" for name in ("precision", "recall")]
    errors = tables.calibration_errors.filter(system=system).to_dicts()
    return cells + [f"{row['error']:.4f}" for row in errors]


def main() -> None:
    header = (
        "| lexicon | retriever | headwords | hit@1 | precision at 0.5 | recall at 0.5 "
        "| ECE, all | ECE, first | CPU s |\n|:--|:--|--:|--:|--:|--:|--:|--:|--:|"
    )
    lines = [row for case in cases() for row in rows(case)]
    RESULTS.write_text(
        f"# Re-ranked candidates\n\n`python bench/reranking.py`, {machine()}, one thread.\n\n"
        "hit@1, precision and recall in percent; ECE is the expected calibration error of all "
        "candidates and of the first of each headword; CPU s is the time of learning the "
        "reranker, beyond that of the mapping.\n\n" + "\n".join([header, *lines]) + "\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
