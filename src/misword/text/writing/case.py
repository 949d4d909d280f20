"""The family `case`: capital and small letters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from misword.text.writing import Family


@dataclass(frozen=True, slots=True)
class Case(Family):
    """Words that differ only in capital and small letters: `Paris` and `paris`.

    Known problems: `US` and `us`, `Polish` and `polish` are the same in this family.

    Example: `misword score ref.txt hyp.txt --forgive case`
    """

    name: ClassVar[str] = "case"

    def same_words(self, words: Sequence[str], lang: str) -> Sequence[str]:
        """Return each word in small letters.

        >>> Case().same_words(["Paris", "NATO"], "en")
        ['paris', 'nato']
        """
        return [word.lower() for word in words]
