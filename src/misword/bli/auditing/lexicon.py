"""A lexicon that is audited, with the resources that flags compare it with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from misword.bli.evaluation.lemmas import Lemmatizer, lemmas_of
from misword.core.errors import MiswordError
from misword.embed.vectors.vocabulary import Vocabulary
from misword.io.lexicons import Lexicon
from misword.text.scripts import word_script

if TYPE_CHECKING:
    from misword.io.dictionaries.entries import Dictionary
    from misword.io.paradigms import Paradigms

Resource = Literal[
    "source vectors", "target vectors", "training", "dictionaries", "paradigms", "lemmas"
]
# The option of the command that gives each resource.
OPTIONS: dict[Resource, str] = {
    "source vectors": "--source-vectors",
    "target vectors": "--target-vectors",
    "training": "--train",
    "dictionaries": "--dictionaries",
    "paradigms": "--paradigms",
    "lemmas": "a lemmatizer",
}
MAIN_SCRIPT = 0.7  # the share of words that the script of a column must have


@dataclass(frozen=True, eq=False)
class Column:
    """One column of a lexicon: its words, their language, and their ranks in word vectors.

    A rank is the place of a word in the file of vectors, from 1; 0 if it is not there.
    """

    side: Literal["source", "target"]
    lang: str
    words: tuple[str, ...]
    vocabulary: Vocabulary | None = None

    @cached_property
    def ranks(self) -> NDArray[np.int64] | None:
        """The rank of each word in the vectors; None without vectors."""
        return None if self.vocabulary is None else ranks_of(self.vocabulary, self.words)

    @cached_property
    def script(self) -> str:
        """The script of most words; empty if the column has several."""
        scripts = [script for script in map(word_script, self.words) if script]
        if not scripts:
            return ""
        most = max(set(scripts), key=scripts.count)
        return most if scripts.count(most) >= MAIN_SCRIPT * len(scripts) else ""


@dataclass(frozen=True, eq=False)
class AuditedLexicon:
    """A lexicon, its two languages, and what it is compared with.

    `training` is the lexicon that a mapping was trained on, `dictionaries` are other lexicons of
    the same languages, `paradigms` the forms of words of the target language.
    """

    lexicon: Lexicon
    source: Column
    target: Column
    training: Lexicon | None = None
    dictionaries: tuple[Dictionary | Lexicon, ...] = ()
    paradigms: Paradigms | None = None
    lemmatizers: tuple[str, str] = ("", "")
    _why_no_lemmas: dict[str, str] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.lexicon)

    @property
    def languages(self) -> tuple[str, str]:
        """The codes of the two languages."""
        return self.source.lang, self.target.lang

    @property
    def columns(self) -> tuple[Column, Column]:
        """The source column and the target column."""
        return self.source, self.target

    @cached_property
    def pairs(self) -> list[tuple[str, str]]:
        """All pairs, in the order of the file."""
        return list(zip(self.source.words, self.target.words, strict=True))

    @cached_property
    def lemmas(self) -> tuple[dict[str, str], dict[str, str]]:
        """The lemma of each word of the source column and of the target column, by word.

        A side without a lemmatizer has none; `missing` says why.
        """
        source, target = (
            self._lemmas(column, name)
            for column, name in zip(self.columns, self.lemmatizers, strict=True)
        )
        return source, target

    @cached_property
    def training_lemmas(self) -> dict[str, str]:
        """The lemma of each headword of the training lexicon, if headwords have lemmas."""
        if self.training is None or not self.lemmas[0]:
            return {}
        lemmatizer = Lemmatizer.of(self.source.lang, self.lemmatizers[0])
        return lemmas_of(lemmatizer, self.training.source)

    def _lemmas(self, column: Column, name: str) -> dict[str, str]:
        try:
            lemmatizer = Lemmatizer.of(column.lang, name)
        except MiswordError as error:
            if name:
                raise
            self._why_no_lemmas[column.side] = f"{error.what}; {error.fix}"
            return {}
        return lemmas_of(lemmatizer, column.words)

    def missing(self, resource: Resource) -> str:
        """Return why a resource is not there; empty if it is."""
        there = {
            "source vectors": self.source.vocabulary is not None,
            "target vectors": self.target.vocabulary is not None,
            "training": self.training is not None,
            "dictionaries": bool(self.dictionaries),
            "paradigms": self.paradigms is not None,
        }
        if resource == "lemmas":
            return "" if any(self.lemmas) else "; ".join(self._why_no_lemmas.values())
        return "" if there[resource] else f"needs {OPTIONS[resource]}"


def ranks_of(vocabulary: Vocabulary, words: Sequence[str]) -> NDArray[np.int64]:
    """Return the rank of each word in a vocabulary, from 1; 0 if it is not there."""
    return vocabulary.find(words) + 1
