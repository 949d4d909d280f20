"""How often intervals of averages contain the true average, and how often equal systems tie.

    python tools/simulate_benchmarks.py [DATA]      writes bench/results/benchmarks.md

Each trial draws the utterances of several test sets from populations whose rates are known, and
computes macro and micro averages, their intervals and the ranks as `misword bench` does.

- `equal sizes`: five sets of 200 utterances, WER 5 to 25 %, Poisson errors whose expectation varies
  from utterance to utterance (gamma).
- `unequal sizes`: eight sets of 40 to 1,500 utterances.
- `bursts`: five sets of 150 utterances, a few of which failed as a whole.
- `real`: the utterances of the two LibriSpeech sets and of VoxPopuli in DATA (../shared/data by
  default) as populations; 5 systems.

Systems of the test of ranks are equally good: the results of an utterance are exchanged between the
systems at random. In `best and equal`, one system is better than all others by ten standard errors,
and the others are equally good.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from functools import partial
from math import sqrt
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import misword
from misword.core.lazy import pl
from misword.stat.benchmarks.matrix import MACRO, SetRows, averages
from misword.stat.benchmarks.ranks import corrected, ranks, test_pairs
from misword.stat.bootstrap import Bootstrap

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "bench" / "results" / "benchmarks.md"
DATA = ROOT.parent / "shared" / "data"
TRIALS, RANK_TRIALS = 2000, 1000
POPULATION = 400_000
Integers = NDArray[np.int64]
Random = np.random.Generator
WER = misword.score(["a"], ["a"], "wer").columns[0]


def gamma_set(rng: Random, size: int, rate: float, spread: float = 2.0) -> Integers:
    """Errors and words of utterances whose expected rate varies."""
    words = rng.integers(3, 30, size)
    errors = rng.poisson(words * rate * rng.gamma(spread, 1 / spread, size))
    return np.stack([errors, words], axis=1)


def burst_set(rng: Random, size: int, rate: float) -> Integers:
    """Errors and words; one utterance in fifty failed as a whole."""
    rows = gamma_set(rng, size, rate)
    failed = rng.random(size) < 0.02
    rows[failed, 0] = rows[failed, 1]
    return rows


Draw = Callable[[Random, int], Integers]


def made_sets(kind: str) -> list[tuple[Draw, int]]:
    """Return how the rows of each set are drawn, and the number of utterances."""
    if kind == "unequal sizes":
        sizes = (40, 60, 100, 150, 250, 400, 800, 1500)
        return [(partial(gamma_set, rate=0.04 + 0.03 * k), n) for k, n in enumerate(sizes)]
    if kind == "bursts":
        return [(partial(burst_set, rate=0.05 * (k + 1)), 150) for k in range(5)]
    return [(partial(gamma_set, rate=0.05 * (k + 1)), 200) for k in range(5)]


def rate_of(rows: Integers) -> float:
    """Return the rate of the sums."""
    return float(rows[:, 0].sum() / rows[:, 1].sum())


def as_sets(drawn: list[Integers]) -> list[SetRows]:
    """Return sets of the rows of several systems: (utterances, systems, terms)."""
    return [
        SetRows(f"set {place}", WER, tuple(f"s{k}" for k in range(rows.shape[1])), rows,
                rows[..., 0].sum(axis=0) / rows[..., 1].sum(axis=0))
        for place, rows in enumerate(drawn)
    ]  # fmt: skip


def coverage(kind: str, seed: int) -> tuple[float, float]:
    """Return the shares of trials whose intervals contain the true averages: macro and micro.

    The population of the micro average has the sets in the same proportions as the trial.
    """
    parts = made_sets(kind)
    rng = np.random.default_rng(seed)
    whole = [draw(rng, POPULATION) for draw, _ in parts]
    true_macro = float(np.mean([rate_of(rows) for rows in whole]))
    weights = [size / POPULATION for _, size in parts]
    sums = sum(w * rows.sum(axis=0) for w, rows in zip(weights, whole, strict=True))
    return covered(lambda: [draw(rng, size) for draw, size in parts],
                   true_macro, float(sums[0] / sums[1]))  # fmt: skip


def covered(draw: Callable[[], list[Integers]], macro: float, micro: float) -> tuple[float, float]:
    """Return in which share of trials the intervals contain the two averages."""
    hits = np.zeros(2)
    for trial in range(TRIALS):
        rows = as_sets([own[:, None] for own in draw()])
        found = averages(rows, ["s0"], Bootstrap(seed=trial))
        for place, (true, own) in enumerate(((macro, found.macro), (micro, found.micro))):
            hits[place] += own["s0"].low <= true <= own["s0"].high
    return float(hits[0] / TRIALS), float(hits[1] / TRIALS)


def real_terms(data: Path) -> list[Integers]:
    """Return errors and words of the real sets: (utterances, systems, terms)."""
    found = []
    for name in ("clean", "other"):
        lists = json.loads((data / "nbest" / f"librispeech-{name}.json").read_text("utf-8"))
        texts = {f"s{k}": [row["input"][k] for row in lists] for k in range(5)}
        found.append(terms([row["output"] for row in lists], texts))
    files = sorted((data / "panel").glob("*.jsonl"))
    rows = [[json.loads(line) for line in file.read_text("utf-8").splitlines()] for file in files]
    references = [row["text"] for row in rows[0]]
    systems = {f"s{k}": [row["pred_text"] for row in own] for k, own in enumerate(rows)}
    found.append(terms(references, systems))
    return found


def terms(references: list[str], systems: dict[str, list[str]]) -> Integers:
    """Score texts; return the terms of all systems."""
    scores = misword.score(references, systems, "wer", normalize="lower,nopunct")
    column = scores.columns[0]
    return np.stack([column.terms(scores.table.filter(system=name)) for name in systems], axis=1)


def real_coverage(sets: list[Integers], seed: int) -> tuple[float, float]:
    """Return the coverage for test sets that are drawn from real utterances."""
    rng = np.random.default_rng(seed)
    first = [own[:, 0] for own in sets]
    macro = float(np.mean([rate_of(own) for own in first]))
    total = sum(own.sum(axis=0) for own in first)
    return covered(lambda: [own[rng.integers(len(own), size=len(own))] for own in first],
                   macro, float(total[0] / total[1]))  # fmt: skip


def exchanged(rng: Random, rows: Integers, best: float = 0.0) -> Integers:
    """Return rows whose results are exchanged between the systems at random.

    With `best`, the first system keeps its place and has only this share of its errors.
    """
    start = 1 if best else 0
    order = np.argsort(rng.random(rows.shape[:2]), axis=1)
    if best:
        order = np.concatenate([np.zeros((len(rows), 1), np.int64),
                                1 + np.argsort(rng.random((len(rows), rows.shape[1] - 1)), axis=1)],
                               axis=1)  # fmt: skip
    mixed = np.take_along_axis(rows, order[..., None], axis=1)
    if start:
        mixed[:, 0, 0] = rng.binomial(mixed[:, 0, 0], best)
    return mixed


def ties(draw: Callable[[Random], list[Integers]], seed: int, best: bool = False) -> float:
    """Return the share of trials in which all equally good systems share a rank."""
    rng = np.random.default_rng(seed)
    shared = 0
    for _ in range(RANK_TRIALS):
        rows = as_sets(draw(rng))
        names = list(rows[0].systems)
        found = averages(rows, names, Bootstrap(0))
        tested = corrected(test_pairs(rows, found, MACRO, Bootstrap(0)))
        placed = ranks(tested.filter(pl.col("set").is_null()), names)
        equal = names[1:] if best else names
        shared += len({placed[name].first for name in equal}) == 1
    return shared / RANK_TRIALS


def correlated(rng: Random, size: int, rate: float, systems: int) -> Integers:
    """Errors of several equally good systems, for which the same utterances are hard."""
    words = rng.integers(3, 30, size)
    hard = words * rate * rng.gamma(2.0, 0.5, size)
    errors = rng.poisson(hard[:, None], (size, systems))
    return np.stack([errors, np.repeat(words[:, None], systems, axis=1)], axis=2)


def hard_sets(rng: Random, number: int, systems: int) -> list[Integers]:
    """Several test sets of equally good systems."""
    return [correlated(rng, 200, 0.05 + 0.04 * place, systems) for place in range(number)]


def main(data: Path) -> None:
    """Run all simulations and write the results."""
    lines = [
        "# Averages and ranks of benchmarks",
        "",
        f"`python tools/simulate_benchmarks.py`: {TRIALS:,} trials for intervals (standard error "
        f"{100 * sqrt(0.05 * 0.95 / TRIALS):.1f} points), {RANK_TRIALS:,} for ranks.",
        "",
        "How often 95 % intervals contain the true average:",
        "",
        "| test sets | macro, % | micro, % |",
        "|:--|--:|--:|",
    ]
    for seed, kind in enumerate(("equal sizes", "unequal sizes", "bursts")):
        macro, micro = coverage(kind, seed)
        lines.append(f"| {kind} | {100 * macro:.1f} | {100 * micro:.1f} |")
        print(lines[-1], flush=True)
    sets = real_terms(data)
    macro, micro = real_coverage(sets, 9)
    lines.append(f"| real | {100 * macro:.1f} | {100 * micro:.1f} |")
    lines += ["", "How often all equally good systems share a rank:", "",
              "| systems | test sets | share a rank, % |", "|--:|:--|--:|"]  # fmt: skip
    for count, number in ((3, 3), (5, 5), (10, 4)):
        share = ties(partial(hard_sets, number=number, systems=count), count)
        lines.append(f"| {count} | {number} simulated | {100 * share:.1f} |")
        print(lines[-1], flush=True)
    share = ties(lambda rng: [exchanged(rng, own) for own in sets], 5)
    lines.append(f"| 5 | 3 real | {100 * share:.1f} |")
    share = ties(lambda rng: [exchanged(rng, own, best=0.5) for own in sets], 6, best=True)
    lines.append(f"| 4 and a better one | 3 real | {100 * share:.1f} |")
    RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else DATA)
