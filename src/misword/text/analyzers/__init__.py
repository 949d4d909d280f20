"""Analyzers: the lemmas and the tags of whole utterances, in one pass where a package gives both.

`choose` picks the analyzer of a language from the table `DEFAULTS`. The table alone decides, never
what happens to be installed: two machines either give the same numbers or one of them says what it
lacks. `docs/languages.md` has what each part gives on each language, measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Protocol

from misword.core.context import Context
from misword.core.errors import MissingExtraError, OptionError
from misword.core.languages import code
from misword.core.part import Settings
from misword.core.registry import Entry, Registry
from misword.core.requirements import Requirement, suggesting
from misword.text.analysis import Analysis

__all__ = [
    "ANALYZERS",
    "DEFAULTS",
    "GIVES",
    "Analysis",
    "Analyzer",
    "choose",
    "covering",
    "requirement",
]

HERE = "misword.text.analyzers"
# What an analyzer may give, and what that which gives it is called.
GIVES = {"lemma": "lemmatizer", "tag": "tagger", "detail": "detailed tagger"}


class Analyzer(Protocol):
    """Finds tokens in utterances, and the lemma or the tags of each.

    A part is a frozen dataclass; `lang` is always one of its options. It must give the same tokens
    for the same utterance, whatever stands around it in the list.
    """

    name: ClassVar[str]
    gives: ClassVar[frozenset[str]]

    @property
    def lang(self) -> str:
        """The language it is for; empty if none was chosen."""
        ...

    @classmethod
    def languages(cls) -> tuple[str, ...]:
        """Codes of the languages it covers, told without importing anything heavy."""
        ...

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """What must be installed for a language, and under which licence it comes."""
        ...

    def check(self, context: Context) -> None:
        """Raise before any work if the language is unknown or a package is missing."""
        ...

    def analyse(self, utterances: Sequence[str]) -> Analysis:
        """The tokens of each utterance; an empty one has none."""
        ...

    def settings(self, context: Context) -> Settings:
        """What decides its output, for a signature: versions of package and model."""
        ...


ANALYZERS: Registry[Analyzer] = Registry(
    "analyzers",
    {
        "estnltk": Entry(f"{HERE}.estnltk:Estnltk", extra="estnltk"),
        "hanta": Entry(f"{HERE}.hanta:Hanta", extra="hanta"),
        "lemmagen3": Entry(f"{HERE}.lemmagen3:Lemmagen3"),
        "pymorphy3": Entry(f"{HERE}.pymorphy3:Pymorphy3", extra="pymorphy3"),
        "simplemma": Entry(f"{HERE}.simplemma:Simplemma", extra="lemmas"),
        "spacy": Entry(f"{HERE}.spacy:Spacy", extra="spacy"),
    },
)

# The analyzers of a language, best first; the first that gives what is asked for is its default.
# Languages that are not here have the usual one.
USUAL = ("simplemma",)
DEFAULTS: dict[str, tuple[str, ...]] = {
    "de": ("hanta", "simplemma"),
    "en": ("spacy", "simplemma", "hanta"),
    "es": ("simplemma", "spacy"),
    "et": ("estnltk", "simplemma"),
    "fi": ("simplemma", "spacy"),
    "fr": ("spacy", "simplemma"),
    "nl": ("simplemma", "hanta"),
    "ru": ("pymorphy3", "simplemma"),
    "uk": ("simplemma", "pymorphy3"),
}
# Never chosen unless named, since their licence is not for everyone.
NAMED: dict[str, tuple[str, ...]] = {"cs": ("spacy:model=cs_core_news_sm",)}


def choose(lang: str, gives: str, spec: str = "") -> Analyzer:
    """The analyzer for a language: the one named by `spec`, else the default of `DEFAULTS`.

    `gives` is `lemma`, `tag` or `detail`. Raises before any work if the language has none, if the
    named one does not give it, or if its package is missing.

    >>> choose("fr-FR", "lemma", "simplemma")
    Simplemma(lang='fr')
    """
    if gives not in GIVES:
        raise OptionError(f"{gives!r} is nothing an analyzer gives", fix=f"use {', '.join(GIVES)}")
    short = code(lang)
    known = covering(short, gives)
    part: Any = ANALYZERS.create(spec or _default(short, gives, known))
    if gives not in part.gives:
        raise OptionError(
            f"analyzer {part.name!r} gives no {gives}s",
            fix=f"for {short!r} these do: {', '.join(known) or 'none'}",
        )
    chosen: Analyzer = part if part.lang else replace(part, lang=short)
    with suggesting([name for name in known if name != part.name]):
        chosen.check(Context(short))
    return chosen


def requirement(name: str, lang: str) -> Requirement:
    """What an analyzer needs for a language: modules, install line, licence."""
    return ANALYZERS.load(name).requirement(code(lang) if lang else "")


def covering(lang: str, gives: str) -> list[str]:
    """Analyzers that give something for a language, the default first."""
    names = dict.fromkeys([*DEFAULTS.get(lang, USUAL), *ANALYZERS.names()])
    return [name for name in names if lang in _covers(name, gives)]


def _default(lang: str, gives: str, known: Sequence[str]) -> str:
    """The first of the language's table that gives what is asked for."""
    for name in DEFAULTS.get(lang, USUAL):
        if name in known:
            return name
    if offers := [*known, *NAMED.get(lang, ())]:
        raise OptionError(
            f"no {GIVES[gives]} for {lang!r} is chosen unless you name it",
            fix=f"name one, having read its licence in docs/languages.md: {', '.join(offers)}",
        )
    others = sorted({found for name in ANALYZERS.names() for found in _covers(name, gives)})
    raise OptionError(
        f"no {GIVES[gives]} for {lang!r}", fix=f"there is one for: {', '.join(others)}"
    )


def _covers(name: str, gives: str) -> tuple[str, ...]:
    """Languages for which an analyzer gives something; none if it is there in name only."""
    try:
        part = ANALYZERS.load(name)
    except MissingExtraError:
        return ()
    return part.languages() if gives in part.gives else ()
