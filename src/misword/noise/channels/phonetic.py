"""Words that sound alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import ClassVar

import numpy as np

from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.part import options_of
from misword.core.progress import progress
from misword.core.requirements import Requirement
from misword.embed import frequencies
from misword.noise.channels import wordlists
from misword.noise.channels.candidate_table import Neighbours, check_numbers, joined, softmax, table
from misword.noise.channels.phonology import Edits, Phonology
from misword.noise.hearing import Hearing, Weights
from misword.noise.hearing_cache import kept

BLOCK = 2048  # said words whose neighbours are looked for at once


@dataclass(frozen=True, slots=True)
class Phonetic:
    """The words nearest in sound, frequent ones rather, whatever they mean; no vectors needed.

    Why: a recogniser writes what it hears, in words that it knows well.

    The `most` nearest words by phonological distance d, none farther than `threshold`, are heard
    with a probability in proportion to exp(-d / `reach`) p^`frequency`, p being the word's share in
    the language. `vocabulary` is the `size` most frequent words of the language in the package
    wordfreq (`wordfreq`), the CMU dictionary (`cmudict`), the text's own words (`corpus`), or a
    file with a word on each line; but for the first, p is not known and does not count.
    `phonemizer` names a part, `auto` the language's usual; with `edits=single` all features cost
    the same.

    Known problems: what stands around a word does not count. Of words with several pronunciations
    one is known. Words without phonemes are left alone, and long ones that nothing is like.

    Example: `misword corrupt text.txt --wer 0.3 --channel phonetic --lang en -o noisy.txt`
    Reference: B. Hayes, Introductory Phonology, 2009 (features); R. Voleti et al., ICASSP 2019
    (distance)
    """

    name: ClassVar[str] = "phonetic"
    wants: ClassVar[str] = "lang"
    heeds: ClassVar[tuple[str, ...]] = ()

    reach: float = 2.0
    frequency: float = 0.5
    threshold: float = 20.0
    most: int = 100
    vocabulary: str = wordlists.FREQUENT
    size: int = 30_000
    phonemizer: str = "auto"
    edits: Edits = "features"

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """The list of words; phonemizers say what they need themselves."""
        return frequencies.REQUIREMENT

    def check(self, context: Context) -> None:
        """There must be a language that can be said, and the list."""
        check_numbers(size=self.size, threshold=self.threshold, most=self.most)
        if not self.most:
            raise OptionError("most is 0", fix="use a number from 1 on")
        if not (0 < self.reach < inf and 0 <= self.frequency < inf):
            raise OptionError(
                f"reach is {self.reach:g} and frequency {self.frequency:g}",
                fix="use a reach above 0 and a frequency from 0 on, such as 2 and 0.5",
            )
        self._phonology(context).check()
        wordlists.check(self.vocabulary, context.lang)

    def settings(self, context: Context) -> tuple[tuple[str, str], ...]:
        """The options, the phonemizer, the features, the list."""
        named = ("phonemizer", "edits", "vocabulary")
        own = tuple(pair for pair in options_of(self) if pair[0] not in named)
        listed = wordlists.settings(self.vocabulary, context.lang)
        return ("channel", self.name), *own, *listed, *self._phonology(context).settings

    def hear(self, words: Sequence[str], context: Context) -> Hearing:
        """The candidates of each word, from the cache if they were made before."""
        build = self._build
        return kept(words, self.settings(context), lambda ordered: build(ordered, context))

    def _phonology(self, context: Context) -> Phonology:
        return Phonology(context.language(""), self.phonemizer, self.edits)

    def _build(self, words: list[str], context: Context) -> Hearing:
        listed = wordlists.load(self.vocabulary, context.lang, self.size, words)
        heard = [word for word in listed if wordlists.is_word(word)]
        every, asked = wordlists.numbered(words, heard)
        sounds = self._phonology(context).sounds(every)
        among = np.flatnonzero(sounds.known[: len(heard)])
        rows = np.flatnonzero(np.append(sounds.known, False)[asked])
        width = min(self.most or len(among), len(among))
        found: list[Neighbours] = []
        with progress("listening", len(rows)) as step:
            for lo in range(0, len(rows), BLOCK):
                cut = rows[lo : lo + BLOCK]
                got = sounds.nearest(asked[cut], among, width, self.threshold, context.workers)
                unknown = np.full(got.costs.shape, np.nan)
                found.append(Neighbours(cut, among[got.ids], got.costs, unknown))
                step(len(cut))
        near = joined(found, width)
        shares = self._shares(heard, context.lang)
        powers = self.frequency * np.log(shares)[near.ids] - near.sound / self.reach
        candidates = table(words, heard, near, softmax(powers))
        said = dict(zip(heard, shares.tolist(), strict=True))
        inserted = np.array([said[word] for word in candidates.heard])
        return Hearing.even(candidates, inserted / inserted.sum())

    def _shares(self, heard: list[str], lang: str) -> Weights:
        """How frequent words are; all alike where that is not known."""
        if self.vocabulary != wordlists.FREQUENT:
            return np.ones(len(heard))
        listed = frequencies.load(wordlists.FREQUENT, lang, ())
        return np.array([listed.of(word) for word in heard])
