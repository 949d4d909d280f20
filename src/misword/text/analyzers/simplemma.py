"""Lemmas of white-space words from word lists and rules, for more than 50 languages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

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

CODES = """
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
    LANGUAGES: ClassVar[tuple[str, ...]] = (*CODES.split(), *SHARED)

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
