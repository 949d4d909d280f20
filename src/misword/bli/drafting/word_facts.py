"""What a draft says about its words beside candidates: part of speech, lemma, name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath

from misword.bli.building.word_analysis import WordAnalysis
from misword.bli.drafting.headwords import Headword
from misword.bli.evaluation.lemmas import Lemmatizer
from misword.bli.names.model import name_probabilities
from misword.bli.open_mapping import MappedSide, OpenMapping
from misword.core.errors import MiswordError
from misword.core.languages import TWO_LETTERS, code, known_code
from misword.core.progress import progress
from misword.text.analyzers import Analyzer, analyzer_for

BLOCK = 2000  # words that are analysed at a time
CODES = frozenset(TWO_LETTERS.split())


def draft_languages(
    mapping: OpenMapping, named: tuple[str | None, str | None]
) -> tuple[tuple[str, str], tuple[str, ...]]:
    """Return the languages of the headwords and of the candidates, and notes about them.

    A language that is not named is taken from the name of the file of vectors; it is empty if that
    has no code of a language.
    """
    found, guessed = [], []
    for side, language in zip((mapping.source, mapping.target), named, strict=True):
        found.append(language_of_file(side) if language is None else known_code(language))
        if language is None and found[-1]:
            guessed.append(found[-1])
    notes = []
    if guessed:
        notes.append(f"language by the name of the file of vectors: {', '.join(guessed)}")
    if not all(found):
        notes.append(
            "a language is not known: name it with --source-lang and --target-lang for parts of "
            "speech, lemmas and names"
        )
    return (found[0], found[1]), tuple(notes)


def language_of_file(side: MappedSide) -> str:
    """Return the language in the name of the file of vectors; empty unless it has exactly one."""
    name = "" if side.vectors is None else PurePath(side.vectors.name).name
    return language_in(name)


def language_in(name: str) -> str:
    """Return the only ISO 639-1 code between the dots and dashes of a name.

    >>> language_in("wiki.en.vec"), language_in("cc.fr.300.bin"), language_in("glove.6B.txt")
    ('en', 'fr', '')
    """
    codes = {code(part) for part in re.split(r"[._-]", name.lower()) if part in CODES}
    return codes.pop() if len(codes) == 1 else ""


def add_word_facts(
    rows: Sequence[Headword], languages: tuple[str, str]
) -> tuple[list[Headword], tuple[str, ...]]:
    """Add parts of speech, lemmas and the probabilities of names; also return notes."""
    if not languages[0] or not rows:
        return list(rows), ()
    words = [row.word for row in rows]
    analysis, notes = _analysis(languages[0])
    tags, lemmas = _analyse(analysis, words)
    names = _names(rows, languages)
    facts = zip(rows, tags, lemmas, names, strict=True)
    found = [replace(row, pos=tag, lemma=lemma, name=name) for row, tag, lemma, name in facts]
    return found, notes


def _analysis(lang: str) -> tuple[WordAnalysis, tuple[str, ...]]:
    """Return the lemmatizer and the tagger of a language; notes say which of them is missing."""
    lemmatizers, notes = {}, []
    tagger: Analyzer | None = None
    try:
        lemmatizers["source"] = Lemmatizer.of(lang)
    except MiswordError as error:
        notes.append(f"no lemmas: {error.what}; {error.fix}")
    try:
        tagger = analyzer_for(lang, "tag")
    except MiswordError as error:
        notes.append(f"no parts of speech: {error.what}; {error.fix}")
    return WordAnalysis(lemmatizers, tagger), tuple(notes)


def _analyse(analysis: WordAnalysis, words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the part of speech and the lemma of each word; empty where none is known."""
    tags: list[str] = []
    lemmas: list[str] = []
    with progress("analysing words", len(words)) as step:
        for start in range(0, len(words), BLOCK):
            block = words[start : start + BLOCK]
            tags += analysis.tags(block)
            has_lemmas = "source" in analysis.lemmatizers
            lemmas += analysis.base_forms("source", block) if has_lemmas else [""] * len(block)
            step(len(block))
    return tags, lemmas


def _names(rows: Sequence[Headword], languages: tuple[str, str]) -> list[float | None]:
    """Return the probability that each headword with its first candidate is a proper noun.

    Known problems: the spelling of a wrong candidate is evidence, too.
    """
    if not all(languages) or languages[0] == languages[1]:
        return [None] * len(rows)
    places = [place for place, row in enumerate(rows) if row.candidates]
    pairs = [(rows[place].word, rows[place].target) for place in places]
    found: list[float | None] = [None] * len(rows)
    if pairs:
        for place, value in zip(
            places, name_probabilities(pairs, languages).probabilities.tolist(), strict=True
        ):
            found[place] = round(value, 6)
    return found
