"""The random order in which places of a text block are chosen for errors.

Random numbers come from Philox, a counter-based generator, keyed by seed, target WER and block.
They do not depend on which thread draws which block, or when.

Reference: P. S. Efraimidis, P. G. Spirakis, Weighted random sampling with a reservoir, 2006;
J. K. Salmon et al., Parallel random numbers: as easy as 1, 2, 3, SC 2011.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from misword.noise.arrays import Flags, Floats, Ints

WER_UNIT = 10**9  # the random key has the target WER as a whole number, in units of 1e-9


def uniform_numbers(seed: int, target_wer: float, block: int, draw: int, count: int) -> Floats:
    """Return random numbers in (0, 1), which are the same on every machine.

    `draw` numbers the calls for one block, so that each call returns other numbers.
    """
    key = np.random.SeedSequence([seed, round(target_wer * WER_UNIT), block, draw])
    raw = np.random.Philox(key).random_raw(count)
    return ((raw >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53


@dataclass(slots=True)
class PlaceQueue:
    """Places (words or gaps between words) in the order in which errors are drawn there.

    `ordered` has the first places, sorted; `position` is the number of those already taken. `rest`
    has the other places, which are sorted by `keys` only when they are needed.
    """

    ordered: Ints
    rest: Ints
    keys: Floats
    position: int = 0

    @classmethod
    def of(cls, random: Floats, weights: Floats, first: int) -> PlaceQueue:
        """Sort places by -log(random number) / weight; a place of weight 0 is left out.

        About `first` places are sorted at once.
        """
        places = np.flatnonzero(weights > 0)
        keys = -np.log(random[places]) / weights[places]
        first = min(first + first // 8 + 64, len(places))
        if first < len(places):
            parts = np.argpartition(keys, first)
            near, far = parts[:first], parts[first:]
        else:
            near, far = np.arange(first), np.arange(0)
        return cls(places[near[np.argsort(keys[near])]], places[far], keys[far])

    @property
    def empty(self) -> bool:
        """Whether all places were taken."""
        return self.position >= len(self.ordered) + len(self.rest)

    def take(self, count: int, barred: Flags) -> Ints:
        """Return the next `count` places that are not barred; fewer where the queue ends."""
        taken: list[Ints] = []
        while count > 0 and not self.empty:
            if self.position == len(self.ordered):
                self.ordered = np.concatenate([self.ordered, self.rest[np.argsort(self.keys)]])
                self.rest, self.keys = self.rest[:0], self.keys[:0]
            ahead = self.ordered[self.position : self.position + count]
            self.position += len(ahead)
            free = ahead[~barred[ahead]]
            taken.append(free)
            count -= len(free)
        return np.concatenate(taken) if taken else np.zeros(0, np.int64)
