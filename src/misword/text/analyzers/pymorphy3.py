"""Lemmas and tags of Russian and Ukrainian from the dictionary of OpenCorpora."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from misword.core.context import Context
from misword.core.parts.contract import Requirement, Settings
from misword.core.parts.installed import version_of
from misword.text.analysis import Analysis, WordAnalysis, analyse_by_word
from misword.text.analyzers import Analyzer
from misword.text.tagsets import PROPER, of_opencorpora

DICTIONARIES = {"ru": "pymorphy3-dicts-ru", "uk": "pymorphy3-dicts-uk"}
# Grammemes of names, archaic words, informal words and slang.
RARE = PROPER | {"Arch", "Infr", "Slng", "Vulg"}


@dataclass(frozen=True, slots=True)
class Pymorphy3(Analyzer):
    """Russian and Ukrainian lemmas and tags: each word's most frequent reading in a dictionary.

    Words that are not in the dictionary are analysed by their endings. The detailed tag has all
    grammemes, e.g. `NOUN,anim,masc,plur,nomn`.

    Known problems: the context is ignored, so a homograph such as `все` always has the same lemma;
    a white-space word is one token; the lemma of a participle is its verb; the Ukrainian dictionary
    has no frequencies, so a rare reading may be chosen.

    Example: `misword score ref.txt hyp.txt --metrics ler,uposer --lang ru`
    Reference: Korobov 2015, Morphological analyzer and generator for Russian and Ukrainian
    """

    name: ClassVar[str] = "pymorphy3"
    title: ClassVar[str] = "pymorphy3"
    gives: ClassVar[frozenset[str]] = frozenset({"lemma", "tag", "detail"})
    LANGUAGES: ClassVar[tuple[str, ...]] = tuple(DICTIONARIES)

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """pymorphy3 and the dictionary of the language."""
        if lang == "uk":
            modules = ("pymorphy3", "pymorphy3_dicts_uk")
            return Requirement(
                modules, "pip install 'misword[pymorphy3]' pymorphy3-dicts-uk", "GPL-3.0"
            )
        return Requirement(
            ("pymorphy3", "pymorphy3_dicts_ru"), "pip install 'misword[pymorphy3]'", "MIT"
        )

    def settings(self, context: Context) -> Settings:
        """Versions of pymorphy3 and of the dictionary."""
        dictionary = DICTIONARIES[self.lang]
        versions = f"pymorphy3-{version_of('pymorphy3')}/{dictionary}-{version_of(dictionary)}"
        return (("analyzer", versions),)

    def analyse(self, utterances: Sequence[str]) -> Analysis:
        """Look up each distinct word once."""
        analyzer = load(self.lang)

        def analyse(word: str) -> WordAnalysis:
            best = min(analyzer.parse(word), key=rank)
            tag = str(best.tag)
            return best.normal_form, of_opencorpora(tag), tag.replace(" ", ",")

        return analyse_by_word(utterances, analyse, self.gives)


def rank(reading: Any) -> tuple[float, bool]:
    """Return a sort key: likely readings first; of equally likely ones, names and slang last.

    All readings of a Ukrainian word are equally likely.
    """
    return -reading.score, not RARE.isdisjoint(reading.tag.grammemes)


@cache
def load(lang: str) -> Any:
    """Return the analyzer of a language with its dictionary, loaded once per process."""
    from pymorphy3 import MorphAnalyzer

    return MorphAnalyzer(lang=lang)
