"""The channel `uniform`: every word of a vocabulary is an equally likely substitute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from misword.core.context import Context
from misword.core.parts import Settings
from misword.noise import wordlists
from misword.noise.channels import Channel
from misword.noise.error_model import CandidateTable, ErrorModel
from misword.noise.wordlists import check_numbers


@dataclass(frozen=True, slots=True)
class Uniform(Channel):
    """Any other word of a vocabulary, each with the same probability: the baseline to beat.

    `vocabulary` is the words of the text (`corpus`), the `size` most frequent words of the language
    in the package wordfreq (`wordfreq`), the CMU dictionary (`cmudict`), or a file with a word on
    each line. All rows share one background distribution, so the table stays as small as the
    vocabulary.

    Known problems: no recogniser makes such errors; a substitute has neither the sound nor the
    meaning of the word.

    Example: `misword corrupt text.txt --wer 0.3 --channel uniform -o noisy.txt`
    Reference: the baseline of noise models, without a paper of its own.
    """

    name: ClassVar[str] = "uniform"
    title: ClassVar[str] = "Uniform substitutions"
    family: ClassVar[str] = "words"

    vocabulary: str = wordlists.CORPUS
    size: int = 30_000

    @property
    def uses(self) -> tuple[str, ...]:
        """The language, unless the words are those of the text."""
        return () if self.vocabulary == wordlists.CORPUS else ("lang",)

    def check(self, context: Context) -> None:
        """Raise an error if the word list is missing or `size` is below 1."""
        check_numbers(size=self.size)
        wordlists.check(self.vocabulary, context.lang)

    def settings(self, context: Context) -> Settings:
        """The word list and its size."""
        size = ("size", str(self.size))
        return ("channel", self.name), *wordlists.settings(self.vocabulary, context.lang), size

    def error_model(self, words: Sequence[str], context: Context) -> ErrorModel:
        """Return a model with one background distribution for all words."""
        vocabulary = sorted(wordlists.load(self.vocabulary, context.lang, self.size, words))
        size, listed = len(vocabulary), set(vocabulary)
        others = np.array([size - (word in listed) for word in words], np.int64)
        candidates = CandidateTable(
            list(words),
            vocabulary,
            np.zeros(len(words) + 1, np.int64),
            np.zeros(0, np.int32),
            np.zeros(0),
            np.zeros(0, np.float32),
            np.zeros(0, np.float32),
            np.full(size, 1 / size) if size else np.zeros(0),
            (others > 0).astype(np.float64),
        )
        return ErrorModel.unweighted(candidates)
