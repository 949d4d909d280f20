"""Analyzers: lemmas and part-of-speech tags of whole utterances.

One registry serves lemmatizers and taggers, because most packages give both in one pass.
`analyzer_for` returns the analyzer of a language. `docs/languages.md` shows what each analyzer
gives for each language, with measurements.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from misword.core.errors import OptionError
from misword.core.languages import code
from misword.core.parts.registry import Entry
from misword.text.analysis import Analysis
from misword.text.language_part import LanguagePart
from misword.text.language_registry import Defaults, LanguageRegistry

__all__ = ["ANALYZERS", "GIVES", "Analysis", "Analyzer", "analyzer_for", "analyzers_for"]

HERE = "misword.text.analyzers"
# What an analyzer may give, and the name of an analyzer that gives it.
GIVES = {"lemma": "lemmatizer", "tag": "tagger", "detail": "detailed tagger"}


@dataclass(frozen=True, slots=True)
class Analyzer(LanguagePart):
    """Finds the tokens of utterances, and the lemma or the tags of each token.

    `gives` says which of `lemma`, `tag` (universal part of speech) and `detail` (full tag with
    features) the analyzer finds. The tokens of an utterance must not depend on the other
    utterances in the list.
    """

    family: ClassVar[str] = "grammar"
    gives: ClassVar[frozenset[str]] = frozenset()

    def analyse(self, utterances: Sequence[str]) -> Analysis:
        """Return the tokens of all utterances; an empty utterance has none."""
        raise NotImplementedError


ANALYZERS: LanguageRegistry[Analyzer] = LanguageRegistry(
    "analyzers",
    {
        "estnltk": Entry(f"{HERE}.estnltk:Estnltk", extra="estnltk"),
        "hanta": Entry(f"{HERE}.hanta:Hanta", extra="hanta"),
        "lemmagen3": Entry(f"{HERE}.lemmagen3:Lemmagen3"),
        "pymorphy3": Entry(f"{HERE}.pymorphy3:Pymorphy3", extra="pymorphy3"),
        "simplemma": Entry(f"{HERE}.simplemma:Simplemma", extra="lemmas"),
        "spacy": Entry(f"{HERE}.spacy:Spacy", extra="spacy"),
    },
    Defaults(
        usual=("simplemma",),
        by_language={
            "de": ("hanta", "simplemma"),
            "en": ("spacy", "simplemma", "hanta"),
            "es": ("simplemma", "spacy"),
            "et": ("estnltk", "simplemma"),
            "fi": ("simplemma", "spacy"),
            "fr": ("spacy", "simplemma"),
            "nl": ("simplemma", "hanta"),
            "ru": ("pymorphy3", "simplemma"),
            "uk": ("simplemma", "pymorphy3"),
        },
        only_by_name={"cs": ("spacy:model=cs_core_news_sm",)},  # not for commercial use
    ),
)


def analyzer_for(lang: str, gives: str, spec: str = "") -> Analyzer:
    """Return the analyzer `spec`, or the language's default analyzer if `spec` is empty.

    `gives` is `lemma`, `tag` or `detail`. Raises before any work if the language has no such
    analyzer, if the named analyzer does not give it, or if its package is not installed.

    >>> analyzer_for("fr-FR", "lemma", "simplemma")
    Simplemma(lang='fr')
    """
    if gives not in GIVES:
        raise OptionError(f"an analyzer cannot give {gives!r}", fix=f"use {', '.join(GIVES)}")
    lang = code(lang)
    named = ANALYZERS.create(spec) if spec else None
    if named is not None and gives not in named.gives:
        raise OptionError(
            f"analyzer {named.name!r} gives no {gives}s",
            fix=f"for {lang!r} these do: {', '.join(analyzers_for(lang, gives)) or 'none'}",
        )
    return ANALYZERS.create_for(lang, spec, GIVES[gives], lambda part: gives in part.gives)


def analyzers_for(lang: str, gives: str) -> list[str]:
    """Return the names of the analyzers that give `gives` for a language, the default first."""
    return ANALYZERS.names_for(lang, lambda part: gives in part.gives)
