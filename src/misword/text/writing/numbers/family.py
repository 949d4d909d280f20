"""The family `numbers`: the same number in words and in digits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from misword.core.parts.contract import Requirement
from misword.text.writing import Family, Phrase, Reading
from misword.text.writing.numbers import english
from misword.text.writing.numbers.run_words import run_words


@dataclass(frozen=True, slots=True)
class Numbers(Family):
    """The same number in words and in digits: `twenty one` and `21`.

    Example: `misword score ref.txt hyp.txt --forgive numbers --lang en`
    """

    name: ClassVar[str] = "numbers"
    title: ClassVar[str] = "numbers"

    def run_words(self, words: Sequence[str], lang: str) -> Sequence[int] | None:
        """Number words and words with digits make runs; `and`, `dollars`, `june` are within."""
        return run_words(words)

    def readings(self, run: Phrase, lang: str) -> Iterable[Reading]:
        """Yield the numbers that the spans of a run can be read as."""
        return english.read(run)
