"""Lemmas and tags of Russian and Ukrainian from OpenCorpora's dictionary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from misword.core.context import Context
from misword.core.part import Settings
from misword.core.requirements import Requirement, version_of
from misword.text.analysis import Analysis, Reading, by_word
from misword.text.language_part import LanguagePart
from misword.text.tagsets import PROPER, of_opencorpora

DICTIONARIES = {"ru": "pymorphy3-dicts-ru", "uk": "pymorphy3-dicts-uk"}
RARE = PROPER | {"Arch", "Infr", "Slng", "Vulg"}


@dataclass(frozen=True, slots=True)
class Pymorphy3(LanguagePart):
    """Russian and Ukrainian lemmas and tags: each word's most frequent reading in a dictionary.

    Words that are not listed are guessed from their endings. The detailed tag has all grammemes,
    e.g. `NOUN,anim,masc,plur,nomn`.

    Known problems: it does not look at the context, so `все` is always the same word; a white-space
    word is one token; the lemma of a participle is its verb; for Ukrainian no frequencies are
    known, so the reading may be a rare one.

    Example: `misword score ref.txt hyp.txt --metrics ler,uposer --lang ru`
    Reference: Korobov 2015, Morphological analyzer and generator for Russian and Ukrainian
    """

    name: ClassVar[str] = "pymorphy3"
    gives: ClassVar[frozenset[str]] = frozenset({"lemma", "tag", "detail"})
    LANGUAGES: ClassVar[tuple[str, ...]] = tuple(DICTIONARIES)

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """The package and the language's dictionary."""
        if lang == "uk":
            modules = ("pymorphy3", "pymorphy3_dicts_uk")
            return Requirement(
                modules, "pip install 'misword[pymorphy3]' pymorphy3-dicts-uk", "GPL-3.0"
            )
        return Requirement(
            ("pymorphy3", "pymorphy3_dicts_ru"), "pip install 'misword[pymorphy3]'", "MIT"
        )

    def settings(self, context: Context) -> Settings:
        """Versions of package and dictionary."""
        dictionary = DICTIONARIES[self.lang]
        versions = f"pymorphy3-{version_of('pymorphy3')}/{dictionary}-{version_of(dictionary)}"
        return (("analyzer", versions),)

    def analyse(self, utterances: Sequence[str]) -> Analysis:
        """Look up each distinct word once."""
        analyzer = load(self.lang)

        def read(word: str) -> Reading:
            best = min(analyzer.parse(word), key=rank)
            tag = str(best.tag)
            return best.normal_form, of_opencorpora(tag), tag.replace(" ", ",")

        return by_word(utterances, read, self.gives)


def rank(reading: Any) -> tuple[float, bool]:
    """The likeliest reading first; of equals, which all are in Ukrainian, no name and no slang."""
    return -reading.score, not RARE.isdisjoint(reading.tag.grammemes)


@cache
def load(lang: str) -> Any:
    """Load a dictionary once."""
    from pymorphy3 import MorphAnalyzer

    return MorphAnalyzer(lang=lang)
