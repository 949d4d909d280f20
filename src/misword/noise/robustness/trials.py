"""Clean sentences and what was heard of them: several rates, several times each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from misword.core.progress import progress
from misword.noise.corrupt import draw_all
from misword.noise.corruption.targets import Census
from misword.noise.hearing import Hearing, Mix

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Trials:
    """The sentences of pairs, first all first ones, then all second ones, as numbers of `texts`.

    `heard[level, trial]` has what is heard of each; level 0 is what was said. `rates` are the asked
    word error rates, `realised` those that came out (level, trial). `texts` has each distinct text
    once, clean ones first. Of all `words` the channel cannot substitute those it has `left_alone`.
    """

    texts: list[str]
    heard: Ints
    rates: tuple[float, ...]
    realised: NDArray[np.float64]
    words: int = 0
    left_alone: int = 0

    @property
    def said(self) -> Ints:
        """The clean sentences."""
        found: Ints = self.heard[0, 0]
        return found

    @property
    def corpus(self) -> list[str]:
        """The clean texts, equal ones each."""
        return self.written(self.said)

    def written(self, numbers: Ints) -> list[str]:
        """Texts by their numbers."""
        return [self.texts[at] for at in numbers.tolist()]


def draw_trials(
    said: Sequence[str],
    hearing: Hearing,
    rates: Sequence[float],
    trials: int,
    *,
    mix: Mix | None,
    seed: int,
    workers: int | None,
) -> Trials:
    """Corrupt all sentences, each occurrence for itself, at each rate (the first is 0)."""
    known: dict[str, int] = {}
    heard = np.empty((len(rates), trials, len(said)), np.int64)
    realised = np.zeros((len(rates), trials))
    heard[0] = _numbers(said, known)
    census = Census()
    if len(rates) > 1:
        with progress("corrupting", trials) as step:
            for trial in range(trials):
                own = trial_seed(seed, trial)
                drawn = draw_all(said, hearing, rates[1:], mix=mix, seed=own, workers=workers)
                for level, found in enumerate(drawn, start=1):
                    heard[level, trial] = _numbers(found.texts, known)
                    realised[level, trial] = found.realised.wer or 0.0
                    census = found.realised.level.census
                step(1)
    alone = census.words - census.substitutable
    return Trials(list(known), heard, tuple(rates), realised, census.words, alone)


def trial_seed(seed: int, trial: int) -> int:
    """A seed for each trial, far from those of other seeds."""
    return int(np.random.SeedSequence((seed, trial)).generate_state(1, np.uint64)[0] >> 1)


def _numbers(texts: Sequence[str], known: dict[str, int]) -> list[int]:
    """The number of each text; new ones get the next."""
    return [known.setdefault(" ".join(text.split()), len(known)) for text in texts]
