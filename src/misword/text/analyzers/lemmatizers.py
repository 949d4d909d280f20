"""Analyzers that give only lemmas, word by word: lemmagen3 and simplemma."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from misword.core.context import Context
from misword.core.parts import Requirement, Settings, version_of
from misword.text.analyzers import (
    Analysis,
    Analyzer,
    WordAnalysis,
    analyse_by_word,
    change_inside_punctuation,
)

LEMMAGEN_CODES = "bg cs de en es et fa fr hr hu it mk pl ro ru sk sl sr uk"
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
    LANGUAGES: ClassVar[tuple[str, ...]] = tuple(LEMMAGEN_CODES.split())

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
        lemmatizer = load_lemmagen(self.lang)

        def lemmatise(word: str) -> str:
            return str(lemmatizer.lemmatize(word.lower()))

        def analyse(word: str) -> WordAnalysis:
            return change_inside_punctuation(word, lemmatise), "", ""

        return analyse_by_word(utterances, analyse, self.gives)


@cache
def load_lemmagen(lang: str) -> Any:
    """Return the lemmatizer of a language, loaded once per process."""
    from lemmagen3 import Lemmatizer

    return Lemmatizer(lang)


SIMPLEMMA_CODES = """
ar ast bg ca cs cy da de el en enm eo es et fa fi fr ga gd gl grc gv hbs he hi hu hy id is it ka la
lb lt lv mk ml ms nb nl nn pl pt ro ru se sk sl sq sv sw tl tr uk
"""
# Bosnian, Croatian and Serbian in Latin letters have one common word list.
SHARED = {"bs": "hbs", "hr": "hbs", "sr": "hbs"}


@dataclass(frozen=True, slots=True)
class Simplemma(Analyzer):
    """Lemmas from word lists and rules, word by word: small, quick, no tags.

    It needs neither a model nor a tokenizer, so it covers more languages than any other analyzer. A
    word that is not in the list is lower-cased; the punctuation around a word is kept.

    Known problems: the context is ignored, so a homograph always has the same lemma (French
    `souris`, mouse or smile); a white-space word is one token, so the lemma of French `l'école` has
    no article and that of English `they've` no verb; Serbian must be in Latin letters.

    Example: `misword score ref.txt hyp.txt --metrics ler --lang sk`
    Reference: Barbaresi 2021, simplemma, https://github.com/adbar/simplemma
    """

    name: ClassVar[str] = "simplemma"
    title: ClassVar[str] = "simplemma"
    gives: ClassVar[frozenset[str]] = frozenset({"lemma"})
    LANGUAGES: ClassVar[tuple[str, ...]] = (*SIMPLEMMA_CODES.split(), *SHARED)

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """simplemma, which contains all languages."""
        return Requirement(("simplemma",), "pip install 'misword[lemmas]'", "MIT")

    def settings(self, context: Context) -> Settings:
        """Version of simplemma, and the language."""
        return (("analyzer", f"simplemma-{version_of('simplemma')}/{self.lang}"),)

    def analyse(self, utterances: Sequence[str]) -> Analysis:
        """Look up each distinct word once."""
        from simplemma import Lemmatizer

        lemmatizer, lang = Lemmatizer(), SHARED.get(self.lang, self.lang)

        def lemmatise(word: str) -> str:
            return lemmatizer.lemmatize(word, lang)

        def analyse(word: str) -> WordAnalysis:
            return change_inside_punctuation(word, lemmatise), "", ""

        return analyse_by_word(utterances, analyse, self.gives)
