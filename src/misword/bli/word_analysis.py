"""Lemmas and parts of speech of single words, each analysed without a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from misword.bli.building.settings import BuildSettings
from misword.core.context import Context, code
from misword.core.errors import MissingExtraError, OptionError
from misword.core.parts import Settings
from misword.text.analyzers import Analyzer, analyzer_for


@dataclass(frozen=True, slots=True)
class Lemmatizer:
    """The lemmatizer of a language, used on single words.

    Known problems: without a sentence, a form that belongs to two words gets one lemma only, and a
    lemmatizer that is made for sentences lacks its context. A word that the lemmatizer does not
    know stays as it is, or is put in lower case.
    """

    analyzer: Analyzer

    @classmethod
    def of(cls, lang: str, name: str = "") -> Lemmatizer:
        """Return the default lemmatizer of a language, or the lemmatizer with this name.

        Raises if the language has none, or if its package is not installed.

        >>> Lemmatizer.of("sk").lemmas(["hodiny", "hodinu"])
        ['hodina', 'hodina']
        """
        return cls(analyzer_for(lang, "lemma", name))

    @property
    def settings(self) -> Settings:
        """The lemmatizer and its version, as a signature names them."""
        return (("lemmas", "+".join(value for _, value in self.analyzer.settings(Context()))),)

    def lemmas(self, words: Sequence[str]) -> list[str]:
        """Return the lemma of each word; a word that is split has several, joined by spaces."""
        analysis = self.analyzer.analyse(words)
        lemmas, offsets = analysis.lemmas or [], analysis.offsets.tolist()
        return [" ".join(lemmas[start:end]) for start, end in pairwise(offsets)]


def lemmas_of(lemmatizer: Lemmatizer, words: Sequence[str]) -> dict[str, str]:
    """Return the lemma of each distinct word, in lower case."""
    distinct = [word for word in dict.fromkeys(words) if word]
    lemmas = lemmatizer.lemmas(distinct)
    return {word: lemma.lower() for word, lemma in zip(distinct, lemmas, strict=True)}


# Parts of speech of single words.


def tags_of_words(tagger: Analyzer, words: Sequence[str], otherwise: str) -> list[str]:
    """Return the part of speech of each word; `otherwise` for words of several tokens, or none.

    Known problems: without a sentence, a word that can be a noun or a verb has one tag.
    """
    analysis = tagger.analyse(words)
    tags, offsets = analysis.tags or [], analysis.offsets.tolist()
    return [tags[lo] if hi == lo + 1 else otherwise for lo, hi in pairwise(offsets)]


# The language of the headwords: its tagger for slices by part of speech, its lemmatizer.


@dataclass(frozen=True, slots=True)
class SourceLanguage:
    """The language of the headwords, None if it is not named, and the tagger that was named."""

    lang: str | None = None
    tagger_name: str = ""

    def __post_init__(self) -> None:
        if self.lang is None and self.tagger_name:
            raise OptionError("a tagger without a language", fix="name it: --source-lang en")
        if self.lang is not None:
            code(self.lang)

    def tagger(self) -> Analyzer | None:
        """Return the tagger, None without a language; raise if the language has none."""
        return None if self.lang is None else analyzer_for(self.lang, "tag", self.tagger_name)

    def lemmatizer(self) -> Lemmatizer | None:
        """Return the lemmatizer, None if the language has none: words are compared as written."""
        if self.lang is None:
            return None
        try:
            return Lemmatizer.of(self.lang)
        except (MissingExtraError, OptionError):
            return None


# Lemmas and parts of speech of the words of a gold set, one word at a time.

SIDES = ("source", "target")


@dataclass(frozen=True, slots=True)
class WordAnalysis:
    """The lemmatizers of both languages and the tagger of the source language, if there are any.

    `notes` say what is missing; `names` are the analyzers that were named.
    """

    lemmatizers: dict[str, Lemmatizer]
    tagger: Analyzer | None
    notes: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls, langs: dict[str, str], names: Mapping[str, str], settings: BuildSettings
    ) -> WordAnalysis:
        """Find the analyzers; raise if one is named or needed and is not available."""
        found, notes = {}, []
        lemmatizers = {
            "source": names.get("source_lemmatizer", ""),
            "target": names.get("target_lemmatizer", ""),
        }
        tagger = names.get("tagger", "")
        for side in SIDES:
            needed = settings.forms == "lemmas" or (settings.forms, side) == ("expand", "target")
            try:
                found[side] = Lemmatizer.of(langs[side], lemmatizers[side])
            except MissingExtraError:
                raise
            except OptionError:
                if needed or lemmatizers[side]:
                    raise
                notes.append(
                    f"no lemmatizer for {langs[side]!r}: {side} words are compared as written"
                )
        part = None
        try:
            part = analyzer_for(langs["source"], "tag", tagger)
        except (MissingExtraError, OptionError):
            if tagger:
                raise
        return cls(found, part, tuple(notes), names)

    @property
    def settings(self) -> dict[str, str]:
        """The names of the analyzers, for the datasheet."""
        names = {f"{side}_lemmatizer": "none" for side in SIDES} | {
            f"{side}_lemmatizer": "+".join(value for _, value in one.settings)
            for side, one in self.lemmatizers.items()
        }
        return names | {"tagger": self.tagger.name if self.tagger else "none"}

    def lemmas(self, side: str, words: Sequence[str]) -> list[str]:
        """Return the lemma of each word, in lower case; the word itself without a lemmatizer."""
        lemmatizer = self.lemmatizers.get(side)
        lemmas = words if lemmatizer is None else lemmatizer.lemmas(words)
        return [(lemma or word).lower() for lemma, word in zip(lemmas, words, strict=True)]

    def base_forms(self, side: str, words: Sequence[str]) -> list[str]:
        """Return the lemma of each word as the lemmatizer writes it."""
        lemmas = self.lemmatizers[side].lemmas(words)
        return [lemma or word for lemma, word in zip(lemmas, words, strict=True)]

    def tags(self, words: Sequence[str]) -> list[str]:
        """Return the part of speech of each source word; empty without a tagger.

        Known problems: without a sentence, a word that can be a noun or a verb has one tag.
        """
        if self.tagger is None:
            return [""] * len(words)
        return tags_of_words(self.tagger, words, "X")
