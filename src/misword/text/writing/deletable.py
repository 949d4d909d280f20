"""The family `deletable`: words in parentheses, which may be left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from misword.text.writing import Family


def without_parentheses(word: str) -> str:
    """Return a word without the parentheses around it.

    >>> without_parentheses("(it)"), without_parentheses("f(x)"), without_parentheses("()")
    ('it', 'f(x)', '()')
    """
    return word[1:-1] if is_deletable(word) else word


def is_deletable(word: str) -> bool:
    """Return whether a word is in parentheses."""
    return len(word) > 2 and word[0] == "(" and word[-1] == ")"


@dataclass(frozen=True, slots=True)
class Deletable(Family):
    """Words in parentheses, `(it)`, which may be left out, as in NIST sclite with `-D`.

    A word in parentheses is equal to the same word without them. On either side it may be left out;
    left out of the reference's words it still counts as a word of the reference.

    Known problems: in a text with ordinary parentheses, single words in them may be left out too.
    sclite prefers a match to leaving the word out at a small cost; here both are free, so that
    substitutions and insertions around such a word may be divided differently.

    Example: `misword score ref.trn hyp.trn --forgive deletable`

    Reference: https://github.com/usnistgov/SCTK (doc/options.htm)
    """

    name: ClassVar[str] = "deletable"
    title: ClassVar[str] = "optional words"

    def same_words(self, words: Sequence[str], lang: str) -> Sequence[str]:
        """Return each word without parentheses around it."""
        return [without_parentheses(word) for word in words]

    def optional(self, words: Sequence[str], lang: str) -> Sequence[bool]:
        """Return whether each word is in parentheses.

        >>> Deletable().optional(["(it)", "it", "(it"], "en")
        [True, False, False]
        """
        return [is_deletable(word) for word in words]
