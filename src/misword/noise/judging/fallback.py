"""A distribution that gives every word some probability, for channels that do not.

It is made from the training half of real pairs alone and is the same for every channel. A word of
the training half's vocabulary is as likely as every other (`uniform`), or as it is frequent in the
hypotheses (`unigram`); what is said is never heard. Other words share the mass `unknown`, by their
spelling: a model of pairs of letters, also learnt from the vocabulary, with the words of the
vocabulary taken out. How large `unknown` is follows from how many substitutions of the training
half have put in a word that is nowhere else in it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import exp, log
from typing import Literal

import numpy as np

from misword.noise.hearing import Weights
from misword.noise.learnt.observed import Ints, Observed

Shape = Literal["uniform", "unigram"]
EDGE = "\0"
ALL_CHARACTERS = 0x110000


@dataclass(frozen=True, eq=False)
class Escape:
    """The distribution, learnt from `train`, over words by their number in its vocabulary."""

    train: Observed
    shape: Shape = "uniform"

    @cached_property
    def counts(self) -> Ints:
        """How often each word was said or heard; those that were not are unknown."""
        return self.train.tally(self.train.said) + self.train.tally(self.train.heard)

    @property
    def size(self) -> int:
        """Words of the vocabulary."""
        return int(np.count_nonzero(self.counts))

    @cached_property
    def unknown(self) -> float:
        """The mass of words outside the vocabulary."""
        _, _, heard = self.train.substitutions()
        return (int((self.counts[heard] == 1).sum()) + 1) / (len(heard) + 2)

    @cached_property
    def _weights(self) -> Weights:
        """Weights of the known words; heard ones once more, so that none has nothing."""
        if self.shape == "uniform":
            return (self.counts > 0).astype(np.float64)
        heard = (self.train.tally(self.train.heard) + 1).astype(np.float64)
        return np.where(self.counts > 0, heard, 0.0)

    @cached_property
    def spelling(self) -> Spelling:
        """How words are spelt."""
        known = [self.train.vocabulary[at] for at in np.flatnonzero(self.counts)]
        return Spelling(tuple(known))

    def probability(self, said: Ints, heard: Ints) -> Weights:
        """Of each heard word given what was said."""
        weights = self._weights[heard]
        total = self._weights.sum() - self._weights[said]
        known = self.counts[heard] > 0
        found = np.zeros(len(heard))
        found[known] = (1 - self.unknown) * weights[known] / total[known]
        words = self.train.vocabulary
        spelt = {at: self.spelling.outside(words[at]) for at in set(heard[~known].tolist())}
        found[~known] = [self.unknown * spelt[at] for at in heard[~known].tolist()]
        return found


@dataclass(frozen=True)
class Spelling:
    """Pairs of neighbouring letters, each counted once more than seen, learnt from distinct words.

    A character that no word has is one of all there are.
    """

    words: tuple[str, ...]

    @cached_property
    def _letters(self) -> frozenset[str]:
        return frozenset("".join(self.words))

    @cached_property
    def _pairs(self) -> Counter[tuple[str, str]]:
        return Counter(pair for word in self.words for pair in pairwise(self._cut(word)))

    @cached_property
    def _firsts(self) -> Counter[str]:
        firsts: Counter[str] = Counter()
        for (first, _), count in self._pairs.items():
            firsts[first] += count
        return firsts

    @cached_property
    def _inside(self) -> float:
        """What the vocabulary's own words take."""
        return sum(exp(self._log(word)) for word in self.words)

    def outside(self, word: str) -> float:
        """The probability of a word, given that it is not one of the vocabulary.

        >>> Spelling(("ab",)).outside("b") > Spelling(("ab",)).outside("xx")
        True
        """
        return exp(self._log(word)) / (1 - self._inside)

    def _cut(self, word: str) -> list[str]:
        """Letters between edges; one that is not known is an empty string."""
        return [EDGE, *(c if c in self._letters else "" for c in word), EDGE]

    def _log(self, word: str) -> float:
        kinds = len(self._letters) + 2  # an edge, and whatever is unknown
        letters = self._cut(word)
        chances = (
            (self._pairs[pair] + 1) / (self._firsts[pair[0]] + kinds) for pair in pairwise(letters)
        )
        strange = letters.count("")
        return sum(log(chance) for chance in chances) - strange * log(ALL_CHARACTERS)
