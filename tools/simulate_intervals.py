"""How often intervals contain the true value, and how often tests call equal systems different.

    python tools/simulate_intervals.py [DATA]      writes bench/results/intervals.md

Each trial draws a test set of n utterances (or speakers) from a population, and computes the
interval of a rate, or of the difference of two systems, as `score` and `compare` do. The true value
is that of the population. A 95 % interval should contain it in 95 % of the trials. The plain
percentile interval of the same resamples is shown for comparison.

Populations with formulas:

- `wer`: lengths of a gamma distribution, error rates of a beta distribution, WER 15 %.
- `low wer`: the same with WER 3 %, most of it in few utterances.
- `bursts`: lengths of a log-normal distribution, Poisson errors, and utterances that failed.
- `speakers`: rows are speakers with 3 to 15 utterances each and an error rate of their own.
- `wil`: word information lost, which is no quotient of two sums.
- `ser`: sentence error rate 40 %.

A name with `difference` is that of two equally good systems on the same utterances. Test sets are
also drawn from the folder DATA, ../shared/data by default, if it exists: `wce` (a recogniser of
2,643 French utterances with two weights of its language model) and `librispeech` (the first and the
last of the 5-best hypotheses of test-other). Systems of the test of segments (MAPSSWE) are equally
good: in each utterance, the results of the two systems are swapped by the toss of a coin.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

import misword
from misword.core.types import Statistics
from misword.stat.bootstrap import Bootstrap, Levels, distinct, interval, percentiles, resample
from misword.stat.mapsswe import Operations, from_words, mapsswe
from misword.stat.measure import ratio, ratio_of_terms
from misword.stat.paired import paired

RESULTS = Path(__file__).parent.parent / "bench" / "results" / "intervals.md"
DATA = Path(__file__).parent.parent.parent / "shared" / "data"
SIZES = (10, 20, 30, 60, 120, 300)
TRIALS = 500
# Rows of a population that give its true rate.
POPULATION = 2_000_000
PLAIN = Levels(0.025, 0.975)

Random = np.random.Generator
Draw = Callable[[Random, int], Statistics]
Rate = Callable[[Statistics], Statistics]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Population:
    """Terms of test sets, the rate that is computed from them, and its true value.

    If `two` systems are compared, each row has the terms of the first, then of the second.
    """

    draw: Draw
    rate: Rate
    truth: float
    two: bool

    @classmethod
    def of_rows(cls, rows: Statistics, *, two: bool) -> Population:
        """Return the population from which rows are drawn with replacement."""
        sums = rows.sum(axis=0)
        truth = float(ratio_of_terms(sums[-2:]) - (ratio_of_terms(sums[:2]) if two else 0))
        return cls(lambda rng, n: rows[rng.integers(len(rows), size=n)], ratio_of_terms, truth, two)

    @classmethod
    def of_formula(cls, draw: Draw, rate: Rate = ratio_of_terms, *, two: bool) -> Population:
        """Return a population; two systems are equally good, and one has the rate of many rows."""
        truth = 0.0 if two else float(rate(draw(np.random.default_rng(7), POPULATION).sum(axis=0)))
        return cls(draw, rate, truth, two)


@dataclass(frozen=True, slots=True)
class Coverage:
    """Shares of trials in which an interval contains, or lies above or below, the true value."""

    plain: float
    contains: float
    above: float
    below: float


def coverage(population: Population, size: int, trials: int, seed: int = 0) -> Coverage:
    """Compute intervals of `trials` test sets with `size` rows each."""
    rng = np.random.default_rng((seed, size))
    plain, ends = np.empty((trials, 2)), np.empty((trials, 2))
    for trial in range(trials):
        rows, settings = population.draw(rng, size), Bootstrap(seed=trial)
        drawn = resample(distinct(rows), settings)
        width = rows.shape[1] // 2
        if population.two:
            found = paired(rows[:, :width], rows[:, width:], population.rate, settings)
            ends[trial] = found.low, found.high
            sides = population.rate(drawn[:, :width]), population.rate(drawn[:, width:])
            plain[trial] = percentiles(sides[1] - sides[0], PLAIN)
        else:
            ends[trial] = interval(rows, population.rate, settings)
            plain[trial] = percentiles(population.rate(drawn), PLAIN)
    noise = 1e-12
    above = ends[:, 0] > population.truth + noise
    below = ends[:, 1] < population.truth - noise
    outside = (plain[:, 0] > population.truth + noise) | (plain[:, 1] < population.truth - noise)
    return Coverage(*(float(np.mean(part)) for part in (~outside, ~(above | below), above, below)))


def formulas() -> dict[str, Population]:
    """Return the populations with formulas by name."""
    single = {
        "wer": _of_lengths(_gamma_lengths, 2, 11),
        "low wer": _of_lengths(_gamma_lengths, 0.3, 9),
        "bursts": _bursts,
        "speakers": _speakers,
    }
    found = {name: Population.of_formula(_one(draw), two=False) for name, draw in single.items()}
    found["wil"] = Population.of_formula(_information, _information_lost, two=False)
    found["ser"] = Population.of_formula(_sentences, two=False)
    for name, draw in single.items():
        found[f"{name}, difference"] = Population.of_formula(_two(draw), two=True)
    return found


# Draws the lengths of n rows and the mean numbers of errors that systems have in common.
Errors = Callable[[Random, int], tuple[Integers, Callable[[], Integers]]]


def _one(draw: Errors) -> Draw:
    def rows(rng: Random, n: int) -> Statistics:
        words, errors = draw(rng, n)
        return np.stack([errors(), words], axis=1)

    return rows


def _two(draw: Errors) -> Draw:
    def rows(rng: Random, n: int) -> Statistics:
        words, errors = draw(rng, n)
        return np.stack([errors(), words, errors(), words], axis=1)

    return rows


def _gamma_lengths(rng: Random, n: int) -> Integers:
    return rng.gamma(1.5, 8, n).astype(np.int64) + 1


def _of_lengths(lengths: Callable[[Random, int], Integers], a: float, b: float) -> Errors:
    def draw(rng: Random, n: int) -> tuple[Integers, Callable[[], Integers]]:
        words, hard = lengths(rng, n), rng.beta(a, b, n)
        return words, lambda: rng.binomial(words, hard)

    return draw


def _bursts(rng: Random, n: int) -> tuple[Integers, Callable[[], Integers]]:
    words = np.exp(rng.normal(2.2, 0.8, n)).astype(np.int64) + 1
    hard = 0.12 * rng.gamma(1, 1, n)

    def errors() -> Integers:
        failed = rng.random(n) < 0.02
        return np.asarray(rng.poisson(words * hard) + failed * rng.poisson(0.8 * words))

    return words, errors


def _speakers(rng: Random, n: int) -> tuple[Integers, Callable[[], Integers]]:
    utterances = rng.integers(3, 16, n)
    words = rng.poisson(12 * utterances) + utterances
    hard = 1.5 * utterances * rng.gamma(4, 1 / 4, n)
    return words, lambda: rng.poisson(hard * rng.gamma(8, 1 / 8, n))


def _information(rng: Random, n: int) -> Statistics:
    """Draw hits, reference words and hypothesis words."""
    words = _gamma_lengths(rng, n)
    hits = words - rng.binomial(words, rng.beta(2, 11, n))
    return np.stack([hits, words, hits + rng.poisson(0.9 * (words - hits))], axis=1)


def _information_lost(terms: Statistics) -> Statistics:
    hits, words, heard = np.moveaxis(np.asarray(terms, np.float64), -1, 0)
    return 1 - ratio(hits * hits, words * heard)


def _sentences(rng: Random, n: int) -> Statistics:
    return np.stack([rng.random(n) < 0.4, np.ones(n)], axis=1).astype(np.int64)


def real(data: Path) -> tuple[dict[str, Population], dict[str, tuple[Operations, Operations]]]:
    """Return the populations of real test sets, and the operations of their two systems."""
    folder = data / "wce-dev"
    refs = (folder / "ref.fr").read_text(encoding="utf-8").splitlines()
    texts = {name: (folder / "hyp" / f"scale_{name}.fr").read_text(encoding="utf-8").splitlines()
             for name in ("10", "20")}  # fmt: skip
    sets = {"wce": (refs, list(texts.values()))}
    lists = json.loads((data / "nbest" / "librispeech-other.json").read_text(encoding="utf-8"))
    ends = [[row["input"][at] for row in lists] for at in (0, -1)]
    sets["librispeech"] = ([row["output"] for row in lists], ends)
    populations, operations = {}, {}
    for name, (references, sides) in sets.items():
        scores = misword.score(references, dict(zip("ab", sides, strict=True)), "wer")
        terms = [
            scores.columns[0].measure.terms(part.statistics("wer"))
            for _, part in scores.group("system")
        ]
        populations[name] = Population.of_rows(terms[0], two=False)
        populations[f"{name}, difference"] = Population.of_rows(np.hstack(terms), two=True)
        operations[name] = from_words(scores.words(), "a", "b")
    return populations, operations


@dataclass(frozen=True, slots=True)
class Alarms:
    """The mean number of segments, and the shares of trials below 5 % by p and by z."""

    segments: float
    by_p: float
    by_z: float


def segment_alarms(sides: tuple[Operations, Operations], size: int, trials: int) -> Alarms:
    """Count false alarms of MAPSSWE in test sets of `size` utterances."""
    rng = np.random.default_rng((1, size))
    count = int(max(side.utterance[-1] for side in sides)) + 1
    kinds = [
        np.split(side.kinds, np.searchsorted(side.utterance, np.arange(1, count))) for side in sides
    ]
    bound = NormalDist().inv_cdf(0.975)
    segments, by_p, by_z = 0, 0, 0
    for _ in range(trials):
        drawn, swapped = rng.integers(count, size=size), rng.random(size) < 0.5
        chosen = [
            [kinds[int(swap) ^ side][at] for at, swap in zip(drawn, swapped, strict=True)]
            for side in (0, 1)
        ]
        found = mapsswe(*(_operations(part) for part in chosen))
        segments += found.segments
        by_p += found.p < 0.05
        by_z += abs(found.z) > bound
    return Alarms(segments / trials, by_p / trials, by_z / trials)


def _operations(kinds: list[NDArray[np.uint8]]) -> Operations:
    """Join the operations of utterances."""
    owners = np.repeat(np.arange(len(kinds)), [len(part) for part in kinds])
    return Operations(owners, np.concatenate(kinds))


def _coverage_rows(populations: dict[str, Population], trials: int) -> Iterator[str]:
    for name, population in populations.items():
        for size in SIZES:
            found = coverage(population, size, trials)
            numbers = (found.plain, found.contains, found.above, found.below)
            yield f"| {name} | {size} | " + " | ".join(f"{100 * n:.1f}" for n in numbers) + " |"


def _alarm_rows(operations: dict[str, tuple[Operations, Operations]], trials: int) -> Iterator[str]:
    for name, sides in operations.items():
        for size in SIZES:
            found = segment_alarms(sides, size, trials)
            shares = f"{100 * found.by_z:.1f} | {100 * found.by_p:.1f}"
            yield f"| {name} | {size} | {found.segments:.0f} | {shares} |"


def main() -> None:
    """Simulate all populations and write the tables."""
    data = Path(sys.argv[1]) if len(sys.argv) > 1 else DATA
    populations = formulas()
    operations: dict[str, tuple[Operations, Operations]] = {}
    if data.is_dir():
        more, operations = real(data)
        populations |= more
    error = 100 * sqrt(0.05 * 0.95 / TRIALS)
    parts = [
        "# Intervals and tests of simulated test sets",
        f"`python tools/simulate_intervals.py`, {TRIALS:,} trials for each row. The standard error "
        f"of a share of 95 % or 5 % is {error:.1f} %. `plain` is the percentile interval of the "
        "same resamples; `above` and `below` say where the interval lies that does not contain the "
        "true value.",
        "## 95 % intervals that contain the true value, %",
        "\n".join(
            [
                "| population | n | plain | contains | above | below |",
                "|:--|--:|--:|--:|--:|--:|",
                *_coverage_rows(populations, TRIALS),
            ]
        ),
        "## Equally good systems that MAPSSWE calls different at 5 %, %",
        "\n".join(
            [
                "| population | utterances | segments | z, normal distribution | p |",
                "|:--|--:|--:|--:|--:|",
                *_alarm_rows(operations, TRIALS),
            ]
        ),
    ]
    RESULTS.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    print(RESULTS.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
