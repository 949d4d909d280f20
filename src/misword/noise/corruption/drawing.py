"""Errors drawn into a passage: an exact number of them, as the alignment counts, not a coin a word.

Each word has a random number for each kind of error; divided by the weight that the hearing gives
the word, the smallest come first (weighted sampling without replacement). The first so many are
taken, the passage is written and aligned with the original, and what is lacking (neighbouring
errors may align more cheaply than they were drawn) is taken from where the queue stopped. One more
edit moves the count by one at most, so the target is approached from below and never passed.

Random numbers come from Philox, a counter-based generator, keyed by seed, rate and passage: they do
not depend on who draws which passage when.

Reference: P. S. Efraimidis, P. G. Spirakis, Weighted random sampling with a reservoir, 2006;
J. K. Salmon et al., Parallel random numbers: as easy as 1, 2, 3, SC 2011.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from misword.noise.corruption.sampler import Flags, Ints, Picker
from misword.noise.corruption.splice import edits
from misword.noise.corruption.text_block import Passage
from misword.noise.hearing import Mix, Weights

SUBSTITUTION, DELETION, INSERTION = range(3)
KINDS = ("substitution", "deletion", "insertion")
ROUNDS = 64  # of drawing what is lacking
REPAIRS = 32  # of hearing something else in rows that came out too cheap
RATE_UNIT = 10**9


def uniform(seed: int, rate: float, passage: int, turn: int, count: int) -> Weights:
    """Random numbers in (0, 1), the same on every machine."""
    key = np.random.SeedSequence([seed, round(rate * RATE_UNIT), passage, turn])
    raw = np.random.Philox(key).random_raw(count)
    return ((raw >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53


def divide(count: int, parts: Sequence[float]) -> list[int]:
    """A whole number divided in proportion to `parts`, by largest remainders.

    >>> divide(10, (0.7, 0.2, 0.1)), divide(1, (1, 1, 0))
    ([7, 2, 1], [1, 0, 0])
    """
    exact = [count * part / sum(parts) for part in parts]
    whole = [int(part) for part in exact]
    by_rest = sorted(range(len(whole)), key=lambda kind: (whole[kind] - exact[kind], kind))
    for kind in by_rest[: count - sum(whole)]:
        whole[kind] += 1
    return whole


@dataclass(slots=True)
class Queue:
    """Places in the order in which they are hit."""

    order: Ints
    rest: Ints
    keys: Weights
    at: int = 0

    @classmethod
    def of(cls, random: Weights, weights: Weights, first: int) -> Queue:
        """Small random numbers and large weights first; weight 0 never.

        Only about the first so many are brought into order, the others if they are needed.
        """
        places = np.flatnonzero(weights > 0)
        keys = -np.log(random[places]) / weights[places]
        first = min(first + first // 8 + 64, len(places))
        if first < len(places):
            cut = np.argpartition(keys, first)
            near, far = cut[:first], cut[first:]
        else:
            near, far = np.arange(first), np.arange(0)
        return cls(places[near[np.argsort(keys[near])]], places[far], keys[far])

    @property
    def empty(self) -> bool:
        """Whether nothing is left."""
        return self.at >= len(self.order) + len(self.rest)

    def take(self, count: int, barred: Flags) -> Ints:
        """The next so many places that are not barred; fewer where the queue ends."""
        found: list[Ints] = []
        while count > 0 and not self.empty:
            if self.at == len(self.order):
                self.order = np.concatenate([self.order, self.rest[np.argsort(self.keys)]])
                self.rest, self.keys = self.rest[:0], self.keys[:0]
            ahead = self.order[self.at : self.at + count]
            self.at += len(ahead)
            free = ahead[~barred[ahead]]
            found.append(free)
            count -= len(free)
        return np.concatenate(found) if found else np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """What was drawn into a passage.

    `heard` has what is heard for each word (-1: the word itself, -2: nothing), `inserted` what is
    heard after it, and then before the first word of each row (-1: nothing). `counts` has hits,
    substitutions, insertions and deletions of each row, aligned; `text` the rows joined by NUL.
    """

    heard: Ints
    inserted: Ints
    counts: Ints
    text: bytes

    @property
    def errors(self) -> int:
        """How many, aligned."""
        return int(self.counts[:, 1:].sum())


@dataclass(eq=False)
class Draw:
    """One passage at one rate while it is drawn."""

    passage: Passage
    picker: Picker
    mix: Mix
    key: tuple[int, float, int]
    shapes: Ints = field(init=False)
    heard: Ints = field(init=False)
    inserted: Ints = field(init=False)
    counts: Ints = field(init=False)
    turn: int = 0

    def __post_init__(self) -> None:
        passage = self.passage
        self.shapes = self.picker.shapes(passage.vocabulary)
        size, rows = len(passage.tokens.ids), len(passage)
        self.heard = np.full(size, -1, np.int64)
        self.inserted = np.full(size + rows, -1, np.int64)
        self.counts = np.zeros((rows, 4), np.int64)
        self.counts[:, 0] = passage.counts

    def run(self, target: int) -> Drawn:
        """Draw errors until the alignment counts `target` of them, or nothing more can be hit."""
        wanted = divide(target, self._mix)
        queues = self._queues(wanted) if target else []
        for _ in range(ROUNDS):
            lacking = target - self._errors()
            step = self._step(lacking, target, wanted, queues)
            if lacking <= 0 or not any(step):
                break
            self._measure(self._hit(queues, step))
        for _ in range(REPAIRS):
            lacking = target - self._errors()
            if lacking <= 0 or not self._repair(lacking):
                break
        every = np.arange(len(self.passage))
        return Drawn(self.heard, self.inserted, self.counts, self._write(every))

    @property
    def _mix(self) -> tuple[float, float, float]:
        return self.mix.substitutions, self.mix.deletions, self.mix.insertions

    def _step(self, lacking: int, target: int, wanted: list[int], queues: list[Queue]) -> list[int]:
        """How many errors of each kind to draw next, towards what is wanted of each.

        A deletion and an insertion with only errors between them align as a substitution; so where
        both are drawn, four fifths of what is lacking are drawn at a time, and the rest makes up
        for what they came out as.
        """
        if lacking <= 0:
            return [0, 0, 0]
        _, substitutions, insertions, deletions = self.counts.sum(axis=0).tolist()
        realised = (substitutions, deletions, insertions)
        open_ = [not queue.empty for queue in queues]
        needs = [max(w - r, 0) * o for w, r, o in zip(wanted, realised, open_, strict=True)]
        if not any(needs):
            needs = [part * o for part, o in zip(self._mix, open_, strict=True)]
        if not any(needs):
            return [0, 0, 0]
        both = self.mix.deletions and self.mix.insertions
        return divide(lacking - lacking // 5 if both and 100 * lacking > target else lacking, needs)

    def _errors(self) -> int:
        return int(self.counts[:, 1:].sum())

    @property
    def _rows(self) -> Ints:
        """The row of the hearing for each word."""
        rows: Ints = self.shapes[0][self.passage.tokens.ids]
        return rows

    @property
    def _first(self) -> Ints:
        """The first word of each row that has one."""
        offsets = self.passage.offsets
        return offsets[:-1][self.passage.tokens.lengths > 0]

    def _random(self, count: int) -> Weights:
        """New random numbers at each call."""
        self.turn += 1
        return uniform(*self.key, self.turn, count)

    def _queues(self, wanted: list[int]) -> list[Queue]:
        """Places for each kind of error: words, words, and gaps between words."""
        rows, size = self._rows, len(self.heard)
        gaps = np.ones(len(self.inserted))
        gaps[size:] = (self.passage.tokens.lengths > 0) & (not self.passage.labelled)
        if not self.picker.hearing.inserted.any():
            gaps[:] = 0
        weights = [self.picker.substituted[rows], self.picker.deleted[rows], gaps]
        if self.passage.labelled:
            for kind in (SUBSTITUTION, DELETION):
                weights[kind][self._first] = 0
        return [
            Queue.of(
                self._random(len(weight) if share else 0), weight if share else np.zeros(0), count
            )
            for weight, share, count in zip(weights, self._mix, wanted, strict=True)
        ]

    def _hit(self, queues: list[Queue], wanted: list[int]) -> Ints:
        """Take so many places of each kind; returns the rows that changed."""
        size = len(self.heard)
        row_of = self.passage.row_of
        words = queues[SUBSTITUTION].take(wanted[SUBSTITUTION], self.heard != -1)
        if len(words):
            rows = self.shapes[0][self.passage.tokens.ids[words]]
            self.heard[words] = self.picker.pick(rows, self._random(len(words)))
        gone = queues[DELETION].take(wanted[DELETION], self._barred_words())
        self.heard[gone] = -2
        gaps = queues[INSERTION].take(wanted[INSERTION], self._barred_gaps())
        if len(gaps):
            self.inserted[gaps] = self.picker.insert(self._random(len(gaps)))
        touched = np.zeros(len(self.passage), bool)
        for places in (words, gone, gaps[gaps < size]):
            touched[row_of[places]] = True
        touched[gaps[gaps >= size] - size] = True
        return np.flatnonzero(touched)

    def _barred_words(self) -> Flags:
        """Words not to delete: hit already, or beside an insertion, which would undo it."""
        size = len(self.heard)
        barred: Flags = self.heard != -1
        after = self.inserted[:size] >= 0
        barred |= after
        barred[1:] |= after[:-1]  # also across rows, where it does no harm
        offsets, filled = self.passage.offsets[:-1], self.passage.tokens.lengths > 0
        barred[offsets[filled & (self.inserted[size:] >= 0)]] = True
        return barred

    def _barred_gaps(self) -> Flags:
        """Gaps not to fill: filled already, or beside a deletion."""
        size = len(self.heard)
        gone = self.heard == -2
        barred: Flags = self.inserted >= 0
        barred[:size] |= gone
        barred[: size - 1] |= gone[1:]
        offsets, filled = self.passage.offsets[:-1], self.passage.tokens.lengths > 0
        barred[size:][filled] |= gone[offsets[filled]]
        return barred

    def _measure(self, rows: Ints) -> None:
        self.counts[rows] = self.passage.errors(rows, self._write(rows))

    def _repair(self, lacking: int) -> bool:
        """Hear something else in rows with fewer errors than edits; keep what comes out dearer."""
        row_of = self.passage.row_of
        edits = self._edits_by_row()
        cheap = edits > self.counts[:, 1:].sum(axis=1)
        words = np.flatnonzero((self.heard >= 0) & cheap[row_of])
        if not len(words):
            return False
        before, kept = self.heard.copy(), self.counts.copy()
        random = self._random(len(words))
        self.heard[words] = self.picker.pick(self._rows[words], random)
        rows = np.flatnonzero(cheap)
        self._measure(rows)
        gain = (self.counts - kept)[rows, 1:].sum(axis=1)
        good = gain > 0
        good[good] = np.cumsum(gain[good]) <= lacking
        back = np.ones(len(kept), bool)
        back[rows[good]] = False
        self.counts[back] = kept[back]
        self.heard = np.where(back[row_of], before, self.heard)
        return True

    def _edits_by_row(self) -> Ints:
        size, rows = len(self.heard), len(self.passage)
        row_of = self.passage.row_of
        hit = (self.heard != -1).astype(np.int64) + (self.inserted[:size] >= 0)
        inside = np.bincount(row_of, hit, rows).astype(np.int64)
        return inside + (self.inserted[size:] >= 0)

    def _write(self, rows: Ints) -> bytes:
        """The given rows with all edits."""
        chosen = np.zeros(len(self.passage), bool)
        chosen[rows] = True
        edited = edits(
            self.passage, self.shapes, self.heard, self.inserted, chosen, self.picker.spelling
        )
        return self.passage.splice(rows, *edited, self.picker.spelling.data)
