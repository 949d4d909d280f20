"""The family `compounds`: `e-mail` and `email`, `health care` and `healthcare`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Never

from misword.core.errors import OptionError
from misword.text.writing import Family, Phrase
from misword.text.writing.base_forms import base_forms
from misword.text.writing.compound_lists import (
    DIFFERENT_HYPHENATED,
    DIFFERENT_JOINED,
    FUNCTION_WORDS,
    JOINED,
)
from misword.text.writing.initialisms import SHORT_WORDS, joined_initialism

REMOVED = str.maketrans("", "", "-/")
DIVIDED = re.compile("[-/]")
# A part that is no word of its own: 're, l'.
CLITIC = re.compile("^'|'$")
# A part that is read letter by letter: a single letter, or letters without a vowel (`i frs`).
SPELT = re.compile("[a-z]|[b-df-hj-np-tv-xz]+")
NONE: frozenset[Never] = frozenset()


@dataclass(frozen=True, slots=True)
class Compounds(Family):
    """Words written apart, with a hyphen, or as one: `e-mail`, `e mail` and `email`.

    Up to `most` successive words are the same as one word if their letters are the same. Hyphens,
    slashes, and full stops between single letters (`C.E.O.`) do not count; apostrophes do.

    In en, es, fr, it and pt, two words of which one is a function word (*a*, *to*, *in*, *be*) are
    joined only if the result is known to be written in both ways (`today`, `input`), or is written
    with a hyphen in one of the texts (`at risk` and `at-risk`); so `a part` and `apart`, `may be`
    and `maybe`, `in to` and `into` stay different. Single letters are not joined to a frequent
    word: `u s` and `us`.

    Known problems: two words whose letters happen to be those of another word (`sea son`) count as
    the same, except in the list of such pairs.

    Example: `misword score ref.txt hyp.txt --lang en --forgive compounds`
    """

    most: int = 4

    name: ClassVar[str] = "compounds"

    def __post_init__(self) -> None:
        if self.most < 2:
            raise OptionError(f"compounds:most={self.most}", fix="give at least 2 words")

    def letters(self, words: Sequence[str], lang: str) -> list[str]:
        """Return the letters of each word; words with the same letters are the same.

        A word with empty letters takes no part.

        >>> Compounds().letters(["E-mail,", "C.E.O.", "U.S.", "re-sign", "10-15", "--"], "en")
        ['email', 'ceo', 'u.s', 're-sign', '10-15', '']
        """
        kept = DIFFERENT_HYPHENATED.get(lang, NONE)
        return [
            form if form.isalpha() or form in kept else _letters(form, lang)
            for form in base_forms(words)
        ]

    def allowed(self, parts: Phrase, lang: str, wholes: Sequence[str] = ()) -> bool:
        """Return whether successive words may be the same as a word with the same letters.

        `parts` and `wholes` are base forms; `wholes` are the ways in which the one word is written
        in the texts.

        >>> compounds = Compounds()
        >>> compounds.allowed(("health", "care"), "en"), compounds.allowed(("may", "be"), "en")
        (True, False)
        >>> compounds.allowed(("at", "risk"), "en", ["at-risk"])
        True
        """
        if len(parts) < 2:
            return True
        if any(first[-1].isdigit() and second[0].isdigit() for first, second in pairwise(parts)):
            return False  # 20 25 is not 2025
        if any(map(DIVIDED.search, wholes)) or any(map(CLITIC.search, parts)):
            return True
        joined = "".join(parts)
        functions = FUNCTION_WORDS.get(lang, NONE)
        if all(map(SPELT.fullmatch, parts)):
            return joined not in functions and not (lang == "en" and joined in SHORT_WORDS)
        return parts not in DIFFERENT_JOINED.get(lang, NONE) and (
            len(parts) > 2 or joined in JOINED.get(lang, NONE) or functions.isdisjoint(parts)
        )


def _letters(form: str, lang: str) -> str:
    """Return the letters of a base form that is not made of letters only."""
    if not any(map(str.isalpha, form)):
        return form  # 10-15 is not 1015
    if initialism := joined_initialism(form):
        return form if lang == "en" and initialism in SHORT_WORDS else initialism
    return form.translate(REMOVED)
