"""Words that are misheard one by one: the part of a listener's errors that no decoder explains.

A share of the stretches (`single`, fitted on held-out spans) is not decoded. Each of its words is
deleted, or becomes a word that it became before, or any word that was ever heard wrongly; another
word may follow. This gives every span of known words some probability.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from misword.noise.arrays import Floats
from misword.noise.listening.lexicon import Lexicon

DISCOUNT = 0.6
PRIOR = 2.0  # counts by which the deletions of a word are smoothed
Remembered = Mapping[tuple[int, ...], Mapping[tuple[int, ...], float]]


@dataclass(frozen=True, eq=False)
class SingleWords:
    """Substitutes, deletions and insertions of single words, from remembered spans (word ids)."""

    lexicon: Lexicon
    spans: Remembered

    @cached_property
    def _heard(self) -> Floats:
        """The probability of each word to be heard, whatever was said."""
        counts = np.where(self.lexicon.known, self.lexicon.frequency, 0.0)
        counts = 200.0 * (counts + 1e-7) / max(counts.sum() + 1e-7 * len(counts), 1e-9)
        counts[~self.lexicon.known] = 0.0
        for row in self.spans.values():
            for heard, count in row.items():
                np.add.at(counts, list(heard), count)
        shares: Floats = counts / counts.sum()
        return shares

    @cached_property
    def _cumulative(self) -> Floats:
        return np.cumsum(self._heard)

    @cached_property
    def insertion(self) -> float:
        """The probability that another word follows: from spans with one more word than said."""
        total = more = 1.0
        for said, row in self.spans.items():
            for heard, count in row.items():
                total += count * len(said)
                more += count * max(len(heard) - len(said), 0)
        return min(more / total, 0.3)

    @cached_property
    def _mean_deleted(self) -> float:
        rows = [row for said, row in self.spans.items() if len(said) == 1]
        total = sum(sum(row.values()) for row in rows)
        return (sum(row.get((), 0.0) for row in rows) + 0.1) / (total + 1.0)

    def _row(self, word: int) -> tuple[dict[int, float], float, float]:
        """Return remembered substitutes with probabilities, the rest, and that of a deletion."""
        row = self.spans.get((word,), {})
        total = sum(row.values())
        deleted = (row.get((), 0.0) + PRIOR * self._mean_deleted) / (total + PRIOR)
        counts = {heard[0]: count for heard, count in row.items() if len(heard) == 1}
        single = sum(counts.values())
        if not single:
            return {}, 1.0, deleted
        listed = {heard: (count - DISCOUNT) / (single + 1) for heard, count in counts.items()}
        listed = {heard: max(share, 1e-9) for heard, share in listed.items()}
        return listed, 1 - sum(listed.values()), deleted

    def probability(self, said: Sequence[int], heard: Sequence[int]) -> float:
        """Return the probability of the words heard, over all edits of the words said."""
        background = self._heard[list(heard)] if heard else np.zeros(0)
        after = np.zeros(len(heard) + 1)
        after[0] = 1.0
        for word in said:
            listed, rest, deleted = self._row(word)
            here = after * deleted
            if heard:
                own = np.array([listed.get(other, 0.0) for other in heard])
                here[1:] += after[:-1] * (1 - deleted) * (own + rest * background)
            grown = here * (1 - self.insertion)
            grown[1:] += here[:-1] * self.insertion * background
            after = grown
        return float(after[-1])

    def draw(self, said: Sequence[int], random: float) -> tuple[int, ...]:
        """Return what is heard for the words said; the random number decides all of it."""
        numbers = np.random.Generator(np.random.Philox(int(random * 2**62)))
        heard: list[int] = []
        for word in said:
            listed, rest, deleted = self._row(word)
            first, second, third, fourth = numbers.random(4).tolist()
            if first >= deleted:
                heard.append(self._substitute(listed, rest, second))
            if third < self.insertion:
                heard.append(self._background(fourth))
        return tuple(heard)

    def _substitute(self, listed: Mapping[int, float], rest: float, random: float) -> int:
        if random < rest:
            return self._background(random / rest)
        random -= rest
        for word, share in listed.items():
            if random < share:
                return word
            random -= share
        return self._background(0.5)

    def _background(self, random: float) -> int:
        cumulative = self._cumulative
        at = np.searchsorted(cumulative, random * cumulative[-1], side="right")
        return int(min(at, len(cumulative) - 1))
