"""How often a comparison calls a difference that is not there, and misses one that is.

    python tools/simulate_verdicts.py      writes bench/results/verdicts.md

Each trial draws the errors of several systems on the utterances of several speakers. The number of
errors of an utterance has a Poisson distribution whose mean depends on the system and the speaker,
so utterances of one speaker are not independent. Speakers have different numbers of utterances. The
systems are compared with the first as `misword compare --block speaker` does: over speakers, or
over utterances if there are too few speakers. Then the utterances are drawn independently, as that
test assumes.

A false alarm is a trial in which any of the systems, which are all equally good, is called better
or worse than the first. A miss is a trial in which the errors of one system are raised by ten
standard errors of the difference, and this is not called worse.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from misword.stat.options import SIGNIFICANCE_LEVEL
from misword.stat.paired import correct, permutation_p, too_few_rows

RESULTS = Path(__file__).parent.parent / "bench" / "results" / "verdicts.md"
SYSTEMS = (2, 3, 10, 30)
SPEAKERS = (2, 5, 6, 8, 11, 14, 15, 20, 30, 60)
TRIALS = 1000
# Mean number of errors of an utterance, and the shape of the gamma distribution of speakers.
ERRORS, SHAPE = 1.5, 4.0
# The fewest and the most utterances of a speaker.
UTTERANCES = (3, 15)
WIDTH = 10.0

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Frequencies:
    """Numbers of trials, of false alarms and of misses; `by_speaker` if speakers were tested."""

    by_speaker: bool
    trials: int
    false_alarms: int
    misses: int


def simulate(systems: int, speakers: int, trials: int, seed: int = 0) -> Frequencies:
    """Count false alarms and misses among `trials` comparisons of `systems` systems."""
    rng = np.random.default_rng((seed, systems, speakers))
    by_speaker = too_few_rows(speakers, systems - 1) is None
    alarms = misses = 0
    for _ in range(trials):
        sizes = rng.integers(UTTERANCES[0], UTTERANCES[1] + 1, speakers)
        if not by_speaker:
            sizes = np.ones(sizes.sum(), np.int64)
        effects = _differences(rng, systems, sizes, by_speaker)
        alarms += bool((_corrected(effects) < SIGNIFICANCE_LEVEL).any())
        effects[0] += WIDTH * _standard_error(sizes, by_speaker) * sizes / sizes.sum()
        misses += bool(_corrected(effects)[0] >= SIGNIFICANCE_LEVEL)
    return Frequencies(by_speaker, trials, alarms, misses)


def _differences(
    rng: np.random.Generator, systems: int, sizes: NDArray[np.int64], by_speaker: bool
) -> Floats:
    """Draw the errors of each system in rows of `sizes` utterances, minus those of the first."""
    means = ERRORS * np.broadcast_to(sizes, (systems, len(sizes)))
    if by_speaker:
        means = means * rng.gamma(SHAPE, 1 / SHAPE, means.shape)
    errors: Floats = rng.poisson(means).astype(np.float64)
    return np.asarray(errors[1:] - errors[0])


def _standard_error(sizes: NDArray[np.int64], by_speaker: bool) -> float:
    """Return the standard deviation of the difference of two systems' errors."""
    means = ERRORS * sizes
    variances = means + np.square(means) / SHAPE if by_speaker else means
    return float(np.sqrt(2 * variances.sum()))


def _corrected(effects: Floats) -> Floats:
    """Return the corrected p-value of each system."""
    return correct([permutation_p(row) for row in effects], list(effects))


def _rows(trials: int) -> Iterator[str]:
    for systems in SYSTEMS:
        for speakers in SPEAKERS:
            found = simulate(systems, speakers, trials)
            tested = "speakers" if found.by_speaker else "utterances"
            alarms = 100 * found.false_alarms / trials
            yield f"| {systems} | {speakers} | {tested} | {alarms:.1f} | {found.misses} |"


def main() -> None:
    """Simulate all combinations and write the table."""
    rows = list(_rows(TRIALS))
    parts = [
        "# Verdicts of simulated comparisons",
        f"`python tools/simulate_verdicts.py`, {TRIALS:,} trials for each row. A row of equally "
        "good systems gives false alarms in at most 5 % of the trials; the standard error of a "
        f"share of 5 % is {100 * (0.05 * 0.95 / TRIALS) ** 0.5:.1f} %.",
        "| systems | speakers | tested over | false alarms, % | misses |\n|--:|--:|:--|--:|--:|\n"
        + "\n".join(rows),
    ]
    RESULTS.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    print(RESULTS.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
