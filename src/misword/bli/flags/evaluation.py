"""Flags of pairs that distort a rate: several words, forms, vectors, training, gaps."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from misword.bli.auditing.lexicon import (
    AuditedLexicon,
    Resource,
    missing_forms,
    missing_synonyms,
    training_headwords,
    training_lines,
)
from misword.bli.flags import Flag, Flagged

SEVERAL = re.compile(r"\w[\s_]+\w")


@dataclass(frozen=True, slots=True)
class MultiWordFlag(Flag):
    """Entries of several words, which have no word vector.

    Denisová and Rychlý build evaluation sets without them. Words that are joined by a hyphen are
    one word.

    Example: `misword audit gold.tsv --source-lang et --target-lang sk --flags multi-word`
    """

    name: ClassVar[str] = "multi-word"
    title: ClassVar[str] = "several words"
    family: ClassVar[str] = "evaluation"
    cites: ClassVar[tuple[str, ...]] = ("denisova2023",)

    def look(self, lexicon: AuditedLexicon) -> Iterator[Flagged]:
        """Look for spaces and underscores inside the words."""
        for number, pair in enumerate(lexicon.pairs):
            if several := [word for word in pair if SEVERAL.search(word)]:
                yield Flagged(number, 1.0, ", ".join(map(repr, several)))


# Several inflected forms of one word.

OTHER_FORMS_SHOWN = 4  # other forms that the evidence names


@dataclass(frozen=True, slots=True)
class InflectedFlag(Flag):
    """Headwords, or translations of one headword, that are forms of the same lemma.

    A lemma with several forms counts several times in a hit rate. Lemmas are those of the default
    lemmatizer of the language.

    Known problems: a lemmatizer sees a word without a sentence, so that some lemmas are wrong. A
    language without a lemmatizer gets no flag.

    Example: `misword audit gold.txt --source-lang en --target-lang de --flags inflected`
    """

    name: ClassVar[str] = "inflected"
    title: ClassVar[str] = "forms of one lemma"
    family: ClassVar[str] = "evaluation"
    cites: ClassVar[tuple[str, ...]] = ("denisova2023",)
    reads: ClassVar[tuple[Resource, ...]] = ("lemmas",)

    def look(self, lexicon: AuditedLexicon) -> Iterator[Flagged]:
        """Group headwords by lemma, and the translations of each headword."""
        source_lemmas, target_lemmas = lexicon.lemmas
        headwords = _forms((source_lemmas.get(word, ""), word) for word in lexicon.source.words)
        translations = _forms(
            ((source, target_lemmas.get(target, "")), target) for source, target in lexicon.pairs
        )
        for number, (source, target) in enumerate(lexicon.pairs):
            texts = []
            lemma, target_lemma = source_lemmas.get(source, ""), target_lemmas.get(target, "")
            if lemma and (others := _others(headwords[lemma], source)):
                texts.append(f"headword: {others} of the lemma {lemma!r}")
            group = translations[source, target_lemma]
            if target_lemma and (others := _others(group, target)):
                texts.append(f"translation: {others} of the lemma {target_lemma!r}")
            if texts:
                yield Flagged(number, 1.0, "; ".join(texts))


def _forms(rows: Iterable[tuple[Hashable, str]]) -> dict[Hashable, dict[str, None]]:
    """Return the distinct words of each key."""
    forms: dict[Hashable, dict[str, None]] = {}
    for key, word in rows:
        forms.setdefault(key, {})[word] = None
    return forms


def _others(forms: dict[str, None], word: str) -> str:
    """Return the other forms, as far as they are shown."""
    return ", ".join(map(repr, [form for form in forms if form != word][:OTHER_FORMS_SHOWN]))


# Words without a vector.


@dataclass(frozen=True, slots=True)
class OutOfVocabularyFlag(Flag):
    """Words that the vectors do not have, or not among the words that were read.

    The table `pairs` has the rank of each word that they have.

    Example: `misword audit gold.txt --source-lang en --target-lang de --source-vectors en.vec
    --target-vectors de.vec --flags out-of-vocabulary`
    """

    name: ClassVar[str] = "out-of-vocabulary"
    title: ClassVar[str] = "out of vocabulary"
    family: ClassVar[str] = "evaluation"
    cites: ClassVar[tuple[str, ...]] = ("denisova2023",)
    reads: ClassVar[tuple[Resource, ...]] = ("source vectors", "target vectors")

    def look(self, lexicon: AuditedLexicon) -> Iterator[Flagged]:
        """Look up both columns in their vectors."""
        texts: dict[int, list[str]] = {}
        for column in lexicon.columns:
            if column.ranks is None or column.vocabulary is None:
                continue
            size = len(column.vocabulary)
            for number in (column.ranks == 0).nonzero()[0].tolist():
                word = column.words[number]
                texts.setdefault(number, []).append(f"{word!r} is not among {size:,} words")
        for number, found in sorted(texts.items()):
            yield Flagged(number, 1.0, "; ".join(found))


# Pairs that are in the training lexicon.


@dataclass(frozen=True, slots=True)
class TrainingPairFlag(Flag):
    """Pairs that the mapping was trained on: their rates say nothing about new words.

    526 of the 1,289 pairs of a published evaluation set are in its training lexicon.

    Example: `misword audit ET-SK_EVAL_DF.csv --source-lang et --target-lang sk --training
    et-sk.0-5000.txt --flags training-pair`
    """

    name: ClassVar[str] = "training-pair"
    title: ClassVar[str] = "pair in training"
    family: ClassVar[str] = "evaluation"
    reads: ClassVar[tuple[Resource, ...]] = ("training",)

    def look(self, lexicon: AuditedLexicon) -> Iterator[Flagged]:
        """Look up each pair in the training lexicon."""
        training = lexicon.training
        if training is None:
            return
        lines = training_lines(training)
        for number, pair in enumerate(lexicon.pairs):
            if pair in lines:
                yield Flagged(number, 1.0, f"line {lines[pair]} of the training lexicon")


# Headwords that are in the training lexicon, in this form or another.


@dataclass(frozen=True, slots=True)
class TrainingHeadwordFlag(Flag):
    """Pairs whose headword, or a form of the same lemma, is in the training lexicon.

    Lemmas are compared if the source language has a lemmatizer that is installed.

    Example: `misword audit gold.txt --source-lang et --target-lang sk --training train.txt --flags
    training-headword`
    """

    name: ClassVar[str] = "training-headword"
    title: ClassVar[str] = "headword in training"
    family: ClassVar[str] = "evaluation"
    reads: ClassVar[tuple[Resource, ...]] = ("training",)

    def look(self, lexicon: AuditedLexicon) -> Iterator[Flagged]:
        """Look up each headword and its lemma."""
        shared = training_headwords(lexicon)
        for number, word in enumerate(lexicon.source.words):
            if text := shared.get(word):
                yield Flagged(number, 1.0, text)


# Forms of a translation that the lexicon does not list.

MISSING_SHOWN = 5  # forms that the evidence names


@dataclass(frozen=True, slots=True)
class MissingFormFlag(Flag):
    """Translations whose paradigm has forms that the lexicon does not list.

    A system that answers with such a form is counted as wrong. Paradigms are files of UniMorph in
    the target language; with target vectors, only forms that have a vector count.

    Known problems: not every form of a translation translates the form of the headword.

    Example: `misword audit en-bg.txt --source-lang en --target-lang bg --paradigms bul.tsv --flags
    missing-form`
    Reference: Y. Kementchedjhieva et al., Lost in evaluation, EMNLP 2019; C. Kirov et al.,
    UniMorph 2.0, LREC 2018
    """

    name: ClassVar[str] = "missing-form"
    title: ClassVar[str] = "missing form"
    family: ClassVar[str] = "evaluation"
    cites: ClassVar[tuple[str, ...]] = ("kementchedjhieva2019",)
    reads: ClassVar[tuple[Resource, ...]] = ("paradigms",)

    def look(self, lexicon: AuditedLexicon) -> Iterator[Flagged]:
        """Compare the paradigm of each translation with the translations of the headword."""
        for number, forms in missing_forms(lexicon).items():
            more = f" and {len(forms) - MISSING_SHOWN} more" if len(forms) > MISSING_SHOWN else ""
            yield Flagged(number, 1.0, f"missing: {', '.join(forms[:MISSING_SHOWN])}{more}")


# Translations that another dictionary has and the lexicon has not.


@dataclass(frozen=True, slots=True)
class MissingSynonymFlag(Flag):
    """Headwords for which another dictionary knows more translations.

    A system that answers with one of them is counted as wrong. Translations of several words are
    left out; with target vectors, so are words without a vector.

    Example: `misword audit en-de.txt --source-lang en --target-lang de --dictionaries other.tsv
    --flags missing-synonym`
    Reference: Y. Kementchedjhieva et al., Lost in evaluation, EMNLP 2019
    """

    name: ClassVar[str] = "missing-synonym"
    title: ClassVar[str] = "missing synonym"
    family: ClassVar[str] = "evaluation"
    cites: ClassVar[tuple[str, ...]] = ("kementchedjhieva2019",)
    reads: ClassVar[tuple[Resource, ...]] = ("dictionaries",)

    def look(self, lexicon: AuditedLexicon) -> Iterator[Flagged]:
        """Flag the first pair of each headword with a gap."""
        gaps = missing_synonyms(lexicon)
        for word, pairs in lexicon.lexicon.headwords.items():
            if found := gaps.get(word):
                named = [f"{other} ({', '.join(names)})" for other, names in found.items()]
                more = (
                    f" and {len(named) - MISSING_SHOWN} more" if len(named) > MISSING_SHOWN else ""
                )
                yield Flagged(pairs[0], 1.0, f"missing: {', '.join(named[:MISSING_SHOWN])}{more}")
