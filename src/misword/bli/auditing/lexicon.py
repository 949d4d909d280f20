"""A lexicon that is audited, its resources, and its gaps and leaks by them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from misword.bli.word_analysis import Lemmatizer, lemmas_of
from misword.core.errors import MiswordError
from misword.core.lazy import pl
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
    "training": "--training",
    "dictionaries": "--dictionaries",
    "paradigms": "--paradigms",
    "lemmas": "a lemmatizer",
}
MAIN_SCRIPT = 0.7  # the share of words that the script of a column must have


@dataclass(frozen=True, eq=False)
class LexiconColumn:
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
    source: LexiconColumn
    target: LexiconColumn
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
    def columns(self) -> tuple[LexiconColumn, LexiconColumn]:
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

    def _lemmas(self, column: LexiconColumn, name: str) -> dict[str, str]:
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


# Gaps of a gold lexicon: forms and synonyms that would be right answers, but are not listed.


def missing_forms(lexicon: AuditedLexicon) -> dict[int, list[str]]:
    """Return, for each pair, the forms of its translation that its headword does not have.

    A translation in lower case is looked up with a capital as well, as German nouns are listed.
    """
    paradigms = lexicon.paradigms
    if paradigms is None:
        return {}
    found: dict[int, list[str]] = {}
    for pairs in lexicon.lexicon.headwords.values():
        listed = {lexicon.target.words[pair] for pair in pairs}
        for pair in pairs:
            word = lexicon.target.words[pair]
            forms = dict.fromkeys(paradigms.others(word))
            if word.islower():
                forms |= dict.fromkeys(map(str.lower, paradigms.others(word.capitalize())))
            missing = [form for form in forms if form not in listed and " " not in form]
            if missing:
                found[pair] = missing
    return _with_vectors(lexicon, found)


def missing_synonyms(lexicon: AuditedLexicon) -> dict[str, dict[str, list[str]]]:
    """Return, for each headword, its translations in other dictionaries, and their names."""
    found: dict[str, dict[str, list[str]]] = {}
    listed = {(source.lower(), target.lower()) for source, target in lexicon.pairs}
    headwords = {word.lower(): word for word in lexicon.lexicon.headwords}
    for dictionary in lexicon.dictionaries:
        name = PurePath(dictionary.name).name
        for source, target in zip(dictionary.source, dictionary.target, strict=True):
            word = headwords.get(source.lower())
            is_new = word is not None and (source.lower(), target.lower()) not in listed
            if word is not None and is_new and target and " " not in target:
                names = found.setdefault(word, {}).setdefault(target, [])
                if name not in names:
                    names.append(name)
    if lexicon.target.vocabulary is None:
        return found
    words = list({target: None for targets in found.values() for target in targets})
    # Dictionaries have German nouns with a capital, vectors often all words in lower case.
    ranks = ranks_of(lexicon.target.vocabulary, words)
    lower_ranks = ranks_of(lexicon.target.vocabulary, list(map(str.lower, words)))
    known = {word for word, rank in zip(words, ranks + lower_ranks, strict=True) if rank}
    cut = {
        word: {target: names for target, names in targets.items() if target in known}
        for word, targets in found.items()
    }
    return {word: targets for word, targets in cut.items() if targets}


def _with_vectors(lexicon: AuditedLexicon, found: dict[int, list[str]]) -> dict[int, list[str]]:
    """Keep the words that have a vector, if there are vectors."""
    vocabulary = lexicon.target.vocabulary
    if vocabulary is None:
        return found
    words = list({word: None for several in found.values() for word in several})
    known = {word for word, rank in zip(words, ranks_of(vocabulary, words), strict=True) if rank}
    cut = {pair: [word for word in several if word in known] for pair, several in found.items()}
    return {pair: several for pair, several in cut.items() if several}


# Leaks: what a gold lexicon shares with the lexicon that a mapping was trained on.


def training_lines(training: Lexicon) -> dict[tuple[str, str], int]:
    """Return the line of each pair of a training lexicon."""
    pairs = zip(training.source, training.target, strict=True)
    return dict(zip(pairs, training.lines, strict=True))


def training_headwords(lexicon: AuditedLexicon) -> dict[str, str]:
    """Return the headwords that training has, too, and how: the same word, or the same lemma."""
    if lexicon.training is None:
        return {}
    trained = set(lexicon.training.source)
    found = {word: "same headword" for word in lexicon.lexicon.headwords if word in trained}
    lemmas = lexicon.lemmas[0]
    if lemmas:
        trained_lemmas = reversed(lexicon.training_lemmas.items())
        by_lemma = {lemma: word for word, lemma in trained_lemmas}
        for word in lexicon.lexicon.headwords:
            if word not in found and lemmas.get(word) in by_lemma:
                other = by_lemma[lemmas[word]]
                found[word] = f"same lemma as {other!r}: {lemmas[word]!r}"
    return found


def leak_table(lexicon: AuditedLexicon) -> pl.DataFrame:
    """Return how many pairs, headwords and lemmas training shares, and of how many."""
    schema = {"shared": pl.String, "count": pl.Int64, "of": pl.Int64}
    if lexicon.training is None:
        return pl.DataFrame(schema=schema)
    lines, headwords = training_lines(lexicon.training), training_headwords(lexicon)
    same_word = sum(text == "same headword" for text in headwords.values())
    rows = [
        ("pairs", sum(pair in lines for pair in lexicon.pairs), len(lexicon)),
        ("headwords", same_word, len(lexicon.lexicon.headwords)),
    ]
    if lexicon.lemmas[0]:
        rows.append(("headwords by lemma", len(headwords), len(lexicon.lexicon.headwords)))
    return pl.DataFrame(rows, schema=schema, orient="row")
