"""Target word error rates of a corpus: the errors that they need and those that were drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from misword.core.errors import OptionError
from misword.noise.arrays import Ints
from misword.noise.corruption.sampler import Sampler
from misword.noise.corruption.text_block import TextBlock
from misword.noise.error_model import Mix

TOLERANCE = 0.005  # how far the realised WER may be below the target


@dataclass(frozen=True, slots=True)
class ErrorCapacity:
    """The number of all words of a text, and of the words that a channel can change.

    `editable` counts the words that can be substituted or deleted, or both.
    """

    words: int = 0
    substitutable: int = 0
    deletable: int = 0
    editable: int = 0

    def __add__(self, other: ErrorCapacity) -> ErrorCapacity:
        return ErrorCapacity(
            self.words + other.words,
            self.substitutable + other.substitutable,
            self.deletable + other.deletable,
            self.editable + other.editable,
        )

    @classmethod
    def of(cls, tokens: list[str], counts: Ints, sampler: Sampler) -> ErrorCapacity:
        """Count the words of a text, given its distinct tokens and how often each is there."""
        rows = sampler.shapes(tokens).row
        substitutable = sampler.substitution_weight[rows] > 0
        deletable = sampler.deletion_weight[rows] > 0
        flags = (np.ones(len(rows), bool), substitutable, deletable, substitutable | deletable)
        return cls(*(int(counts[chosen].sum()) for chosen in flags))

    @classmethod
    def of_block(cls, block: TextBlock, sampler: Sampler) -> ErrorCapacity:
        """Count the words of a block."""
        counts = np.bincount(block.word_ids, minlength=len(block.vocabulary))
        return cls.of(block.vocabulary, counts, sampler)

    @property
    def left_alone(self) -> int:
        """The number of words that the channel cannot substitute."""
        return self.words - self.substitutable

    def places(self, mix: Mix) -> int:
        """The number of places for errors: blocks get errors in proportion to it."""
        if mix.substitutions:
            return self.substitutable
        return self.deletable if mix.deletions else self.words

    def highest_wer(self, mix: Mix) -> float:
        """An upper bound of the word error rates that can be reached with a mix."""
        bounds = (
            (self.substitutable, mix.substitutions), (self.deletable, mix.deletions),
            (self.editable, mix.substitutions + mix.deletions), (self.words, mix.insertions),
        )  # fmt: skip
        return min(count / share for count, share in bounds if share) / max(self.words, 1)


@dataclass(frozen=True, slots=True)
class Target:
    """A target word error rate of a whole corpus."""

    wer: float
    mix: Mix
    seed: int
    capacity: ErrorCapacity

    @property
    def name(self) -> str:
        """The name of the system with this word error rate."""
        return system_name(self.wer)

    @property
    def errors(self) -> int:
        """The number of errors in the whole corpus."""
        return round(self.wer * self.capacity.words)

    def errors_between(self, places_before: int, places: int) -> int:
        """Return the number of errors of a block with `places`, after `places_before` in others.

        The numbers of all blocks add up to `errors`.
        """
        total = max(self.capacity.places(self.mix), 1)
        before = self.errors * places_before // total
        return self.errors * (places_before + places) // total - before

    def check_reachable(self) -> None:
        """Raise an error, before drawing, if the target is above the highest possible WER."""
        if self.seed < 0:
            raise OptionError(f"seed is {self.seed}", fix="use 0 or more")
        highest = self.capacity.highest_wer(self.mix)
        if self.errors > (highest + TOLERANCE) * self.capacity.words:
            raise self._unreachable(highest)

    def check_reached(self, errors: int) -> None:
        """Raise an error if too few errors were drawn."""
        if self.errors - errors > TOLERANCE * self.capacity.words:
            raise self._unreachable(errors / self.capacity.words)

    def _unreachable(self, highest: float) -> OptionError:
        capacity = self.capacity
        return OptionError(
            f"a WER of {self.wer:g} cannot be reached: {highest:.4f} is the most here (the channel "
            f"can substitute {capacity.substitutable:,} of {capacity.words:,} words)",
            fix="ask for less, add deletions and insertions (--mix), or use a channel that knows "
            "more words",
        )


def system_name(target_wer: float) -> str:
    """Return the name of the system with a target WER.

    >>> system_name(0.3), system_name(0.125)
    ('wer-0.30', 'wer-0.125')
    """
    short = f"{target_wer:.2f}"
    return f"wer-{short if float(short) == target_wer else f'{target_wer:.9g}'}"


@dataclass(frozen=True, slots=True)
class Realised:
    """The errors that were drawn for a target, as `misword score` counts them."""

    target: Target
    hits: int = 0
    substitutions: int = 0
    insertions: int = 0
    deletions: int = 0

    @classmethod
    def of(cls, target: Target, counts: Ints) -> Realised:
        """Return it from hits, substitutions, insertions and deletions, the order of alignments."""
        return cls(target, *counts.tolist())

    @property
    def errors(self) -> int:
        """The number of all errors."""
        return self.substitutions + self.insertions + self.deletions

    @property
    def wer(self) -> float | None:
        """The realised word error rate; None where there are no words."""
        words = self.target.capacity.words
        return self.errors / words if words else None
