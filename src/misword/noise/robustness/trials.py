"""Clean sentences and their noisy forms: several word error rates, several trials of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from misword.core.progress import progress
from misword.noise.arrays import Floats, Ints
from misword.noise.corrupt import draw_all
from misword.noise.corruption.targets import ErrorCapacity
from misword.noise.error_model import ErrorModel, Mix


@dataclass(frozen=True, slots=True, eq=False)
class Trials:
    """The sentences of pairs in all trials, as numbers of `texts`.

    The first sentences of all pairs come first, then all second ones. `sentences[level, trial]` has
    the sentences as they are in a trial; level 0 is without noise. `target_wers` are the word error
    rates of the levels, `realised` those that were reached (level, trial). `texts` has each
    distinct text once, clean ones first. Of all `words` the channel cannot substitute `left_alone`.
    """

    texts: list[str]
    sentences: Ints
    target_wers: tuple[float, ...]
    realised: Floats
    words: int = 0
    left_alone: int = 0

    @property
    def clean(self) -> Ints:
        """The clean sentences, as numbers of `texts`."""
        numbers: Ints = self.sentences[0, 0]
        return numbers

    @property
    def clean_texts(self) -> list[str]:
        """The texts of the clean sentences; equal sentences are repeated."""
        return self.texts_of(self.clean)

    def texts_of(self, numbers: Ints) -> list[str]:
        """Return the texts with these numbers."""
        return [self.texts[number] for number in numbers.tolist()]


def draw_trials(
    sentences: Sequence[str],
    model: ErrorModel,
    target_wers: Sequence[float],
    trials: int,
    *,
    mix: Mix | None,
    seed: int,
    workers: int | None,
) -> Trials:
    """Corrupt all sentences, each occurrence on its own, at each WER (the first one is 0)."""
    numbers: dict[str, int] = {}
    noisy = np.empty((len(target_wers), trials, len(sentences)), np.int64)
    realised = np.zeros((len(target_wers), trials))
    noisy[0] = _number_texts(sentences, numbers)
    capacity = ErrorCapacity()
    if len(target_wers) > 1:
        with progress("corrupting", trials) as step:
            for trial in range(trials):
                levels = draw_all(
                    sentences, model, target_wers[1:], mix=mix, seed=trial_seed(seed, trial),
                    workers=workers,
                )  # fmt: skip
                for number, level in enumerate(levels, start=1):
                    noisy[number, trial] = _number_texts(level.texts, numbers)
                    realised[number, trial] = level.realised.wer or 0.0
                    capacity = level.realised.target.capacity
                step(1)
    counts = capacity.words, capacity.left_alone
    return Trials(list(numbers), noisy, tuple(target_wers), realised, *counts)


def trial_seed(seed: int, trial: int) -> int:
    """Return the seed of a trial, which is far from the seeds of other trials."""
    return int(np.random.SeedSequence((seed, trial)).generate_state(1, np.uint64)[0] >> 1)


def _number_texts(texts: Sequence[str], numbers: dict[str, int]) -> list[int]:
    """Return the number of each text; a new text gets the next number."""
    return [numbers.setdefault(" ".join(text.split()), len(numbers)) for text in texts]
