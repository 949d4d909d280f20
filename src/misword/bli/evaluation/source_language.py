"""The language of the headwords: its tagger for slices by part of speech, its lemmatizer."""

from __future__ import annotations

from dataclasses import dataclass

from misword.bli.evaluation.lemmas import Lemmatizer
from misword.core.errors import MissingExtraError, OptionError
from misword.core.languages import code
from misword.text.analyzers import Analyzer, analyzer_for


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
