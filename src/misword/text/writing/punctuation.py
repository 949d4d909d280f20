"""The family `punctuation`: signs at the ends of words, and tokens that are signs only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from misword.text.writing import Family
from misword.text.writing.base_forms import without_outer_signs


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
