"""Lemmas of single words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from misword.core.context import Context
from misword.core.parts.contract import Settings
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
