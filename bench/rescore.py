"""Hypotheses per second of `misword rescore`: `python bench/rescore.py`

The hypotheses are those of the demonstration corpus (English, PocketSphinx and Whisper). The n-gram
model is made here, from counts of the hypotheses; its size matters little for the time. The neural
model is SmolLM2-135M. Times are CPU seconds, with the models loaded before and without the cache;
all models run in turns, and the best of three runs counts. Writes bench/results/rescore.md.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from functools import partial
from itertools import pairwise
from math import log10
from pathlib import Path

import numpy as np

import misword
from misword.core.context import Context
from misword.embed.language_models import LANGUAGE_MODELS, LanguageModel
from timing import Timing, clock, machine

RESULTS = Path(__file__).parent / "results" / "rescore.md"
DEMO = Path(misword.__file__).parent / "demo" / "en"
NEURAL = 200  # texts for the neural models
REPEATS = 50  # of the texts for the n-gram model
RUNS = 3
SPECS = ("causal:smollm2", "causal:smollm2,dtype=int8")


def main() -> None:
    """Measure, and write the table."""
    texts = hypotheses()
    some = texts[:: max(1, len(texts) // NEURAL)][:NEURAL]
    with tempfile.TemporaryDirectory() as name:
        ngram = LANGUAGE_MODELS.create(f"ngram:{bigrams(texts, Path(name) / 'bigrams.arpa')}")
        rows = [measured("ngram", ngram, texts * REPEATS)]
    models = {spec: LANGUAGE_MODELS.create(spec) for spec in SPECS}
    rows += [measured(spec, model, some) for spec, model in models.items()]
    exact, rounded = (model.features(some, Context())[:, 0] for model in models.values())
    text = (
        f"# Language models for N-best lists\n\n{machine()}. Texts of {words(some):.1f} words on "
        "average.\n\n| model | texts | CPU ms a text | texts a CPU second |\n|:--|--:|--:|--:|\n"
        + "\n".join(rows)
        + "\n\nLog-probabilities of int8 are "
        f"{np.mean(rounded - exact):+.1f} from those of float32 on average, with a standard "
        f"deviation of {np.std(rounded - exact):.1f}.\n"
    )
    RESULTS.write_text(text)


def hypotheses() -> list[str]:
    """Return the distinct hypotheses of both recognisers."""
    names = ("pocketsphinx", "whisper-tiny")
    lines = [line for n in names for line in (DEMO / f"{n}.nbest.jsonl").open(encoding="utf-8")]
    return list(dict.fromkeys(json.loads(line)["text"] for line in lines))


def words(texts: list[str]) -> float:
    """Return the mean number of words."""
    return float(np.mean([len(text.split()) for text in texts]))


def bigrams(texts: list[str], path: Path) -> Path:
    """Write a model of the bigrams of texts, without smoothing, to a file."""
    rows = [["<s>", *text.split(), "</s>"] for text in texts]
    single = Counter(word for row in rows for word in row)
    pairs = Counter(pair for row in rows for pair in pairwise(row))
    total = sum(single.values())
    lines = ["\\data\\", f"ngram 1={len(single) + 1}", f"ngram 2={len(pairs)}", "", "\\1-grams:"]
    lines += ["-6\t<unk>", *(f"{log10(n / total):.4f}\t{w}\t-1" for w, n in single.items())]
    lines += ["", "\\2-grams:"]
    lines += [f"{log10(n / single[a]):.4f}\t{a} {b}" for (a, b), n in pairs.items()]
    path.write_text("\n".join([*lines, "", "\\end\\", ""]), encoding="utf-8")
    return path


def measured(name: str, model: LanguageModel, texts: list[str]) -> str:
    """Return the row of a model."""
    context = Context()
    model.features(texts[:2], context)  # loads the model
    timing: Timing = clock(name, "", partial(model.features, texts, context), RUNS)
    per_text = timing.cpu / len(texts)
    return f"| `{name}` | {len(texts):,} | {1000 * per_text:.4g} | {1 / per_text:,.0f} |"


if __name__ == "__main__":
    main()
