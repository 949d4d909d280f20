"""Lemmas and parts of speech of the words of a gold set, one word at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypedDict

from misword.bli.building.settings import BuildSettings
from misword.bli.evaluation.lemmas import Lemmatizer
from misword.bli.word_tags import tags_of_words
from misword.core.errors import MissingExtraError, OptionError
from misword.text.analyzers import Analyzer, analyzer_for

SIDES = ("source", "target")


class Analyzers(TypedDict, total=False):
    """Names of analyzers; where none is named, the default of the language is used."""

    source_lemmatizer: str
    target_lemmatizer: str
    tagger: str


NO_NAMES: Analyzers = {}


@dataclass(frozen=True, slots=True)
class WordAnalysis:
    """The lemmatizers of both languages and the tagger of the source language, if there are any.

    `notes` say what is missing; `names` are the analyzers that were named.
    """

    lemmatizers: dict[str, Lemmatizer]
    tagger: Analyzer | None
    notes: tuple[str, ...] = ()
    names: Analyzers = field(default_factory=Analyzers)

    @classmethod
    def of(cls, langs: dict[str, str], names: Analyzers, settings: BuildSettings) -> WordAnalysis:
        """Find the analyzers; raise if one is named or needed and cannot be had."""
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
