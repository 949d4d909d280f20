"""How often nightly runs of an unchanged system raise an alarm, and how soon a loss is found.

    python tools/simulate_changes.py [DATA]      writes bench/results/changes.md

A history has 100 nights of one system. `fresh` nights draw new utterances, `fixed` nights have the
same utterances, on which a few results change from night to night. Utterances are those of
`simulated` populations (Poisson errors whose expectation varies), or real ones of DATA
(../shared/data by default): `wce` (2,643 French utterances) and `librispeech` (test-other), drawn
with replacement. A loss is 5 % of the rate: each error has another one beside it with probability
0.05. It begins in a night between 10 and 95 and counts as found if a rise is reported after one of
its first three nights.

The first table has the constant of `looks_p` in `stat/benchmarks/changes.py`, fitted to white
noise.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from math import exp
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import misword
from misword.stat.benchmarks.changes import LENGTHS, LOOKS, RunRows, Series, changes, looks_p

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "bench" / "results" / "changes.md"
DATA = ROOT.parent / "shared" / "data"
NIGHTS, LOSS, NEAR = 100, 0.05, 3
HISTORIES = 500
Integers = NDArray[np.int64]
Random = np.random.Generator
Draw = Callable[[Random, int], Integers]


def largest(trials: int, rng: Random) -> NDArray[np.float64]:
    """Return the largest comparison in 100 looks at white noise, of each trial."""
    size = LOOKS + 1
    sums = np.zeros((trials, size + 1))
    sums[:, 1:] = rng.standard_normal((trials, size)).cumsum(axis=1)
    found = np.zeros(trials)
    for now in range(1, size):
        for length in (length for length in LENGTHS if length <= now):
            middle = now + 1 - length
            after = (sums[:, now + 1] - sums[:, middle]) / length
            z = np.abs(after - sums[:, middle] / middle) / np.sqrt(1 / length + 1 / middle)
            np.maximum(found, z, out=found)
    return found


def simulated(rng: Random, size: int) -> Integers:
    """Errors and words of utterances; WER 10 %."""
    words = rng.integers(3, 30, size)
    return np.stack([rng.poisson(words * 0.1 * rng.gamma(2.0, 0.5, size)), words], axis=1)


def population(data: Path, name: str) -> Draw:
    """Return the function that draws real utterances."""
    if name == "wce":
        references = (data / "wce-dev" / "ref.fr").read_text("utf-8").splitlines()
        texts = (data / "wce-dev" / "hyp" / "scale_10.fr").read_text("utf-8").splitlines()
    else:
        lists = json.loads((data / "nbest" / "librispeech-other.json").read_text("utf-8"))
        references, texts = [r["output"] for r in lists], [r["input"][0] for r in lists]
    scores = misword.score(references, texts, "wer")
    rows = scores.columns[0].terms(scores.table)
    return lambda rng, size: rows[rng.integers(len(rows), size=size)]


def run_of(rows: Integers, ids: str) -> tuple[float, RunRows]:
    """Return the rate of a night, and the effects of its utterances."""
    errors, words = rows.T.astype(np.float64)
    rate = errors.sum() / words.sum()
    return float(rate), RunRows(ids, (errors - rate * words) / words.sum())


def history(
    rng: Random, draw: Draw, size: int, nights: int, loss_at: int, *, fixed: bool
) -> Series:
    """Return the nights of a system that gets worse at night `loss_at`, if that is one of them."""
    same = draw(rng, size)
    rates, rows = [], []
    for night in range(nights):
        own = same.copy() if fixed else draw(rng, size)
        if fixed:  # decoding differs a little from night to night
            own[:, 0] += rng.poisson(0.005 * own[:, 1])
        if night >= loss_at:
            own[:, 0] += rng.binomial(own[:, 0], LOSS)
        rate, effects = run_of(own, "all" if fixed else str(night))
        rates.append(rate)
        rows.append([effects])
    return Series.of(rates, rows)


def false_alarms(draw: Draw, size: int, *, fixed: bool, seed: int) -> float:
    """Return the share of histories of an unchanged system with an alarm."""
    rng = np.random.default_rng(seed)
    return float(np.mean([
        bool(changes(history(rng, draw, size, NIGHTS, NIGHTS, fixed=fixed)))
        for _ in range(HISTORIES)
    ]))  # fmt: skip


def found_soon(draw: Draw, size: int, *, fixed: bool, seed: int) -> float:
    """Return the share of losses that are found within three nights."""
    rng = np.random.default_rng(seed)
    found = 0
    for _ in range(HISTORIES):
        at = int(rng.integers(10, 96))
        series = history(rng, draw, size, min(at + NEAR, NIGHTS), at, fixed=fixed)
        found += any(
            change.after > change.before and change.found >= at for change in changes(series)
        )
    return found / HISTORIES


def main(data: Path) -> None:
    """Run all simulations and write the results."""
    rng = np.random.default_rng(0)
    sizes = np.concatenate([largest(2000, rng) for _ in range(20)])
    lines = [
        "# Changes in nightly runs",
        "",
        "`python tools/simulate_changes.py`. The largest comparison in 100 looks at white noise "
        f"({len(sizes):,} histories), and the probability that `looks_p` gives it:",
        "",
        "| level | z | fitted constant | looks_p |",
        "|--:|--:|--:|--:|",
    ]
    for level in (0.1, 0.05, 0.02, 0.01, 0.002):
        z = float(np.quantile(sizes, 1 - level))
        constant = level / (z * exp(-z * z / 2))
        lines.append(f"| {level:g} | {z:.3f} | {constant:.1f} | {looks_p(z):.4f} |")
    lines += [
        "",
        f"{NIGHTS} nights, {HISTORIES:,} histories each. Bars: at most 5 % of histories of an "
        "unchanged system with a false alarm; at 5,000 utterances a night, a loss of 5 % found "
        "within three nights in 90 % or more.",
        "",
        "| utterances | a night | nights | WER, % | false alarms, % | found within 3 nights, % |",
        "|:--|--:|:--|--:|--:|--:|",
    ]
    print("\n".join(lines), flush=True)
    draws = {"simulated": simulated, "wce": population(data, "wce"),
             "librispeech": population(data, "librispeech")}  # fmt: skip
    for name, draw in draws.items():
        rows = draw(np.random.default_rng(1), 100_000)
        rate = 100 * rows[:, 0].sum() / rows[:, 1].sum()
        for size, kind in ((5000, "fresh"), (5000, "fixed"), (500, "fresh")):
            fixed = kind == "fixed"
            alarms = false_alarms(draw, size, fixed=fixed, seed=size)
            found = found_soon(draw, size, fixed=fixed, seed=size + 1)
            lines.append(f"| {name} | {size:,} | {kind} | {rate:.1f} | {100 * alarms:.1f} "
                         f"| {100 * found:.1f} |")  # fmt: skip
            print(lines[-1], flush=True)
    RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else DATA)
