"""Learn the model of the probability that a span of a reference is wrong; write its weights.

Errors are planted into the references of Earnings-21, and the suspects that four recognisers and
three of them give are the examples. Another planting measures the model: suspects of calls that the
weights were not learnt from.

Usage: python tools/make_suspects.py EARNINGS21
"""

from __future__ import annotations

import json
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from misword.asr.options import combine
from misword.asr.references.candidates import find_candidates, listen
from misword.asr.references.evidence import FEATURES, Evidence
from misword.core.context import Context
from misword.core.lazy import pl
from misword.core.types import Corpus
from misword.io.transcripts.read import read_corpus
from misword.stat.regression import fit_logistic
from planted_references import is_planted, plant

SYSTEMS = ("amazon", "google", "microsoft", "speechmatics")
TARGET = Path(__file__).parents[1] / "src/misword/asr/references/weights.json"
RATE = 0.01
SEEDS = (101, 102)  # of the plantings with all systems; other seeds have three of them


def examples(corpus: Corpus, seed: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the features of all candidates, and whether each was planted."""
    context = Context.of("en")
    options = combine(context, "wer", forgive="writing")
    texts = corpus.references["text"].to_list()
    planted = plant(texts, listen(corpus, options, (), context), RATE, seed)
    changed = corpus.references.with_columns(pl.Series("text", planted.texts))
    heard = listen(Corpus(changed, corpus.hypotheses), options, (), context)
    candidates = find_candidates(heard, options, context)
    labels = [is_planted(one.start, one.end, planted.spans[one.row]) for one in candidates]
    return Evidence(candidates, heard, "en").features, np.array(labels, np.float64)


def main(folder: Path) -> None:
    """Learn the weights and write them."""
    paths = [folder / name for name in SYSTEMS]
    corpus, _ = read_corpus(folder / "nlp_references", paths)
    parts = [examples(corpus, seed) for seed in SEEDS]
    for number, names in enumerate(combinations(SYSTEMS, 3)):
        some = corpus.hypotheses.filter(pl.col("system").is_in(names))
        parts.append(examples(Corpus(corpus.references, some), SEEDS[-1] + 1 + number))
    features, labels = (np.concatenate(column) for column in zip(*parts, strict=True))
    found = fit_logistic(features, labels)
    content = {"features": list(FEATURES), **found.as_json()}
    rounded = {
        name: [round(value, 6) if isinstance(value, float) else value for value in values]
        if isinstance(values, list)
        else round(values, 6)
        for name, values in content.items()
    }
    TARGET.write_text(json.dumps(rounded, indent=1) + "\n", encoding="utf-8")
    print(f"{len(labels):,} examples, {int(labels.sum()):,} planted")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
