"""Rates to reach, how their errors are allotted to passages, and what came out."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from misword.core.errors import OptionError
from misword.core.workers import cores
from misword.noise.corruption.drawing import Draw, Drawn
from misword.noise.corruption.sampler import Picker
from misword.noise.corruption.text_block import Ints, Passage
from misword.noise.hearing import Mix

TOLERANCE = 0.005  # of WER: how far the realised rate may be from the one that was asked for


@dataclass(frozen=True, slots=True)
class Census:
    """How many words there are, how many the channel can substitute, delete, either of both."""

    words: int = 0
    substitutable: int = 0
    deletable: int = 0
    either: int = 0

    def __add__(self, other: Census) -> Census:
        return Census(
            self.words + other.words,
            self.substitutable + other.substitutable,
            self.deletable + other.deletable,
            self.either + other.either,
        )

    @classmethod
    def of(cls, vocabulary: list[str], counts: Ints, picker: Picker) -> Census:
        """Of words and how often each is there."""
        rows = picker.shapes(vocabulary)[0]
        hit, gone = picker.substituted[rows] > 0, picker.deleted[rows] > 0
        chosen = (np.ones(len(rows), bool), hit, gone, hit | gone)
        return cls(*(int(counts[which].sum()) for which in chosen))

    def capacity(self, mix: Mix) -> int:
        """Places that can be hit: errors are allotted to passages by their number."""
        if mix.substitutions:
            return self.substitutable
        return self.deletable if mix.deletions else self.words

    def most(self, mix: Mix) -> float:
        """The highest rate that so many words allow, at best."""
        taken = mix.substitutions + mix.deletions
        bounds = (
            (self.substitutable, mix.substitutions), (self.deletable, mix.deletions),
            (self.either, taken), (self.words, mix.insertions),
        )  # fmt: skip
        return min(count / share for count, share in bounds if share) / max(self.words, 1)


@dataclass(frozen=True, slots=True)
class Level:
    """A rate of errors, for a whole corpus."""

    rate: float
    mix: Mix
    seed: int
    census: Census

    @property
    def name(self) -> str:
        """What the system is called that errs at this rate."""
        return level_name(self.rate)

    @property
    def target(self) -> int:
        """Errors in all."""
        return round(self.rate * self.census.words)

    def allotted(self, before: int, more: int) -> int:
        """Errors of the next `more` places after `before` others."""
        capacity = max(self.census.capacity(self.mix), 1)
        through = (self.target * place // capacity for place in (before, before + more))
        first, second = through
        return second - first

    def check(self) -> None:
        """Refuse what no draw can reach."""
        if self.seed < 0:
            raise OptionError(f"the seed is {self.seed}", fix="use 0 or more")
        most = self.census.most(self.mix)
        if self.target > (most + TOLERANCE) * self.census.words:
            raise unreachable(self, most)

    def settle(self, errors: int) -> None:
        """Refuse a corpus that came out too far from the rate."""
        if self.target - errors > TOLERANCE * self.census.words:
            raise unreachable(self, errors / self.census.words)


def level_name(rate: float) -> str:
    """What the system is called that errs at a rate.

    >>> level_name(0.3), level_name(0.125)
    ('wer-0.30', 'wer-0.125')
    """
    short = f"{rate:.2f}"
    return f"wer-{short if float(short) == rate else f'{rate:.9g}'}"


def unreachable(level: Level, most: float) -> OptionError:
    """The error that says what can be reached."""
    census = level.census
    return OptionError(
        f"a WER of {level.rate:g} cannot be reached: {most:.4f} is the most here "
        f"(the channel can substitute {census.substitutable:,} of {census.words:,} words)",
        fix="ask for less, add deletions and insertions (--mix), or use a channel that knows more "
        "words",
    )


@dataclass(frozen=True, slots=True)
class Realised:
    """What came out at a level: counts of the alignment, as `misword score` has them."""

    level: Level
    hits: int = 0
    substitutions: int = 0
    insertions: int = 0
    deletions: int = 0

    @classmethod
    def of(cls, level: Level, counts: Ints) -> Realised:
        """Of the sums of an alignment's counts."""
        return cls(level, *counts.tolist())

    @property
    def errors(self) -> int:
        """All edits."""
        return self.substitutions + self.insertions + self.deletions

    @property
    def wer(self) -> float | None:
        """The realised rate; none where there are no words."""
        words = self.level.census.words
        return self.errors / words if words else None


def draw_levels(
    passages: Iterable[Passage], levels: Sequence[Level], picker: Picker, workers: int | None = None
) -> Iterator[tuple[Passage, list[Drawn]]]:
    """Each passage at each level, in order, drawn side by side.

    What a passage lacks is carried to the next one. That is known only when the first is done; so
    each is drawn as if nothing were carried, and once more if something is.
    """
    owed = [0] * len(levels)

    def collect(job: Job) -> list[Drawn]:
        found = []
        for at, (level, target, future) in enumerate(
            zip(levels, job.targets, job.futures, strict=True)
        ):
            drawn = future.result()
            if owed[at]:
                drawn = job.draw(level, picker, target + owed[at])
            owed[at] += target - drawn.errors
            found.append(drawn)
        return found

    before, threads = 0, workers or cores()
    waiting: deque[Job] = deque()
    with ThreadPoolExecutor(threads) as pool:
        for number, passage in enumerate(passages):
            places = census_of(passage, picker).capacity(levels[0].mix)
            job = Job(number, passage, [level.allotted(before, places) for level in levels])
            before += places
            job.futures += [
                pool.submit(job.draw, level, picker, target)
                for level, target in zip(levels, job.targets, strict=True)
            ]
            waiting.append(job)
            if len(waiting) > threads:
                first = waiting.popleft()
                yield first.passage, collect(first)
        while waiting:
            first = waiting.popleft()
            yield first.passage, collect(first)


class Job:
    """A passage that is being drawn."""

    def __init__(self, number: int, passage: Passage, targets: list[int]) -> None:
        self.number, self.passage, self.targets = number, passage, targets
        self.futures: list[Future[Drawn]] = []

    def draw(self, level: Level, picker: Picker, target: int) -> Drawn:
        """Draw so many errors into it."""
        key = (level.seed, level.rate, self.number)
        return Draw(self.passage, picker, level.mix, key).run(target)


def census_of(passage: Passage, picker: Picker) -> Census:
    """Of a passage's words."""
    ids = passage.word_ids
    return Census.of(
        passage.vocabulary, np.bincount(ids, minlength=len(passage.vocabulary)), picker
    )


def read_rates(text: str) -> list[float]:
    """Rates from `0.3`, `0.1,0.3` or `0:0.5:0.05` (from, to, step; both ends belong to it).

    >>> read_rates("0:0.2:0.05,0.5")
    [0.0, 0.05, 0.1, 0.15, 0.2, 0.5]
    """
    rates: list[float] = []
    for piece in text.split(","):
        try:
            first, *rest = (float(number) for number in piece.split(":"))
        except ValueError:
            raise _no_rates(text) from None
        if not rest:
            rates.append(first)
        elif len(rest) == 2 and rest[1] > 0 and rest[0] >= first:
            count = int((rest[0] - first) / rest[1] + 1e-9)
            rates += [round(first + step * rest[1], 9) for step in range(count + 1)]
        else:
            raise _no_rates(text)
    return check_rates(rates)


def check_rates(rates: Iterable[float]) -> list[float]:
    """Refuse rates that are none, and one given twice."""
    found = [float(rate) for rate in rates]
    if not found or not all(0 <= rate < 100 for rate in found):
        raise _no_rates(", ".join(f"{rate:g}" for rate in found))
    if len({round(rate, 9) for rate in found}) < len(found):
        raise OptionError("a rate is given twice", fix="give each once")
    return found


def _no_rates(text: str) -> OptionError:
    return OptionError(
        f"{text!r} is no word error rate", fix="use 0.3, a list 0.1,0.3 or a range 0:0.5:0.05"
    )


def read_mix(text: str) -> Mix:
    """Shares from `s=0.7,d=0.2,i=0.1`; what is not named is 0.

    >>> read_mix("s=0.75,d=0.25")
    Mix(substitutions=0.75, deletions=0.25, insertions=0.0)
    """
    found: dict[str, float] = {}
    for piece in text.split(","):
        name, _, value = piece.strip().partition("=")
        try:
            found[name] = float(value)
        except ValueError:
            raise _no_mix(text) from None
    if not set(found) <= set("sdi"):
        raise _no_mix(text)
    mix = Mix(*(found.get(name, 0.0) for name in "sdi"))
    check_mix(mix, text)
    return mix


def check_mix(mix: Mix, text: str = "") -> None:
    """The shares are shares of one whole."""
    parts = (mix.substitutions, mix.deletions, mix.insertions)
    if not all(0 <= part <= 1 for part in parts) or abs(sum(parts) - 1) > 1e-6:
        raise _no_mix(text or str(mix))


def _no_mix(text: str) -> OptionError:
    return OptionError(
        f"{text!r} is no mix of errors",
        fix="give the shares of substitutions, deletions and insertions, whose sum is 1: "
        "s=0.7,d=0.2,i=0.1",
    )
