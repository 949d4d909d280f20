"""The fallback distribution: it gives every possible word a probability above 0.

`misword realism` mixes it with each channel (there its name is "escape"). It is learnt from the
training half of the pairs alone and is the same for every channel. A known word is a word of the
training half. Known words are equally likely (`uniform`), or as likely as they are frequent in the
hypotheses (`unigram`); a word is never substituted by itself. All unknown words together have the
probability `unknown`. It is divided among them by a letter-bigram model of spelling, which is
learnt from the known words and renormalised without them. `unknown` is estimated by the share of
substitutions in the training half whose substitute occurs only there.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import exp, log
from typing import Literal

import numpy as np

from misword.noise.arrays import Floats, Ints
from misword.noise.learnt.aligned_corpus import AlignedCorpus, Substitutions

FallbackShape = Literal["uniform", "unigram"]
EDGE = "\0"
ALL_CHARACTERS = 0x110000


@dataclass(frozen=True, eq=False)
class FallbackDistribution:
    """P(substitute | word) for all words, learnt from `train`; words are numbers of its vocabulary.

    The vocabulary of `train` may have words that are not in `train` itself: they are unknown.
    """

    train: AlignedCorpus
    shape: FallbackShape = "uniform"

    @cached_property
    def counts(self) -> Ints:
        """How often each word is in the training half; 0 for unknown words."""
        return self.train.word_counts

    @property
    def size(self) -> int:
        """The number of known words."""
        return int(np.count_nonzero(self.counts))

    @cached_property
    def unknown(self) -> float:
        """The probability of all unknown words together."""
        substitutes = self.train.substitutions().hypothesis
        return (int((self.counts[substitutes] == 1).sum()) + 1) / (len(substitutes) + 2)

    @cached_property
    def _weights(self) -> Floats:
        """The weights of the known words; unigram counts have 1 added, so that none is 0."""
        if self.shape == "uniform":
            return (self.counts > 0).astype(np.float64)
        unigram = (self.train.count_words(self.train.hypothesis) + 1).astype(np.float64)
        return np.where(self.counts > 0, unigram, 0.0)

    @cached_property
    def spelling(self) -> SpellingModel:
        """The letter-bigram model of the known words."""
        known = [self.train.vocabulary[at] for at in np.flatnonzero(self.counts)]
        return SpellingModel(tuple(known))

    def probability(self, pairs: Substitutions) -> Floats:
        """Return the probability of each substitution."""
        substitutes = pairs.hypothesis
        weights = self._weights[substitutes]
        total = self._weights.sum() - self._weights[pairs.reference]
        known = self.counts[substitutes] > 0
        probability = np.zeros(len(pairs))
        probability[known] = (1 - self.unknown) * weights[known] / total[known]
        others = substitutes[~known].tolist()
        words = self.train.vocabulary
        by_spelling = {word: self.spelling.probability(words[word]) for word in set(others)}
        probability[~known] = [self.unknown * by_spelling[word] for word in others]
        return probability


@dataclass(frozen=True)
class SpellingModel:
    """A letter-bigram model with add-one smoothing, learnt from distinct words.

    The probability of a character that is in no word is divided among all characters of Unicode.
    """

    words: tuple[str, ...]

    @cached_property
    def _letters(self) -> frozenset[str]:
        return frozenset("".join(self.words))

    @cached_property
    def _bigrams(self) -> Counter[tuple[str, str]]:
        return Counter(pair for word in self.words for pair in pairwise(self._symbols(word)))

    @cached_property
    def _histories(self) -> Counter[str]:
        """How often each symbol is the first of a bigram."""
        counts: Counter[str] = Counter()
        for (first, _), count in self._bigrams.items():
            counts[first] += count
        return counts

    @cached_property
    def _known_mass(self) -> float:
        """The probability of all words of the vocabulary together."""
        return sum(exp(self._log_probability(word)) for word in self.words)

    def probability(self, word: str) -> float:
        """Return the probability of a word, given that it is not in the vocabulary.

        >>> model = SpellingModel(("ab",))
        >>> model.probability("b") > model.probability("xx")
        True
        """
        return exp(self._log_probability(word)) / (1 - self._known_mass)

    def _symbols(self, word: str) -> list[str]:
        """Return the letters of a word between two edges; an unknown letter is an empty string."""
        return [EDGE, *(c if c in self._letters else "" for c in word), EDGE]

    def _log_probability(self, word: str) -> float:
        kinds = len(self._letters) + 2  # with the edge and the unknown letter
        symbols = self._symbols(word)
        probabilities = (
            (self._bigrams[pair] + 1) / (self._histories[pair[0]] + kinds)
            for pair in pairwise(symbols)
        )
        unknown = symbols.count("")
        return sum(log(p) for p in probabilities) - unknown * log(ALL_CHARACTERS)
