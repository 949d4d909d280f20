"""Words that sound alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from misword.core.progress import progress
from misword.core.registry import options_of
from misword.embed.context import Context
from misword.noise import wordlists
from misword.noise.hearing import Hearing
from misword.noise.hearing_cache import kept
from misword.noise.phonology import Edits, Phonology
from misword.noise.weighing import Kernel, Neighbours, check_numbers, joined, table, zipf

BLOCK = 2048  # said words whose neighbours are looked for at once


@dataclass(frozen=True, slots=True)
class Phonetic:
    """The words nearest in sound, whatever they mean; no vectors needed.

    Why: a recogniser whose language model is weak writes what it hears.

    The `most` nearest words by phonological distance d, none farther than `threshold`, are heard
    with a probability that falls with d: exp(-d^2 / (2 sigma^2)) with `kernel=gaussian`,
    exp(-d / sigma^2) with `kernel=paper`, sigma being the mean d of the candidates. `vocabulary` is
    the `size` most frequent words of the language in the package wordfreq (`wordfreq`), the CMU
    dictionary (`cmudict`), the text's own words (`corpus`), or a file with a word on each line.
    `phonemizer` names a part, `auto` the language's usual; with `edits=single` all features cost
    the same.

    Known problems: how frequent a word is does not count, nor what stands around it; a real
    recogniser prefers common words that fit. Of words with several pronunciations one is known.
    Words without phonemes are left alone, and long ones that nothing is like.

    Example: `misword corrupt text.txt --wer 0.3 --channel phonetic --lang en -o noisy.txt`
    Reference: B. Hayes, Introductory Phonology, 2009 (features); R. Voleti et al., ICASSP 2019
    (distance and kernels)
    """

    NAME: ClassVar[str] = "phonetic"
    wants: ClassVar[str] = "lang"
    heeds: ClassVar[tuple[str, ...]] = ()

    threshold: float = 20.0
    kernel: Kernel = "gaussian"
    most: int = 15
    vocabulary: str = wordlists.FREQUENT
    size: int = 30_000
    phonemizer: str = "auto"
    edits: Edits = "features"

    def check(self, context: Context) -> None:
        """There must be a language that can be said, and the list."""
        check_numbers(size=self.size, threshold=self.threshold, most=self.most)
        self._phonology(context).check()
        wordlists.check(self.vocabulary, context.lang)

    def settings(self, context: Context) -> tuple[tuple[str, str], ...]:
        """The options, the phonemizer, the features, the list."""
        named = ("phonemizer", "edits", "vocabulary")
        own = tuple(pair for pair in options_of(self) if pair[0] not in named)
        listed = wordlists.settings(self.vocabulary, context.lang)
        return ("channel", self.NAME), *own, *listed, *self._phonology(context).settings

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
        found = []
        with progress("listening", len(rows)) as step:
            for lo in range(0, len(rows), BLOCK):
                cut = rows[lo : lo + BLOCK]
                near = sounds.nearest(asked[cut], among, width, self.threshold, context.workers)
                unknown = np.full(near.costs.shape, np.nan)
                found.append(Neighbours(cut, among[near.ids], near.costs, unknown))
                step(len(cut))
        candidates = table(words, heard, joined(found, width), self.kernel)
        ranked = self.vocabulary == wordlists.FREQUENT
        return Hearing.even(candidates, zipf(candidates.heard, heard) if ranked else None)
