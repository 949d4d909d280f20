"""Lemmas of candidates: an inflected form of a gold translation counts as that translation.

Dictionaries list base forms, word vectors have all forms, and the nearest candidate is often an
inflected form. Denisová and Rychlý gain 1 to 7 points of recall by taking the lemma of each
candidate; candidates with the same lemma count as one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from misword.core.context import Context
from misword.core.parts.contract import Settings
from misword.text.analyzers import Analyzer, analyzer_for


@dataclass(frozen=True, slots=True)
class Lemmatizer:
    """The lemmatizer of a language, used on single words.

    Known problems: without a sentence, a form that belongs to two words gets one lemma only, and a
    lemmatizer that is made for sentences lacks its context. A word that the lemmatizer does not
    know stays as it is, or is put in lower case.
    """

    analyzer: Analyzer

    @classmethod
    def of(cls, lang: str, name: str = "") -> Lemmatizer:
        """Return the default lemmatizer of a language, or the lemmatizer with this name.

        Raises if the language has none, or if its package is not installed.

        >>> Lemmatizer.of("sk").lemmas(["hodiny", "hodinu"])
        ['hodina', 'hodina']
        """
        return cls(analyzer_for(lang, "lemma", name))

    @property
    def settings(self) -> Settings:
        """The lemmatizer and its version, as a signature names them."""
        return (("lemmas", "+".join(value for _, value in self.analyzer.settings(Context()))),)

    def lemmas(self, words: Sequence[str]) -> list[str]:
        """Return the lemma of each word; a word that is split has several, joined by spaces."""
        analysis = self.analyzer.analyse(words)
        lemmas, offsets = analysis.lemmas or [], analysis.offsets.tolist()
        return [" ".join(lemmas[start:end]) for start, end in pairwise(offsets)]

    def compare(
        self, candidates: NDArray[np.int64], vocabulary: Sequence[str], gold: Sequence[str]
    ) -> tuple[NDArray[np.bool_], dict[str, str]]:
        """Return which candidates have the gold word as their lemma, and each candidate's lemma.

        `candidates` has a row for each gold word: the numbers of its candidates in the vocabulary.
        """
        ids, places = np.unique(candidates, return_inverse=True)
        words = [vocabulary[id_] for id_ in ids.tolist()]
        lemma_of = dict(zip(words, self.lemmas(words), strict=True))
        lemma_ids = {lemma: id_ for id_, lemma in enumerate(dict.fromkeys(lemma_of.values()))}
        of_candidates = np.array([lemma_ids[lemma_of[word]] for word in words], np.int64)[places]
        of_gold = np.array([lemma_ids.get(word, -1) if word else -1 for word in gold], np.int64)
        return of_candidates.reshape(candidates.shape) == of_gold[:, None], lemma_of
