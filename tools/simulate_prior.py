"""How good weights become with few choices, with and without a prior that was learnt from others.

    python tools/simulate_prior.py [FILE]      writes bench/results/prior.md

FILE has choices, ../shared/data/hats-dev.tsv by default. In each draw, one half of the references
gives the prior. Of the other half, 20 or 50 random choices are learnt from, and all choices of the
references that are not among them are the test. The table has the mean agreement over draws, and
the difference from learning without a learnt prior, in points, with the 95 % interval of its mean
over draws. All draws are from the same choices: the interval says how exact the simulation is, not
how other people would choose.

- `no penalty`: logistic regression with weights that are not negative, without any prior.
- `equal influence`: the default of `misword fit`.
- `learnt prior`: the weights of the other half as `--prior`.
- `wrong prior`: a prior that has only CER, as it would be learnt from people who count letters.
- `prior alone`: the weights of the other half, without any choice of this half.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from math import sqrt
from pathlib import Path

import numpy as np

from misword.asr.measuring import create_metrics, prepare_with
from misword.asr.options import combine
from misword.asr.people.judgements import Choices, Rows, Vector, judge, read_judgements
from misword.asr.people.learning import agreements, proportions
from misword.core.context import Context
from misword.stat.regression import Prior

RESULTS = Path(__file__).parent.parent / "bench" / "results" / "prior.md"
HATS = Path(__file__).parent.parent.parent / "shared" / "data" / "hats-dev.tsv"
BLENDS = ("cer,per:cost=features,semdist,bertscore", "cer,per,wil")
SIZES = (20, 50)
DRAWS = 400
LEVELS = np.array([1.0, 0.7, 0.0])
BASELINE = "equal influence"


def choices_of(path: Path, metrics: str) -> Choices:
    """Return choices with the features of metrics."""
    context = Context.of("fr")
    options = combine(context, metrics=metrics)
    texts = read_judgements(path, None, None)
    pairs = prepare_with(options, texts.corpus, (), context)
    judged = judge(texts, pairs, create_metrics(options.metrics, context))
    assert isinstance(judged, Choices)
    return judged


def learnt_weights(choices: Choices, rows: Rows, prior: Vector) -> Iterator[tuple[str, Vector]]:
    """Yield the weights of each way to learn from some rows."""
    sizes = choices.sizes(rows)
    plain = Prior(np.ones(len(sizes)), 0.0)
    yield "no penalty", choices.learn(rows, plain) / sizes
    yield BASELINE, choices.fit(rows)
    yield "learnt prior", choices.fit(rows, prior)
    yield "wrong prior", choices.fit(rows, np.eye(len(sizes))[0])
    yield "prior alone", prior


def simulate(choices: Choices, size: int) -> dict[str, Vector]:
    """Return the agreement in each draw (rows) at each level of consensus, for each way."""
    rng = np.random.default_rng(0)
    count = int(choices.references.max()) + 1
    found: dict[str, list[Vector]] = {}
    for _ in range(DRAWS):
        others = np.isin(choices.references, rng.permutation(count)[: count // 2])
        prior = proportions(choices.fit(np.flatnonzero(others)))
        own = np.flatnonzero(~others)
        rows = rng.permutation(own)[:size]
        seen = np.isin(choices.references[own], choices.references[rows])
        test = own[~seen]
        for name, weights in learnt_weights(choices, rows, prior):
            predictions = choices.features[test] @ proportions(weights)
            agreed = agreements(choices, predictions, test, LEVELS)
            found.setdefault(name, []).append(100 * agreed)
    return {name: np.array(values) for name, values in found.items()}


def table(metrics: str, size: int, found: dict[str, Vector]) -> list[str]:
    """Return the rows of one simulation as Markdown."""
    lines = []
    for name, values in found.items():
        agreed = " / ".join(f"{value:.1f}" for value in values.mean(axis=0))
        gained = values - found[BASELINE]
        half = 1.96 * gained.std(axis=0, ddof=1) / sqrt(len(gained))
        pairs = zip(gained.mean(axis=0), half, strict=True)
        shown = " / ".join(f"{mean:+.1f} ± {width:.1f}" for mean, width in pairs)
        shown = "" if name == BASELINE else shown
        lines.append(f"| {metrics} | {size} | {name} | {agreed} | {shown} |")
    return lines


def main(path: Path = HATS) -> None:
    """Simulate all blends and sizes, and write the table."""
    lines = [
        "# Few choices, with and without a learnt prior",
        "",
        f"`python tools/simulate_prior.py`: {DRAWS} draws; agreement in percent at 100 % / 70 % / "
        f"any consensus; the last column is the difference from `{BASELINE}`",
        "",
        "| metrics | choices | weights | agreed | difference |",
        "|:--|--:|:--|--:|--:|",
    ]
    for metrics in BLENDS:
        choices = choices_of(path, metrics)
        for size in SIZES:
            lines += table(metrics, size, simulate(choices, size))
    RESULTS.write_text("\n".join(lines) + "\n", "utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
