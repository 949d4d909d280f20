"""Lemmas of white-space words from learnt rules, for 19 languages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from misword.core.context import Context
from misword.core.parts.contract import Requirement, Settings
from misword.core.parts.installed import version_of
from misword.text.analysis import (
    Analysis,
    WordAnalysis,
    analyse_by_word,
    change_inside_punctuation,
)
from misword.text.analyzers import Analyzer

CODES = "bg cs de en es et fa fr hr hu it mk pl ro ru sk sl sr uk"
NOT_COMMERCIAL = ("fa", "mk", "pl", "ru")


@dataclass(frozen=True, slots=True)
class Lemmagen3(Analyzer):
    """Lemmas from rules on word endings, word by word: unknown words are handled like known ones.

    The rules were learnt from the Multext-East lexicons. Words are lower-cased first.

    Known problems: the context of a word is ignored; a rule may produce a form that is not a word;
    a white-space word is one token. It is never a default, because of the licences of its rules:
    those for Persian, Macedonian, Polish and Russian do not allow commercial use, the others
    require sharing under the same terms.

    Example: `misword score ref.txt hyp.txt --metrics ler:lemmatizer=lemmagen3 --lang sl`
    Reference: Juršič et al. 2010, LemmaGen: multilingual lemmatisation with induced ripple-down
    rules
    """

    name: ClassVar[str] = "lemmagen3"
    title: ClassVar[str] = "LemmaGen3"
    gives: ClassVar[frozenset[str]] = frozenset({"lemma"})
    LANGUAGES: ClassVar[tuple[str, ...]] = tuple(CODES.split())

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """lemmagen3, which contains all languages; the rules of each have their own licence."""
        terms = "not for commercial use" if lang in NOT_COMMERCIAL else "CC BY-SA 4.0"
        return Requirement(("lemmagen3",), "pip install lemmagen3", f"LGPL, rules {terms}")

    def settings(self, context: Context) -> Settings:
        """Version of lemmagen3, and the language."""
        return (("analyzer", f"lemmagen3-{version_of('lemmagen3')}/{self.lang}"),)

    def analyse(self, utterances: Sequence[str]) -> Analysis:
        """Lemmatise each distinct word once."""
        lemmatizer = load(self.lang)

        def lemmatise(word: str) -> str:
            return str(lemmatizer.lemmatize(word.lower()))

        def analyse(word: str) -> WordAnalysis:
            return change_inside_punctuation(word, lemmatise), "", ""

        return analyse_by_word(utterances, analyse, self.gives)


@cache
def load(lang: str) -> Any:
    """Return the lemmatizer of a language, loaded once per process."""
    from lemmagen3 import Lemmatizer

    return Lemmatizer(lang)
