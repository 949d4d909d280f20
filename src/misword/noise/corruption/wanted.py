"""Noisy texts of which a wanted number has a property, such as a critical error.

The texts are drawn several times at the same word error rate, with other seeds. Rows of the first
draw are exchanged for the same rows of other draws, until as many rows as wanted have the property.
Rows with as many errors as before are taken first; then other rows are exchanged, until the number
of all errors is that of the first draw again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from misword.core.errors import OptionError
from misword.core.formatting import counted
from misword.core.parts import Settings
from misword.core.progress import progress
from misword.noise.arrays import Flags, Ints
from misword.noise.corruption.drawing import CorruptedBlock, WordEdits
from misword.noise.corruption.text_block import TextBlock, texts_of_rows
from misword.text.texts import SEPARATOR

MOST_DRAWS = 60
SAME_COUNT_DRAWS = 20  # in which only rows with as many errors as before are exchanged
SEEDS_APART = 1 << 32  # so that the draws of two usual seeds are never the same
ORDER = 1  # number of the random numbers that decide which rows are exchanged
CHECKED_AT_ONCE = 64  # rows, beside twice as many as are needed

Judge = Callable[[Sequence[str], Sequence[str]], Flags]
Draw = Callable[[int], list[CorruptedBlock]]


@dataclass(frozen=True)
class WantedRows:
    """How many noisy texts are to have a property.

    `number` is a number of texts, or below 1 a share of all texts. `judge` takes clean and noisy
    texts, and says which pairs have the property; `name` is what the property is called.
    """

    number: float
    judge: Judge
    name: str = "wanted"

    def __post_init__(self) -> None:
        """Raise an error unless the number is a share or a whole number."""
        if self.number < 0 or (self.number >= 1 and self.number % 1):
            raise OptionError(
                f"{self.number:g} {self.name} texts",
                fix="give a whole number of texts, or a share below 1",
            )

    def among(self, rows: int) -> int:
        """Return the number among so many texts.

        >>> WantedRows(0.1, lambda clean, noisy: []).among(200)
        20
        """
        number = round(self.number * rows) if self.number < 1 else int(self.number)
        if number > rows:
            raise OptionError(
                f"{counted(number, f'{self.name} text')} of {rows:,}", fix="ask for fewer"
            )
        return number

    @property
    def settings(self) -> Settings:
        """What was asked for, for a signature."""
        return ((self.name, f"{self.number:g}"),)

    def drawn(self, blocks: Sequence[TextBlock], seed: int, draw: Draw) -> list[CorruptedBlock]:
        """Return noisy blocks of which as many rows as wanted have the property.

        `draw` returns the noisy blocks of a seed.
        """
        exchange = Exchange(self, blocks, draw(seed), seed)
        with progress(f"drawing {self.name} texts") as step:
            for number in range(1, MOST_DRAWS):
                if not exchange.missing and not exchange.surplus:
                    break
                other = Rows(blocks, draw(seed + number * SEEDS_APART))
                exchange.change(other, number < SAME_COUNT_DRAWS)
                if number >= SAME_COUNT_DRAWS or not exchange.missing:
                    exchange.balance(other)
                step(1)
        if exchange.missing:
            raise OptionError(
                f"{counted(exchange.found, f'{self.name} text')} instead of "
                f"{exchange.wanted:,}, after {MOST_DRAWS} draws",
                fix="ask for fewer, or for a higher word error rate"
                if exchange.missing > 0
                else "ask for more, or for a lower word error rate",
            )
        return exchange.rows.blocks()


@dataclass(eq=False)
class Rows:
    """The rows of all blocks of a draw: their edits, counts and texts."""

    clean: Sequence[TextBlock]
    noisy: Sequence[CorruptedBlock]

    @cached_property
    def counts(self) -> Ints:
        """Hits, substitutions, insertions and deletions of each row."""
        return np.concatenate([block.counts for block in self.noisy])

    @property
    def errors(self) -> Ints:
        """The errors of each row."""
        errors: Ints = self.counts[:, 1:].sum(axis=1)
        return errors

    @cached_property
    def encoded(self) -> list[bytes]:
        """The noisy row of each row."""
        nul = SEPARATOR.encode()
        return [row for block in self.noisy for row in block.text.split(nul)]

    def texts(self, rows: Ints) -> list[str]:
        """Return the noisy texts of rows, without utterance ids."""
        labelled = self.clean[0].labelled
        return texts_of_rows([self.encoded[row].decode() for row in rows.tolist()], labelled)

    def take(self, rows: Ints, other: Rows) -> None:
        """Replace rows by those of another draw."""
        self.counts[rows] = other.counts[rows]
        for row in rows.tolist():
            self.encoded[row] = other.encoded[row]
        first, changed = 0, []
        for block, mine, theirs in zip(self.clean, self.noisy, other.noisy, strict=True):
            chosen = np.zeros(len(block), bool)
            chosen[rows[(rows >= first) & (rows < first + len(block))] - first] = True
            changed.append(replace(mine, edits=_mixed(block, mine.edits, theirs.edits, chosen)))
            first += len(block)
        self.noisy = changed

    def blocks(self) -> list[CorruptedBlock]:
        """Return the blocks with the counts and texts of their rows."""
        nul, first, blocks = SEPARATOR.encode(), 0, []
        for block in self.noisy:
            last = first + len(block.counts)
            text = nul.join(self.encoded[first:last])
            blocks.append(CorruptedBlock(block.edits, self.counts[first:last], text))
            first = last
        return blocks


def _mixed(block: TextBlock, mine: WordEdits, theirs: WordEdits, rows: Flags) -> WordEdits:
    """Return edits of a block, those of the flagged rows from the second ones."""
    words = rows[block.row_of]
    gaps = np.concatenate([words, rows])
    return WordEdits(
        np.where(words, theirs.words, mine.words),
        np.where(gaps, theirs.insertions, mine.insertions),
        np.where(words, theirs.inside, mine.inside),
    )


@dataclass(eq=False)
class Exchange:
    """Rows of a first draw while they are exchanged for rows of other draws."""

    asked: WantedRows
    clean: Sequence[TextBlock]
    first: list[CorruptedBlock]
    seed: int
    rows: Rows = field(init=False)
    has: Flags = field(init=False)
    order: Ints = field(init=False)

    def __post_init__(self) -> None:
        self.rows = Rows(self.clean, self.first)
        self.errors = int(self.rows.errors.sum())
        size = len(self.rows.counts)
        self.wanted = self.asked.among(size)
        self.order = np.random.Generator(np.random.Philox([self.seed, ORDER])).permutation(size)
        self.has = np.zeros(size, bool)
        wrong = np.flatnonzero(self.rows.errors)
        self.has[wrong] = self._judged(self.rows, wrong)

    @cached_property
    def texts(self) -> list[str]:
        """The clean texts, without utterance ids."""
        rows = [row for b in self.clean for row in b.data[:-1].tobytes().decode().split(SEPARATOR)]
        return texts_of_rows(rows, self.clean[0].labelled)

    @property
    def found(self) -> int:
        """How many rows have the property."""
        return int(self.has.sum())

    @property
    def missing(self) -> int:
        """How many rows more have to have the property; below 0 if too many have it."""
        return self.wanted - self.found

    @property
    def surplus(self) -> int:
        """How many errors there are more than in the first draw."""
        return int(self.rows.errors.sum()) - self.errors

    def _judged(self, draw: Rows, rows: Ints) -> Flags:
        """Return which rows of a draw have the property."""
        if not len(rows):
            return np.zeros(0, bool)
        clean = [self.texts[row] for row in rows.tolist()]
        return np.asarray(self.asked.judge(clean, draw.texts(rows)), bool)

    def change(self, other: Rows, same_count: bool) -> None:
        """Take rows of another draw that have the property, or have it not if too many have it."""
        more = self.missing > 0
        if not self.missing:
            return
        difference = np.abs(other.errors - self.rows.errors)[self.order]
        usable = self.has[self.order] != more
        if more:
            usable &= other.errors[self.order] > 0
        if same_count:
            usable &= difference == 0
        candidates = self.order[usable][np.argsort(difference[usable], kind="stable")]
        while len(candidates) and self.missing:
            size = 2 * abs(self.missing) + CHECKED_AT_ONCE
            part, candidates = candidates[:size], candidates[size:]
            fits = part[self._judged(other, part) == more][: abs(self.missing)]
            self.rows.take(fits, other)
            self.has[fits] = more

    def balance(self, other: Rows) -> None:
        """Take rows of another draw until there are as many errors as in the first draw.

        The property of these rows does not change.
        """
        change = (other.errors - self.rows.errors)[self.order]
        sign = -np.sign(self.surplus)
        candidates = self.order[change * sign > 0]
        while len(candidates) and self.surplus:
            size = 2 * abs(self.surplus) + CHECKED_AT_ONCE
            part, candidates = candidates[:size], candidates[size:]
            part = part[self._judged(other, part) == self.has[part]]
            steps = np.abs(other.errors[part] - self.rows.errors[part])
            left, chosen = abs(self.surplus), []
            for row, amount in zip(part.tolist(), steps.tolist(), strict=True):
                if amount <= left:
                    chosen.append(row)
                    left -= amount
            self.rows.take(np.array(chosen, np.int64), other)
