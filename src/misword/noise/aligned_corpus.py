"""References aligned with a recogniser's hypotheses: the data that channels learn from.

Words are compared by their cores (lower case, without the punctuation around them), because
channels take only cores: `cat` for `Cat,` does not count as an error. A token without a letter or a
digit is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

import numpy as np
from numpy.typing import NDArray

from misword.alignment import align
from misword.alignment.engine import steps
from misword.alignment.several_references import merged_corpus
from misword.core.errors import MismatchError, OptionError
from misword.core.types import Corpus, Op, Tokens, check_settled
from misword.noise.arrays import Flags, Ints
from misword.noise.corruption.text_block import word_shape
from misword.text.texts import Texts
from misword.text.tokens import encode_words


@dataclass(frozen=True, slots=True, eq=False)
class AlignedCorpus:
    """All steps of the alignments of all utterances, as columns.

    For each step: `utterance` is the number of its utterance, `operations` its operation, and
    `reference` and `hypothesis` its two words as places in `vocabulary`, -1 where there is none.
    `sentence` has for each utterance the number of its distinct reference: utterances with the same
    reference, for example by several speakers, have the same number.
    """

    vocabulary: list[str]
    sentence: Ints
    utterance: Ints
    operations: NDArray[np.uint8]
    reference: Ints
    hypothesis: Ints

    @classmethod
    def align(cls, references: Iterable[str], hypotheses: Iterable[str]) -> Self:
        """Align two columns of text, row by row."""
        columns = [Texts.of(references), Texts.of(hypotheses)]
        if columns[0].rows != columns[1].rows:
            raise MismatchError(f"{columns[0].rows} references, {columns[1].rows} hypotheses")
        vocabulary, sides = _cores(encode_words(columns))
        pairs = np.stack([np.arange(columns[0].rows)] * 2, axis=1)
        table = steps(align(*sides), sides[0], sides[1], pairs)
        return cls(
            vocabulary,
            _sentences(sides[0]),
            table.pair,
            table.ops,
            table.reference,
            table.hypothesis,
        )

    @classmethod
    def of_corpus(cls, corpus: Corpus) -> Self:
        """Align the references with the hypotheses of all systems, taken as one recogniser."""
        check_settled(corpus)
        references = corpus.references["text"].to_list() * len(corpus.systems)
        return cls.align(references, corpus.hypotheses["text"])

    def select(self, utterances: Flags) -> Self:
        """Return the steps of the utterances whose flag is set."""
        chosen = utterances[self.utterance]
        return type(self)(
            self.vocabulary,
            self.sentence,
            self.utterance[chosen],
            self.operations[chosen],
            self.reference[chosen],
            self.hypothesis[chosen],
        )

    def substitutions(self) -> CorpusSubstitutions:
        """Return all substitutions."""
        chosen = self.operations == Op.SUBSTITUTION
        return CorpusSubstitutions(
            self.utterance[chosen], self.reference[chosen], self.hypothesis[chosen]
        )

    def count_words(self, words: Ints) -> Ints:
        """Return how often each word of the vocabulary is in a column of words, without -1."""
        return np.bincount(words[words >= 0], minlength=len(self.vocabulary))

    @property
    def word_counts(self) -> Ints:
        """How often each word of the vocabulary is in the references and the hypotheses."""
        return self.count_words(self.reference) + self.count_words(self.hypothesis)


@dataclass(frozen=True, slots=True, eq=False)
class CorpusSubstitutions:
    """The substitutions of an `AlignedCorpus`: utterance and the two words of each."""

    utterance: Ints
    reference: Ints
    hypothesis: Ints

    def __len__(self) -> int:
        return len(self.utterance)


def _cores(sides: list[Tokens]) -> tuple[list[str], list[Tokens]]:
    """Return the distinct cores, and both sides as tokens of cores; empty cores are left out."""
    numbers: dict[str, int] = {}
    cores = [word_shape(token).core for token in sides[0].vocabulary[:]]
    ids = np.array([numbers.setdefault(c, len(numbers)) if c else -1 for c in cores], np.int32)
    vocabulary = list(numbers)
    of_cores = []
    for side in sides:
        core_ids = ids[side.ids] if len(side.ids) else np.zeros(0, np.int32)
        before = np.concatenate([[0], np.cumsum(core_ids >= 0)])
        offsets = before[side.offsets].astype(np.int64)
        of_cores.append(Tokens(core_ids[core_ids >= 0], offsets, vocabulary))
    return vocabulary, of_cores


def _sentences(references: Tokens) -> Ints:
    """Return the number of each row's distinct sequence of words."""
    numbers: dict[bytes, int] = {}
    ids, offsets = references.ids, references.offsets.tolist()
    rows = (ids[start:end].tobytes() for start, end in pairwise(offsets))
    return np.array([numbers.setdefault(row, len(numbers)) for row in rows], np.int64)


# References and hypotheses in any of the forms that `learn_noise` and `realism` take.


def read_aligned(
    references: Iterable[str] | Corpus | Callable[[], Corpus], hypotheses: Iterable[str] | None
) -> AlignedCorpus:
    """Return aligned texts of two columns, of a corpus, or of a function that reads a corpus."""
    if callable(references):
        references = references()
    if isinstance(references, Corpus):
        if hypotheses is not None:
            raise OptionError(
                "a corpus has its own hypotheses", fix="leave the argument hypotheses out"
            )
        return AlignedCorpus.of_corpus(merged_corpus(references))
    if hypotheses is None:
        raise OptionError("no hypotheses are given", fix="give a recogniser's texts, or a Corpus")
    return AlignedCorpus.align(references, hypotheses)
