"""Hit rates of one mapping under different settings: `python bench/lexicon.py`.

Procrustes on the vectors of ../shared/data, evaluated on the MUSE test dictionaries with each rule
for out-of-vocabulary words, and with different numbers of words read. These settings change the
rates more than most methods do. Also the cost of an evaluation. Writes bench/results/lexicon.md.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from misword.bli.evaluate import evaluate
from misword.bli.evaluation.result import Evaluation
from misword.bli.map import map_vectors
from misword.bli.mapping import Mapping
from misword.bli.options import OOV_RULES
from misword.core.formatting import percent_of
from misword.io.vectors.text import listed_words
from timing import machine

DATA = Path(__file__).parent.parent.parent / "shared" / "data"
RESULTS = Path(__file__).parent / "results" / "lexicon.md"
LANGUAGES = ("fr", "de")
SIZES = (5_000, 10_000, 20_000, 30_000)


def vectors(language: str) -> Path:
    return DATA / "vectors" / f"{language}.vec.gz"


def trained(language: str, size: int | None = None) -> Mapping:
    lexicon = DATA / "bli" / f"en-{language}.0-5000.txt"
    method = "procrustes:normalize=unit+center+unit"
    return map_vectors(vectors("en"), vectors(language), method, lexicon=lexicon, max_words=size)


def test(language: str) -> Path:
    return DATA / "bli" / f"en-{language}.5000-6500.txt"


def cell(evaluation: Evaluation, metric: str) -> str:
    row = evaluation.rates.filter(metric=metric).row(0, named=True)
    return f"{percent_of(row['part'], row['whole'])} ({row['part']:,} of {row['whole']:,})"


def rules() -> list[str]:
    lines = ["| | --oov | hit@1 nn | hit@1 csls | hit@10 csls |", "|:--|:--|--:|--:|--:|"]
    for language in LANGUAGES:
        mapping = trained(language)
        for oov in OOV_RULES:
            nn, csls = (
                evaluate(mapping, test(language), retriever=name, oov=oov, bootstrap=0)
                for name in ("nn", "csls")
            )
            cells = cell(nn, "hit@1"), cell(csls, "hit@1"), cell(csls, "hit@10")
            lines.append(f"| en-{language} | {oov} | {' | '.join(cells)} |")
    return lines


def sizes() -> list[str]:
    lines = [
        "| | words read | headwords beyond | hit@1, drop | hit@1, error | recall@10 |",
        "|:--|--:|--:|--:|--:|--:|",
    ]
    for language in LANGUAGES:
        for size in SIZES:
            mapping = trained(language, size)
            drop, error = (
                evaluate(mapping, test(language), oov=oov, bootstrap=0) for oov in ("drop", "error")
            )
            beyond = drop.coverage["source_beyond"][0]
            cells = [cell(drop, "hit@1"), cell(error, "hit@1"), cell(drop, "recall@10")]
            lines.append(f"| en-{language} | {size:,} | {beyond:,} | {' | '.join(cells)} |")
    return lines


def costs() -> list[str]:
    mapping = trained("fr")
    gold = test("fr")

    def clock(name: str, work: Any) -> str:
        cpu, wall = time.process_time(), time.perf_counter()
        work()
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        return f"| {name} | {cpu:.2f} | {wall:.2f} |"

    evaluate(mapping, gold, 1, bootstrap=0)  # modules are imported once
    words = {f"no-such-word-{i}" for i in range(1000)}
    plain: dict[str, Any] = {"retriever": "nn", "bootstrap": 0}
    file = vectors("fr")
    return [
        "| | CPU s | wall s |",
        "|:--|--:|--:|",
        clock("evaluate, csls, 1,000 resamples", lambda: evaluate(mapping, gold)),
        clock("evaluate, csls, no intervals", lambda: evaluate(mapping, gold, bootstrap=0)),
        clock("evaluate, nn, no intervals", lambda: evaluate(mapping, gold, **plain)),
        clock("look for words beyond, 30,000 lines, gzip", lambda: listed_words(file, words)),
    ]


def main() -> None:
    parts = [
        "# One mapping, many hit rates",
        f"`python bench/lexicon.py`, {machine()}. Procrustes after unit, center, unit on 30,000 x "
        "100 vectors; the 1,500 headwords of the MUSE test dictionaries.",
        "## Rules for words out of the vocabulary",
        "\n".join(rules()),
        "## Words read (`--max-words`), csls",
        "\n".join(sizes()),
        "## Cost, en-fr",
        "\n".join(costs()),
    ]
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    print(RESULTS.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
