"""The channel `phonetic`: words are substituted by words that sound like them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import ClassVar

import numpy as np

from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.parts import Requirement, Settings, options_of
from misword.core.progress import progress
from misword.embed import frequencies
from misword.noise import wordlists
from misword.noise.arrays import Floats
from misword.noise.channels import Channel
from misword.noise.channels.model_cache import cached_error_model
from misword.noise.error_model import ErrorModel
from misword.noise.phonology import (
    Edits,
    Neighbours,
    Phonology,
    candidate_table,
    concatenate,
    softmax,
)
from misword.noise.wordlists import check_numbers

BLOCK = 2048  # words whose neighbours are searched for at a time


@dataclass(frozen=True, slots=True)
class Phonetic(Channel):
    """The words nearest in sound, frequent words preferred, whatever their meaning.

    Why: a recogniser writes down what it hears, and prefers frequent words. No vectors are needed.

    The candidates of a word are the `most` nearest words by phonological distance d, none farther
    than `threshold`. Their probability is proportional to exp(-d / `reach`) p^`frequency`, where p
    is the candidate's relative frequency in the language. `vocabulary` is the `size` most frequent
    words of the language in the package wordfreq (`wordfreq`), the CMU dictionary (`cmudict`), the
    words of the text (`corpus`), or a file with a word on each line. Only for `wordfreq` is p
    known; for the other lists p is left out. `phonemizer` names a part, `auto` is the default one
    of the language; with `edits=single` all features cost the same.

    Known problems: the words around a word have no influence. Of words with several pronunciations
    only one is used. Words without phonemes, and long words that no other word is like, are left
    alone.

    Example: `misword corrupt text.txt --wer 0.3 --channel phonetic --lang en -o noisy.txt`
    Reference: B. Hayes, Introductory Phonology, 2009 (features); R. Voleti et al., ICASSP 2019
    (distance)
    """

    name: ClassVar[str] = "phonetic"
    title: ClassVar[str] = "Phonetic substitutions"
    family: ClassVar[str] = "sounds"
    cites: ClassVar[tuple[str, ...]] = ("hayes2009", "voleti2019")
    needs: ClassVar[tuple[str, ...]] = ("lang",)

    reach: float = 2.0
    frequency: float = 0.5
    threshold: float = 20.0
    most: int = 100
    vocabulary: str = wordlists.WORDFREQ
    size: int = 30_000
    phonemizer: str = "auto"
    edits: Edits = "features"

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """The package of the default word list; a phonemizer has requirements of its own."""
        return frequencies.WORDFREQ

    def check(self, context: Context) -> None:
        """Raise an error if an option is out of range, or phonemizer or word list are missing."""
        check_numbers(size=self.size, threshold=self.threshold, most=self.most)
        if not self.most:
            raise OptionError("most is 0", fix="use 1 or more")
        if not (0 < self.reach < inf and 0 <= self.frequency < inf):
            raise OptionError(
                f"reach is {self.reach:g} and frequency {self.frequency:g}",
                fix="use a reach above 0 and a frequency of 0 or more, such as 2 and 0.5",
            )
        self._phonology(context).check()
        wordlists.check(self.vocabulary, context.lang)

    def settings(self, context: Context) -> Settings:
        """The options, the word list, the phonemizer and the features."""
        spelled_out = ("phonemizer", "edits", "vocabulary")
        own = tuple(pair for pair in options_of(self) if pair[0] not in spelled_out)
        listed = wordlists.settings(self.vocabulary, context.lang)
        return ("channel", self.name), *own, *listed, *self._phonology(context).settings

    def error_model(self, words: Sequence[str], context: Context) -> ErrorModel:
        """Return the model of the words, from the cache if it is there."""
        settings = self.settings(context)
        return cached_error_model(words, settings, lambda ordered: self._build(ordered, context))

    def _phonology(self, context: Context) -> Phonology:
        return Phonology(context.language(""), self.phonemizer, self.edits)

    def _build(self, words: list[str], context: Context) -> ErrorModel:
        """Compute the model: nearest words in sound, their frequencies, their probabilities."""
        listed = wordlists.load(self.vocabulary, context.lang, self.size, words)
        vocabulary = [word for word in listed if wordlists.is_word(word)]
        neighbours = self._neighbours(words, vocabulary, context)
        frequency = self._frequencies(vocabulary, context.lang)
        exponents = (
            self.frequency * np.log(frequency)[neighbours.ids]
            - neighbours.phonological / self.reach
        )
        candidates = candidate_table(words, vocabulary, neighbours, softmax(exponents))
        by_word = dict(zip(vocabulary, frequency.tolist(), strict=True))
        insertion = np.array([by_word[word] for word in candidates.vocabulary])
        return ErrorModel.unweighted(candidates, insertion / insertion.sum())

    def _neighbours(self, words: list[str], vocabulary: list[str], context: Context) -> Neighbours:
        """Return the words of the vocabulary nearest in sound to each word that has phonemes."""
        all_words, numbers = wordlists.number_words(words, vocabulary)
        sounds = self._phonology(context).pronounce(all_words)
        among = np.flatnonzero(sounds.has_distances[: len(vocabulary)])
        rows = np.flatnonzero(np.append(sounds.has_distances, False)[numbers])
        width = min(self.most, len(among))
        blocks: list[Neighbours] = []
        with progress("finding candidates", len(rows)) as step:
            for start in range(0, len(rows), BLOCK):
                block = rows[start : start + BLOCK]
                near = sounds.nearest(numbers[block], among, width, self.threshold, context.workers)
                no_meaning = np.full(near.costs.shape, np.nan)
                blocks.append(Neighbours(block, among[near.ids], near.costs, no_meaning))
                step(len(block))
        return concatenate(blocks, width)

    def _frequencies(self, vocabulary: list[str], lang: str) -> Floats:
        """Return the relative frequency of each word; 1 for all where it is not known."""
        if self.vocabulary != wordlists.WORDFREQ:
            return np.ones(len(vocabulary))
        listed = frequencies.load_frequencies(wordlists.WORDFREQ, lang, {})
        return np.array([listed.of(word) for word in vocabulary])
