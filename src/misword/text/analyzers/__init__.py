"""Analyzers: lemmas and part-of-speech tags of whole utterances.

One registry serves lemmatizers and taggers, because most packages give both in one pass.
`analyzer_for` returns the analyzer of a language. `docs/languages.md` shows what each analyzer
gives for each language, with measurements.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.core.context import code
from misword.core.errors import OptionError
from misword.core.parts.registry import Entry
from misword.core.progress import progress
from misword.core.types import offsets_of
from misword.text.language_parts import Defaults, LanguagePart, LanguageRegistry

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
        "estnltk": Entry(f"{HERE}.taggers:Estnltk", extra="estnltk"),
        "hanta": Entry(f"{HERE}.taggers:Hanta", extra="hanta"),
        "lemmagen3": Entry(f"{HERE}.lemmatizers:Lemmagen3"),
        "pymorphy3": Entry(f"{HERE}.taggers:Pymorphy3", extra="pymorphy3"),
        "simplemma": Entry(f"{HERE}.lemmatizers:Simplemma", extra="lemmas"),
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


# The output of analyzers.

# Lemma, universal tag and detailed tag of a word; empty strings where an analyzer gives none.
WordAnalysis = tuple[str, str, str]
WORD = re.compile(r"\S+")
# A word between punctuation. Apostrophes and hyphens belong to the word (French `l'`).
PUNCTUATED_WORD = re.compile(r"^([^\w'’-]*)(.*?)([^\w'’-]*)$", re.DOTALL)


@dataclass(frozen=True, slots=True, eq=False)
class Analysis:
    """Tokens of many utterances: utterance `u` has the tokens `offsets[u]:offsets[u + 1]`.

    `starts` is the character at which each token begins in its utterance; with it, tokens can be
    matched to the white-space words that contain them. `lemmas` never contain white space. `tags`
    are universal parts of speech (https://universaldependencies.org/u/pos). `details` are the
    tagger's full tags with features, e.g. `NOUN|Gender=Fem|Number=Plur`. A list that the analyzer
    does not give is None.
    """

    offsets: NDArray[np.int64]
    starts: NDArray[np.int32]
    lemmas: list[str] | None = None
    tags: list[str] | None = None
    details: list[str] | None = None

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def gives(self) -> frozenset[str]:
        """Which of `lemma`, `tag` and `detail` are not None."""
        columns = {"lemma": self.lemmas, "tag": self.tags, "detail": self.details}
        return frozenset(name for name, column in columns.items() if column is not None)

    def by_word(self, utterances: Sequence[str], values: Sequence[str]) -> list[list[str]]:
        """Return for each utterance the values of its white-space words.

        `values` has a value for each token. The values of several tokens in one word are joined
        by `+`: the tags of `l'homme` are `DET+NOUN`.
        """
        rows = []
        for row, utterance in enumerate(utterances):
            lo, hi = self.offsets[row], self.offsets[row + 1]
            begins = [start for start, _ in words(utterance)]
            word_of_token = np.searchsorted(begins, self.starts[lo:hi], side="right") - 1
            by_word: list[list[str]] = [[] for _ in begins]
            for word, value in zip(word_of_token.tolist(), values[lo:hi], strict=True):
                by_word[word].append(value)
            rows.append(["+".join(joined) for joined in by_word])
        return rows


@dataclass(frozen=True, slots=True)
class Token:
    """One token of an utterance, before the tokens of all utterances are joined."""

    start: int
    lemma: str = ""
    tag: str = ""
    detail: str = ""


def join_tokens(rows: Iterable[Sequence[Token]], gives: frozenset[str]) -> Analysis:
    """Join the tokens of all utterances (`rows`) in one `Analysis`.

    >>> analysis = join_tokens([[Token(0, "le"), Token(4, "chat")], []], frozenset({"lemma"}))
    >>> analysis.lemmas, analysis.offsets.tolist(), analysis.starts.tolist()
    (['le', 'chat'], [0, 2, 2], [0, 4])
    """
    rows = list(rows)
    flat = list(chain.from_iterable(rows))
    return Analysis(
        offsets_of(list(map(len, rows))),
        np.fromiter((token.start for token in flat), np.int32, len(flat)),
        [without_spaces(token.lemma) for token in flat] if "lemma" in gives else None,
        [token.tag for token in flat] if "tag" in gives else None,
        [token.detail for token in flat] if "detail" in gives else None,
    )


def words(utterance: str) -> list[tuple[int, str]]:
    """Return each white-space word with the character at which it begins.

    >>> words(" a  bc ")
    [(1, 'a'), (4, 'bc')]
    """
    return [(match.start(), match.group()) for match in WORD.finditer(utterance)]


def analyse_by_utterance(
    utterances: Sequence[str], analyse: Callable[[str], list[Token]], gives: frozenset[str]
) -> Analysis:
    """Analyse each utterance by itself, for analyzers that tag one sentence at a time."""
    rows = []
    with progress("tagging", len(utterances)) as step:
        for utterance in utterances:
            rows.append(analyse(utterance))
            step(1)
    return join_tokens(rows, gives)


def analyse_by_word(
    utterances: Sequence[str], analyse: Callable[[str], WordAnalysis], gives: frozenset[str]
) -> Analysis:
    """Analyse each distinct white-space word once, for analyzers that ignore the context."""
    analyses: dict[str, WordAnalysis] = {}
    rows = []
    with progress("looking up words", len(utterances)) as step:
        for utterance in utterances:
            row = words(utterance)
            for _, word in row:
                if word not in analyses:
                    analyses[word] = analyse(word)
            rows.append([Token(start, *analyses[word]) for start, word in row])
            step(1)
    return join_tokens(rows, gives)


def without_spaces(lemma: str) -> str:
    """Return a lemma with `_` for white space, since a lemma is one token: `de le` is `de_le`."""
    return "_".join(lemma.split()) if any(map(str.isspace, lemma)) else lemma


def change_inside_punctuation(word: str, change: Callable[[str], str]) -> str:
    """Return a word to which `change` was applied, except for the punctuation around it.

    Word lists contain no punctuation, so `(nations),` would not be found in one.

    >>> change_inside_punctuation("(Nations),", str.lower)
    '(nations),'
    """
    match = PUNCTUATED_WORD.match(word)
    if match is None or not match.group(2):
        return word
    return f"{match.group(1)}{change(match.group(2))}{match.group(3)}"
