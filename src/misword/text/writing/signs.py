"""The families `case`, `apostrophes` and `punctuation`: differences in signs, not in letters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from misword.text.writing import Family
from misword.text.writing.words import PLAIN_SIGNS, without_outer_signs


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


@dataclass(frozen=True, slots=True)
class Apostrophes(Family):
    """Words that differ only in apostrophes: `it's` and `its`, `company's` and `companys`.

    The family is not part of `writing`, because `it's` and `its` are different words. It is useful
    if the references or the recogniser write no apostrophes.

    Known problems: `we'll` and `well`, `she'd` and `shed` are the same in this family. `company's`
    and `companies` are not, since their letters differ.

    Example: `misword score ref.txt hyp.txt --forgive writing,apostrophes`
    """

    name: ClassVar[str] = "apostrophes"

    def same_words(self, words: Sequence[str], lang: str) -> Sequence[str]:
        """Return each word without apostrophes; a word that is an apostrophe stays as it is.

        >>> Apostrophes().same_words(["it's", "companies’", "its"], "en")
        ['its', 'companies', 'its']
        """
        return [word if word.isalnum() else _without_apostrophes(word) for word in words]


def _without_apostrophes(word: str) -> str:
    plain = word.translate(PLAIN_SIGNS)
    return plain.replace("'", "") or word if "'" in plain else word


@dataclass(frozen=True, slots=True)
class Punctuation(Family):
    """Punctuation at the ends of words, forms of apostrophes and dashes: `“Yes,` and `Yes`.

    A token that consists of punctuation only (`-`, `...`) may be left out.

    Signs inside a word belong to other families: hyphens to `compounds`, apostrophes to
    `contractions` and `apostrophes`. Signs that are read aloud are kept: `60%`, `#5`, `R&D`, `$`.

    Known problems: `companies'` keeps its apostrophe, because it can belong to the word.

    Example: `misword score ref.txt hyp.txt --forgive punctuation`
    """

    name: ClassVar[str] = "punctuation"

    def same_words(self, words: Sequence[str], lang: str) -> Sequence[str]:
        """Return each word without the signs at its ends, with plain apostrophes and dashes.

        >>> Punctuation().same_words(["“Yes,", "it’s", "60%.", "..."], "en")
        ['Yes', "it's", '60%', '']
        """
        return [word if word.isalnum() else without_outer_signs(word) for word in words]

    def optional(self, words: Sequence[str], lang: str) -> Sequence[bool]:
        """Return True for each word that consists of punctuation only.

        >>> Punctuation().optional(["-", "a-", "&", "%"], "en")
        [True, False, False, False]
        """
        return [not word.isalnum() and not without_outer_signs(word) for word in words]
