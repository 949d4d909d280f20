"""What a recogniser really did with words: references and hypotheses, aligned.

Words are compared by their cores (lower case, no punctuation around them), since channels know no
others: `Cat,` heard as `cat` is no error here. What has no letter and no digit is no word.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

import numpy as np
from numpy.typing import NDArray

from misword.alignment import align
from misword.alignment.steps import steps
from misword.core.errors import MismatchError
from misword.core.types import Op, Tokens
from misword.noise.corruption.word_shape import shape
from misword.text.texts import Texts
from misword.text.tokens import encode_words

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Observed:
    """Every place of every alignment: whose it is, the operation, the words (-1: none there).

    `sentence` says of each utterance which distinct reference it has: those of one sentence belong
    together, whoever spoke them.
    """

    vocabulary: list[str]
    sentence: Ints
    utt: Ints
    ops: NDArray[np.uint8]
    said: Ints
    heard: Ints

    @classmethod
    def of(cls, references: Iterable[str], hypotheses: Iterable[str]) -> Self:
        """Align columns of text, row by row."""
        columns = [Texts.of(references), Texts.of(hypotheses)]
        if columns[0].rows != columns[1].rows:
            raise MismatchError(f"{columns[0].rows} references, {columns[1].rows} hypotheses")
        known, sides = _cores(encode_words(columns))
        pairs = np.stack([np.arange(columns[0].rows)] * 2, axis=1)
        found = steps(align(*sides), sides[0], sides[1], pairs)
        return cls(
            known, _sentences(sides[0]), found.pair, found.ops, found.reference, found.hypothesis
        )

    def part(self, utterances: NDArray[np.bool_]) -> Self:
        """The places of some utterances."""
        kept = utterances[self.utt]
        columns = (self.utt[kept], self.ops[kept], self.said[kept], self.heard[kept])
        return type(self)(self.vocabulary, self.sentence, *columns)

    def count(self, op: Op) -> int:
        """How often something happened."""
        return int((self.ops == op).sum())

    def substitutions(self) -> tuple[Ints, Ints, Ints]:
        """Whose, what was said and what was heard, of each substitution."""
        chosen = self.ops == Op.SUBSTITUTION
        return self.utt[chosen], self.said[chosen], self.heard[chosen]

    def tally(self, words: Ints) -> Ints:
        """How often each word of the vocabulary is among some, of which -1 is none."""
        return np.bincount(words[words >= 0], minlength=len(self.vocabulary))


def _cores(sides: list[Tokens]) -> tuple[list[str], list[Tokens]]:
    """The same tokens with their cores for words; those without one are left out."""
    known: dict[str, int] = {}
    shapes = [shape(token).core for token in sides[0].vocabulary[:]]
    number = np.array([known.setdefault(c, len(known)) if c else -1 for c in shapes], np.int32)
    words = list(known)
    cut = []
    for side in sides:
        ids = number[side.ids] if len(side.ids) else np.zeros(0, np.int32)
        kept = np.concatenate([[0], np.cumsum(ids >= 0)])
        cut.append(Tokens(ids[ids >= 0], kept[side.offsets].astype(np.int64), words))
    return words, cut


def _sentences(references: Tokens) -> Ints:
    """A number for each distinct sequence of words."""
    known: dict[bytes, int] = {}
    ids, offsets = references.ids, references.offsets.tolist()
    rows = (ids[lo:hi].tobytes() for lo, hi in pairwise(offsets))
    return np.array([known.setdefault(row, len(known)) for row in rows], np.int64)
