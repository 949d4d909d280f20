"""The families `case`, `apostrophes` and `punctuation`: differences in signs, not in letters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from misword.text.writing import Family
from misword.text.writing.words import LONE_DASHES, PLAIN_SIGNS, without_outer_signs, word_set

# Words of another meaning in capitals, and with a capital letter: US and us, Polish and polish.
IN_CAPITALS = word_set("act ad aids it led or sat us vat who")
WITH_CAPITAL = word_set("august march may polish turkey")
# Words beside which a word is the month, also in small letters: in march, may third.
BEFORE_MONTHS = word_set("""
    early during in last late mid next of since till until
    april june july september october november december january february
""")
MONTHS = word_set("august march may")
# Milliwatts, which are not megawatts.
MILLI = re.compile(r"[0-9.,]*[0-9]mW[h]?")


@dataclass(frozen=True, slots=True)
class Case(Family):
    """Words that differ only in capital and small letters: `Paris` and `paris`.

    English words of another meaning in capitals are different words where the text has capital and
    small letters: `US` and `us`, `IT` and `it`, `May` and `may`. They are the same in a text
    without capital letters, and at the start of a sentence.

    Known problems: `Mark` and `mark`, `Bill` and `bill` are the same in this family.

    Example: `misword score ref.txt hyp.txt --forgive case`
    """

    name: ClassVar[str] = "case"
    revision: ClassVar[int] = 2

    def same_words(self, words: Sequence[str], lang: str) -> Sequence[str]:
        """Return each word in small letters, unless it is another word then.

        >>> Case().same_words(["Paris", "NATO", "US", "us", "5mW"], "en")
        ['paris', 'nato', 'US', 'us', '5mW']
        """
        return [word if self.is_another_word(word, lang) else word.lower() for word in words]

    def is_another_word(self, word: str, lang: str) -> bool:
        """Whether a word has another meaning than the word in small letters."""
        if word.islower() or (len(word) > _LONGEST and not MILLI.match(word)):
            return False
        core = without_outer_signs(word)
        if MILLI.fullmatch(core):
            return True
        small = core.lower()
        return lang == "en" and (
            (core.isupper() and small in IN_CAPITALS)
            or (core[:1].isupper() and small in WITH_CAPITAL)
        )


_LONGEST = max(map(len, IN_CAPITALS | WITH_CAPITAL)) + 2


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

    A token that consists of punctuation only (`-`, `...`) may be left out, unless it is the minus
    of a number: `- 5`.

    Signs inside a word belong to other families: hyphens to `compounds`, apostrophes to
    `contractions` and `apostrophes`. Signs that are read aloud are kept: `60%`, `#5`, `R&D`, `$`.

    Known problems: `companies'` keeps its apostrophe, because it can belong to the word.

    Example: `misword score ref.txt hyp.txt --forgive punctuation`
    """

    name: ClassVar[str] = "punctuation"
    revision: ClassVar[int] = 2

    def same_words(self, words: Sequence[str], lang: str) -> Sequence[str]:
        """Return each word without the signs at its ends, with plain apostrophes and dashes.

        >>> Punctuation().same_words(["“Yes,", "it’s", "60%.", "..."], "en")
        ['Yes', "it's", '60%', '']
        """
        return [word if word.isalnum() else without_outer_signs(word) for word in words]

    def optional(self, words: Sequence[str], lang: str) -> Sequence[bool]:
        """Return True for each word that consists of punctuation only, except for a dash.

        Whether a dash may be left out depends on its place (`asr/forgiving/places.py`).

        >>> Punctuation().optional(["...", "a-", "&", "%", "-"], "en")
        [True, False, False, False, False]
        """
        return [
            not word.isalnum() and not without_outer_signs(word) and word not in LONE_DASHES
            for word in words
        ]
