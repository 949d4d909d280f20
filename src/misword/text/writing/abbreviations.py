"""The family `abbreviations`: `Mr.` and `mister`, `R&D` and `R and D`, `US` and `U.S.`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from typing import ClassVar

from misword.text.writing import MAKES_RUN, WITHIN_RUN, Family, Phrase, Reading
from misword.text.writing.abbreviation_lists import ABBREVIATIONS, AND
from misword.text.writing.base_forms import without_outer_signs
from misword.text.writing.initialisms import (
    READ_AS_LETTERS,
    joined_initialism,
    plural_initialism,
)
from misword.text.writing.phrases import PhraseClass, known_classes, parse_classes

NO_RUN = 0
MOST_LETTERS = max(map(len, READ_AS_LETTERS))


@dataclass(frozen=True, slots=True)
class Abbreviations(Family):
    """Abbreviations and the words that they are read as: `Mr.` and `mister`, `R&D` and `R and D`.

    `US`, `U.S.` and `u s` are the same; `us` in small letters is another word. `CEOs` and `CEO's`
    are the same. The letters of other initialisms (`c e o`, `C.E.O.`) are joined by `compounds`.

    Never the same: `Dr.` and *drive*, `St.` and *street*, *company* and *co*, *number* and *no*.

    Known problems: in a text in small letters only, *us* is never the country.

    Example: `misword score ref.txt hyp.txt --lang en --forgive abbreviations`
    """

    name: ClassVar[str] = "abbreviations"

    @classmethod
    def languages(cls) -> tuple[str, ...]:
        """Languages with a list of abbreviations."""
        return tuple(sorted(ABBREVIATIONS))

    def classes(self, words: Sequence[str], lang: str) -> Iterable[Iterable[Phrase]]:
        """Yield the classes whose words occur in the texts.

        >>> list(Abbreviations().classes(["mr", "mister", "dr", "drive"], "en"))
        [(('mr',), ('mister',))]
        """
        known = frozenset(words)
        yield from known_classes(_listed(lang), known)
        yield from known_classes(_with_and(known, AND.get(lang, "&")), known)

    def run_words(self, words: Sequence[str], lang: str) -> Sequence[int] | None:
        """Find single letters, dotted letters, and words in capitals that are another word."""
        return [_run_word(word) for word in words] if lang == "en" else None

    def readings(self, run: Phrase, lang: str) -> Iterable[Reading]:
        """Yield the initialisms of a run that are a word of another meaning in small letters.

        >>> list(Abbreviations().readings(("U.S.", "a", "IT"), "en"))
        [Reading(start=0, end=1, key='us'), Reading(start=2, end=3, key='it')]
        """
        words = [without_outer_signs(word) for word in run]
        for start, word in enumerate(words):
            if len(word) > 1:
                plural = plural_initialism(word)
                key = plural or joined_initialism(word) or word
                yield Reading(start, start + 1, key.lower())
            joined = accumulate(words[start : start + MOST_LETTERS])
            for end, letters in enumerate(joined, start + 1):
                if len(letters) != end - start:  # not single letters only
                    break
                if len(letters) > 1 and letters.lower() in READ_AS_LETTERS:
                    yield Reading(start, end, letters.lower())


def _run_word(word: str) -> int:
    """Return the value of `run_words` for a word as it is written."""
    if word.islower() and len(word) > 1 and "." not in word:  # by far the most words
        return NO_RUN
    word = without_outer_signs(word)
    if len(word) == 1:
        return (WITHIN_RUN if word in "aAiI" else MAKES_RUN) if word.isalpha() else NO_RUN
    letters = joined_initialism(word) or (word.lower() if word.isupper() else "")
    return MAKES_RUN if letters in READ_AS_LETTERS or plural_initialism(word) else NO_RUN


@cache
def _listed(lang: str) -> list[PhraseClass]:
    return parse_classes(ABBREVIATIONS.get(lang, ""))


def _with_and(words: Iterable[str], conjunction: str) -> Iterator[PhraseClass]:
    """Yield the classes of the words with `&`: r&d, r and d; at&t, at and t, a t and t."""
    for word in sorted(word for word in words if "&" in word[1:-1]):
        first, _, second = word.partition("&")
        for sign in ("&", conjunction):
            yield ((word,), (first, sign, second), (*first, sign, *second))
