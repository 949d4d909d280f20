"""Leaks: what a gold lexicon shares with the pairs that a mapping was learnt from.

A mapping translates the words of its training better than other words, so a rate over such words
says little about new words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from misword.bli.evaluation.headword_counts import PairFlags
from misword.bli.evaluation.lemmas import Lemmatizer, lemmas_of
from misword.bli.training_pairs import TrainingPairs
from misword.io.lexicons import Lexicon


@dataclass(frozen=True, slots=True, eq=False)
class Leaks:
    """Which pairs and headwords of a lexicon were in the training of a mapping.

    `pairs` has a truth value for each pair, `headwords` for each headword. `lemmas` has one for
    each headword too: whether this word, or another one with its lemma, was a training headword.
    It is None without a lemmatizer.

    Known problems: the lemmas of training words without a vector are not known.
    """

    pairs: PairFlags
    headwords: NDArray[np.bool_]
    lemmas: NDArray[np.bool_] | None = None

    @classmethod
    def of(
        cls,
        trained: TrainingPairs,
        lexicon: Lexicon,
        vocabulary: Sequence[str] = (),
        lemmatizer: Lemmatizer | None = None,
    ) -> Leaks:
        """Look up all pairs and headwords.

        A mapping keeps digests of its training words only; the words themselves are found among the
        words of the `vocabulary`, to take their lemmas.

        >>> trained = TrainingPairs.of([("dogs", "chiens"), ("cat", "chat")])
        >>> gold = Lexicon.of([("cat", "chat"), ("cat", "chatte"), ("cow", "vache")])
        >>> leaks = Leaks.of(trained, gold)
        >>> leaks.pairs.tolist(), leaks.headwords.tolist()
        ([True, False, False], [True, False])
        """
        words = list(lexicon.headwords)
        headwords = trained.has_source(words)
        pairs = trained.has_pairs(lexicon.source, lexicon.target)
        if lemmatizer is None:
            return cls(pairs, headwords)
        known = np.flatnonzero(trained.has_source(vocabulary)).tolist()
        of_training = set(lemmas_of(lemmatizer, [vocabulary[row] for row in known]).values())
        of_gold = lemmas_of(lemmatizer, words)
        shared = np.array([of_gold.get(word) in of_training for word in words], np.bool_)
        return cls(pairs, headwords, headwords | shared)

    @property
    def seen(self) -> NDArray[np.bool_]:
        """Which headwords were seen in training, by lemma if lemmas are known."""
        return self.headwords if self.lemmas is None else self.lemmas
