"""Lemmas of white-space words from word lists and rules, for more than 50 languages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from misword.core.context import Context
from misword.core.part import Settings
from misword.core.requirements import Requirement, version_of
from misword.text.analysis import Analysis, Reading, by_word, within_edges
from misword.text.language_part import LanguagePart

CODES = """
ar ast bg ca cs cy da de el en enm eo es et fa fi fr ga gd gl grc gv hbs he hi hu hy id is it ka la
lb lt lv mk ml ms nb nl nn pl pt ro ru se sk sl sq sv sw tl tr uk
"""
# Written in Latin letters they share one list.
SHARED = {"bs": "hbs", "hr": "hbs", "sr": "hbs"}


@dataclass(frozen=True, slots=True)
class Simplemma(LanguagePart):
    """Lemmas from word lists and rules, word by word: small, quick, no tags.

    It needs neither a model nor a tokenizer, so there is a lemmatizer for most languages. A word
    that is not listed is lower-cased; punctuation around a word stays where it is.

    Known problems: it never sees the context, so a form of two words has one lemma (`souris` is
    always the same); a white-space word is one token, so French `l'école` loses its article and
    English `they've` its verb; Serbian is known in Latin letters only.

    Example: `misword score ref.txt hyp.txt --metrics ler --lang sk`
    Reference: Barbaresi 2021, simplemma, https://github.com/adbar/simplemma
    """

    name: ClassVar[str] = "simplemma"
    gives: ClassVar[frozenset[str]] = frozenset({"lemma"})
    LANGUAGES: ClassVar[tuple[str, ...]] = (*CODES.split(), *SHARED)

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """The package has all languages."""
        return Requirement(("simplemma",), "pip install 'misword[lemmas]'", "MIT")

    def settings(self, context: Context) -> Settings:
        """Package, version and language."""
        return (("analyzer", f"simplemma-{version_of('simplemma')}/{self.lang}"),)

    def analyse(self, utterances: Sequence[str]) -> Analysis:
        """Look up each distinct word once."""
        from simplemma import Lemmatizer

        lemmatizer, lang = Lemmatizer(), SHARED.get(self.lang, self.lang)

        def read(word: str) -> Reading:
            return within_edges(word, lambda core: lemmatizer.lemmatize(core, lang)), "", ""

        return by_word(utterances, read, self.gives)
