"""A cost slightly below 1 for two words that differ only in their punctuation or capitals."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import permutations
from typing import ClassVar

import numpy as np

from misword.alignment.costs import Costs
from misword.asr.costs import Cost, ViewVocabulary
from misword.asr.formatting.marks import divide

# An alignment of fewer than a million words has then the lowest number of errors, and among all
# such alignments the most pairs of words that differ only in their formatting.
DISCOUNT = 2.0**-20


@dataclass(frozen=True, slots=True)
class Formatting(Cost):
    """1 - 2^-20 for two forms of one word (`Yes,` and `yes`), 1 for other words.

    Known problems: a token of punctuation alone is a form of any other such token.
    """

    name: ClassVar[str] = "formatting"

    def table(self, vocabulary: ViewVocabulary) -> Costs:
        """List the pairs of tokens that are forms of one word."""
        forms: defaultdict[str, list[int]] = defaultdict(list)
        for number, word in enumerate(vocabulary.tokens):
            forms[divide(word).bare].append(number)
        listed = [pair for group in forms.values() for pair in permutations(group, 2)]
        left, right = np.array(listed, np.int64).reshape(-1, 2).T
        prices = np.full(len(listed), 1 - DISCOUNT)
        return Costs.pairs(left, right, prices, size=len(vocabulary.tokens))
