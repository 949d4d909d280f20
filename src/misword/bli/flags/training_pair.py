"""Pairs that are in the training lexicon."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from misword.bli.auditing.leaks import training_lines
from misword.bli.auditing.lexicon import AuditedLexicon, Resource
from misword.bli.flags import Flag, Flagged


@dataclass(frozen=True, slots=True)
class TrainingPair(Flag):
    """Pairs that the mapping was trained on: their rates say nothing about new words.

    526 of the 1,289 pairs of a published evaluation set are in its training lexicon.

    Example: `misword audit ET-SK_EVAL_DF.csv --source-lang et --target-lang sk --train
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
                yield Flagged(number, 1.0, f"{training.name}, line {lines[pair]}")
