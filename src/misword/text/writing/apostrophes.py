"""The family `apostrophes`: a word with and without its apostrophes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from misword.text.writing import Family
from misword.text.writing.base_forms import PLAIN_SIGNS


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
