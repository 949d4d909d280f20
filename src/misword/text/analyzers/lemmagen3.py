"""Lemmas of white-space words by learnt rules, for 19 languages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from misword.core.context import Context
from misword.core.part import Settings
from misword.core.requirements import Requirement, version_of
from misword.text.analysis import Analysis, Reading, by_word, within_edges
from misword.text.language_part import LanguagePart

CODES = "bg cs de en es et fa fr hr hu it mk pl ro ru sk sl sr uk"
NOT_COMMERCIAL = ("fa", "mk", "pl", "ru")


@dataclass(frozen=True, slots=True)
class Lemmagen3(LanguagePart):
    """Lemmas from rules on word endings, word by word: unknown words are handled like known ones.

    The rules were learnt from the Multext-East lexicons. Words are lower-cased first.

    Known problems: it never sees the context; a rule may make a form that is no word; a white-space
    word is one token. Never a default: Persian, Macedonian, Polish and Russian rules are not for
    commercial use, the others are share-alike.

    Example: `misword score ref.txt hyp.txt --metrics ler:lemmatizer=lemmagen3 --lang sl`
    Reference: Juršič et al. 2010, LemmaGen: multilingual lemmatisation with induced ripple-down
    rules
    """

    name: ClassVar[str] = "lemmagen3"
    gives: ClassVar[frozenset[str]] = frozenset({"lemma"})
    LANGUAGES: ClassVar[tuple[str, ...]] = tuple(CODES.split())

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """The package has all languages; the licence is that of the language's rules."""
        terms = "not for commercial use" if lang in NOT_COMMERCIAL else "CC BY-SA 4.0"
        return Requirement(("lemmagen3",), "pip install lemmagen3", f"LGPL, rules {terms}")

    def settings(self, context: Context) -> Settings:
        """Package, version and language."""
        return (("analyzer", f"lemmagen3-{version_of('lemmagen3')}/{self.lang}"),)

    def analyse(self, utterances: Sequence[str]) -> Analysis:
        """Lemmatise each distinct word once."""
        lemmatizer = load(self.lang)

        def read(word: str) -> Reading:
            return within_edges(word, lambda core: lemmatizer.lemmatize(core.lower())), "", ""

        return by_word(utterances, read, self.gives)


@cache
def load(lang: str) -> Any:
    """Load a language's rules once."""
    from lemmagen3 import Lemmatizer

    return Lemmatizer(lang)
