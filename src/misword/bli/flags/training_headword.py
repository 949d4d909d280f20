"""Headwords that are in the training lexicon, in this form or another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from misword.bli.auditing.leaks import training_headwords
from misword.bli.auditing.lexicon import AuditedLexicon, Resource
from misword.bli.flags import Flag, Flagged


@dataclass(frozen=True, slots=True)
class TrainingHeadword(Flag):
    """Pairs whose headword, or a form of the same lemma, is in the training lexicon.

    Lemmas are compared if the source language has a lemmatizer that is installed.

    Example: `misword audit gold.txt --source-lang et --target-lang sk --train train.txt --flags
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
