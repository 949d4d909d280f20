"""Target word error rates and the mix of errors: checked, and as numbers of errors to draw."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from misword.core.errors import OptionError
from misword.noise.arrays import Ints
from misword.noise.corruption.drawer import Drawer
from misword.noise.corruption.text_block import TextBlock
from misword.noise.error_model import Mix

# Target rates are below this; a higher number is probably meant as a percentage.
HIGHEST = 2
# Each rate makes a copy of the corpus.
MOST_RATES = 1000


def read_target_wers(text: str) -> list[float]:
    """Read word error rates from `0.3`, `0.1,0.3` or `0:0.5:0.05` (from, to, step, with both ends).

    >>> read_target_wers("0:0.2:0.05,0.5")
    [0.0, 0.05, 0.1, 0.15, 0.2, 0.5]
    """
    target_wers: list[float] = []
    for piece in text.split(","):
        try:
            first, *rest = (float(number) for number in piece.split(":"))
        except ValueError:
            raise _wer_error(text) from None
        if not rest:
            target_wers.append(first)
        elif len(rest) == 2 and rest[1] > 0 and rest[0] >= first:
            last, step = rest
            count = (last - first) / step + 1e-9
            if not count < MOST_RATES:
                raise _too_many_rates()
            target_wers += [round(first + number * step, 9) for number in range(int(count) + 1)]
        else:
            raise _wer_error(text)
    return check_target_wers(target_wers)


def as_target_wers(wer: str | float | Iterable[float]) -> list[float]:
    """Return one rate, several rates, or the text of a list or a range as a checked list."""
    if isinstance(wer, str):
        return read_target_wers(wer)
    return check_target_wers([wer] if isinstance(wer, int | float) else wer)


def check_target_wers(target_wers: Iterable[float]) -> list[float]:
    """Return word error rates as a list; raise an error if one is out of range, or given twice."""
    checked = [float(target_wer) for target_wer in target_wers]
    if len(checked) > MOST_RATES:
        raise _too_many_rates()
    if any(HIGHEST <= target_wer <= 100 for target_wer in checked):
        raise _percent_error(checked)
    if not checked or not all(0 <= target_wer < HIGHEST for target_wer in checked):
        raise _wer_error(", ".join(f"{target_wer:g}" for target_wer in checked))
    if len({round(target_wer, 9) for target_wer in checked}) < len(checked):
        raise OptionError("a rate is given twice", fix="give each once")
    return checked


def _too_many_rates() -> OptionError:
    return OptionError(
        f"more than {MOST_RATES:,} word error rates", fix="use a larger step: 0:0.5:0.05"
    )


def _percent_error(target_wers: list[float]) -> OptionError:
    """Return the error about rates that look like percentages, with the rates as shares."""
    most = max(target_wers)
    shares = ",".join(f"{target_wer / 100:.4g}" for target_wer in target_wers)
    return OptionError(
        f"a word error rate of {most:g} is {100 * most:,.0f} %",
        fix=f"did you mean {shares}? rates are shares, 0.3 is 30 %, and below {HIGHEST}",
    )


def _wer_error(text: str) -> OptionError:
    return OptionError(
        f"{text!r} is not a word error rate", fix="use 0.3, a list 0.1,0.3 or a range 0:0.5:0.05"
    )


def read_mix(text: str) -> Mix:
    """Read the shares of errors from `s=0.7,d=0.2,i=0.1`; a kind that is not named has 0.

    >>> read_mix("s=0.75,d=0.25")
    Mix(substitutions=0.75, deletions=0.25, insertions=0.0)
    """
    shares: dict[str, float] = {}
    for piece in text.split(","):
        name, _, value = piece.strip().partition("=")
        try:
            shares[name] = float(value)
        except ValueError:
            raise _mix_error(text) from None
    if not set(shares) <= set("sdi"):
        raise _mix_error(text)
    mix = Mix(*(shares.get(name, 0.0) for name in "sdi"))
    check_mix(mix, text)
    return mix


def as_mix(mix: str | Mix | None) -> Mix | None:
    """Return the mix of errors that an option names, checked; None for that of the channel."""
    if isinstance(mix, str):
        return read_mix(mix)
    if mix is not None:
        check_mix(mix)
    return mix


def check_mix(mix: Mix, text: str = "") -> None:
    """Raise an error unless the shares are in [0, 1] and add up to 1."""
    if not all(0 <= share <= 1 for share in mix.shares) or abs(sum(mix.shares) - 1) > 1e-6:
        raise _mix_error(text or str(mix))


def _mix_error(text: str) -> OptionError:
    return OptionError(
        f"{text!r} is not a mix of errors",
        fix="give the shares of substitutions, deletions and insertions, whose sum is 1: "
        "s=0.7,d=0.2,i=0.1",
    )


# Target word error rates of a corpus: the errors that they need and those that were drawn.

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
    def of(cls, tokens: list[str], counts: Ints, sampler: Drawer) -> ErrorCapacity:
        """Count the words of a text, given its distinct tokens and how often each is there."""
        rows = sampler.shapes(tokens).row
        substitutable = sampler.substitution_weight[rows] > 0
        deletable = sampler.deletion_weight[rows] > 0
        flags = (np.ones(len(rows), bool), substitutable, deletable, substitutable | deletable)
        return cls(*(int(counts[chosen].sum()) for chosen in flags))

    @classmethod
    def of_block(cls, block: TextBlock, sampler: Drawer) -> ErrorCapacity:
        """Count the words of a block."""
        counts = np.bincount(block.word_ids, minlength=len(block.vocabulary))
        capacity = cls.of(block.vocabulary, counts, sampler)
        if sampler.protection is None:
            return capacity
        free = ~sampler.protection.barred(block)
        if block.labelled:
            free[block.offsets[:-1][block.has_words]] = False
        counts = np.bincount(block.tokens.ids[free], minlength=len(block.vocabulary))
        return replace(cls.of(block.vocabulary, counts, sampler), words=capacity.words)

    @property
    def left_alone(self) -> int:
        """The number of words that the channel cannot substitute."""
        return self.words - self.substitutable

    def places(self, mix: Mix) -> int:
        """Return the number of places for errors, in proportion to which blocks get errors."""
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
        """Take counts in the order of alignments: hits, substitutions, insertions, deletions."""
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
