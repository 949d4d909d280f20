"""`misword-r` against `misword-s` on test lexicons: `python bench/better_map.py`.

Both learn from MUSE's and XLing's training lexicons with the vectors of ../shared/data, and from
the two halves of English, with several seeds; hit@1 by CSLS on the covered words of the test
lexicon, mean and range over the seeds, and CPU seconds of the mapping from vectors that are in the
cache. With `--reranked N`, N seeds with a reranker that is learnt from the training lexicon. One
thread. Writes bench/results/better-map.md, or better-map-reranked.md.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

from misword import evaluate, map_vectors
from misword.io.lexicons import Lexicon, read_lexicon
from reranking import Case, cases
from timing import machine

RESULTS = Path(__file__).parent / "results"
METHODS = ("misword-s", "misword-r")
SEEDS = 5


def hit(case: Case, method: str, seed: int, gold: Lexicon, reranked: bool) -> tuple[float, float]:
    """Return hit@1 in percent and the CPU seconds of the training."""
    lexicon = read_lexicon(case.train, lower=True)
    start = time.process_time()
    mapping = map_vectors(
        case.source, case.target, method, lexicon=lexicon, seed=seed, workers=1,
        rerank=lexicon if reranked else None,
    )  # fmt: skip
    seconds = time.process_time() - start
    retriever = "reranked" if reranked else "csls"
    judged = evaluate(mapping, gold, 1, retriever=retriever, bootstrap=0, workers=1)
    rate = judged.rates.filter(metric="hit@1").row(0, named=True)["rate"]
    return 100 * float(rate), seconds


def row(case: Case, seeds: int, reranked: bool) -> str:
    """Return a row of the table."""
    gold = read_lexicon(case.test, lower=True)
    cells, means = [case.name, "reranked" if reranked else "csls", f"{seeds}"], []
    for method in METHODS:
        found = [hit(case, method, seed, gold, reranked) for seed in range(seeds)]
        hits, seconds = (np.array(values) for values in zip(*found, strict=True))
        means.append(hits.mean())
        cells.append(f"{hits.mean():.2f} ({hits.min():.2f} to {hits.max():.2f})")
        cells.append(f"{seconds.mean():.1f}")
    cells.append(f"{means[1] - means[0]:+.2f}")
    return f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--reranked", type=int, default=0, metavar="SEEDS")
    seeds = parser.parse_args().reranked
    lines = []
    for case in cases():
        lines.append(row(case, seeds or SEEDS, reranked=bool(seeds)))
        print(lines[-1], flush=True)
    header = "| lexicon | retriever | seeds | misword-s | CPU s | misword-r | CPU s | difference |"
    text = [
        "# A better map, reranked" if seeds else "# A better map",
        f"`python bench/better_map.py{f' --reranked {seeds}' if seeds else ''}`, {machine()}, one "
        "thread. hit@1 in percent of the covered words of the test lexicon: mean over seeds (least "
        "to greatest); CPU seconds of the training, with that of the reranker where there is one. "
        "The spelling of `pseudo`, whose words differ by a suffix only, tells the translation.",
        "\n".join([header, "|:--|:--|--:|--:|--:|--:|--:|--:|", *lines]),
    ]
    path = RESULTS / ("better-map-reranked.md" if seeds else "better-map.md")
    path.write_text("\n\n".join(text) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
