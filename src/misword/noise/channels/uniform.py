"""Every word is as likely as every other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from misword.core.context import Context
from misword.noise.channels import wordlists
from misword.noise.channels.candidate_table import check_numbers
from misword.noise.hearing import Candidates, Hearing


@dataclass(frozen=True, slots=True)
class Uniform:
    """Any other word of a vocabulary, each as likely as the next: the baseline to beat.

    `vocabulary` is the text's own words (`corpus`), the `size` most frequent words of the language
    in the package wordfreq (`wordfreq`), the CMU dictionary (`cmudict`), or a file with a word on
    each line. All rows share one distribution, so the table stays as small as the vocabulary.

    Known problems: no recogniser errs like this; what is heard has neither the sound nor the
    meaning of what was said.

    Example: `misword corrupt text.txt --wer 0.3 --channel uniform -o noisy.txt`
    Reference: the baseline of noise models, without a paper of its own.
    """

    name: ClassVar[str] = "uniform"
    wants: ClassVar[str] = ""
    heeds: ClassVar[tuple[str, ...]] = ("lang",)

    vocabulary: str = wordlists.OWN
    size: int = 30_000

    def check(self, context: Context) -> None:
        """The list must be there."""
        check_numbers(size=self.size)
        wordlists.check(self.vocabulary, context.lang)

    def settings(self, context: Context) -> tuple[tuple[str, str], ...]:
        """The list of words, and how much of it."""
        size = ("size", str(self.size))
        return ("channel", self.name), *wordlists.settings(self.vocabulary, context.lang), size

    def hear(self, words: Sequence[str], context: Context) -> Hearing:
        """One distribution for all words."""
        heard = sorted(wordlists.load(self.vocabulary, context.lang, self.size, words))
        size, known = len(heard), set(heard)
        others = np.array([size - (word in known) for word in words], np.int64)
        candidates = Candidates(
            list(words),
            heard,
            np.zeros(len(words) + 1, np.int64),
            np.zeros(0, np.int32),
            np.zeros(0),
            np.zeros(0, np.float32),
            np.zeros(0, np.float32),
            np.full(size, 1 / size) if size else np.zeros(0),
            (others > 0).astype(np.float64),
        )
        return Hearing.even(candidates)
