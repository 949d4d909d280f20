"""Draw an exact number of errors into a text block; errors are counted by an alignment.

Each word has a random number for each kind of error. Divided by the word's weight in the error
model, it decides the order in which words are chosen (weighted sampling without replacement).
The first words are edited, and the noisy block is aligned with the original. The alignment may
count fewer errors than edits, because neighbouring edits can align at a lower cost. Then further
words are edited, as long as errors are missing. One more edit changes the count by at most one,
so the target is approached from below and never exceeded.

These are lines 12 and 13 of Algorithm 1 in Voleti et al. 2019, for deletions and insertions too.

Random numbers come from Philox, a counter-based generator, keyed by seed, target WER and block.
They do not depend on which thread draws which block, or when.

Reference: P. S. Efraimidis, P. G. Spirakis, Weighted random sampling with a reservoir, 2006;
J. K. Salmon et al., Parallel random numbers: as easy as 1, 2, 3, SC 2011.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from misword.noise.arrays import Flags, Floats, Ints
from misword.noise.corruption.row_keys import WER_UNIT
from misword.noise.corruption.sampler import CasedWords, Sampler, TokenShapes
from misword.noise.corruption.text_block import LOWER, UPPER, TextBlock
from misword.noise.error_model import Mix


def uniform_numbers(seed: int, target_wer: float, block: int, draw: int, count: int) -> Floats:
    """Return random numbers in (0, 1), which are the same on every machine.

    `draw` numbers the calls for one block, so that each call returns other numbers.
    """
    key = np.random.SeedSequence([seed, round(target_wer * WER_UNIT), block, draw])
    raw = np.random.Philox(key).random_raw(count)
    return ((raw >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53


@dataclass(slots=True)
class PlaceQueue:
    """Places (words or gaps between words) in the order in which errors are drawn there.

    `ordered` has the first places, sorted; `position` is the number of those already taken. `rest`
    has the other places, which are sorted by `keys` only when they are needed.
    """

    ordered: Ints
    rest: Ints
    keys: Floats
    position: int = 0

    @classmethod
    def of(cls, random: Floats, weights: Floats, first: int) -> PlaceQueue:
        """Sort places by -log(random number) / weight; a place of weight 0 is left out.

        About `first` places are sorted at once.
        """
        places = np.flatnonzero(weights > 0)
        keys = -np.log(random[places]) / weights[places]
        first = min(first + first // 8 + 64, len(places))
        if first < len(places):
            parts = np.argpartition(keys, first)
            near, far = parts[:first], parts[first:]
        else:
            near, far = np.arange(first), np.arange(0)
        return cls(places[near[np.argsort(keys[near])]], places[far], keys[far])

    @property
    def empty(self) -> bool:
        """Whether all places were taken."""
        return self.position >= len(self.ordered) + len(self.rest)

    def take(self, count: int, barred: Flags) -> Ints:
        """Return the next `count` places that are not barred; fewer where the queue ends."""
        taken: list[Ints] = []
        while count > 0 and not self.empty:
            if self.position == len(self.ordered):
                self.ordered = np.concatenate([self.ordered, self.rest[np.argsort(self.keys)]])
                self.rest, self.keys = self.rest[:0], self.keys[:0]
            ahead = self.ordered[self.position : self.position + count]
            self.position += len(ahead)
            free = ahead[~barred[ahead]]
            taken.append(free)
            count -= len(free)
        return np.concatenate(taken) if taken else np.zeros(0, np.int64)


# Edits of words, and the edits of bytes that write them into a text block.
#
# `WordEdits` says which word of a block is substituted, deleted or followed by an insertion.
# `byte_edits` computes from it which bytes of the block `TextBlock.splice` replaces, and by which
# bytes.

# Special values of `WordEdits.words`, and of `WordEdits.insertions` where nothing is inserted.
UNCHANGED, DELETED = -1, -2
NO_INSERTION = -1


@dataclass(slots=True, eq=False)
class WordEdits:
    """The edits of all words of a text block.

    `words` has the id of the substitute of each word, or `UNCHANGED`, or `DELETED`. `insertions`
    has the id of the word that is inserted after each word, and then, for each row, the id of the
    word that is inserted before its first word; `NO_INSERTION` where nothing is inserted. An
    insertion `inside` a stretch that was heard together comes before the punctuation of its word.
    """

    words: Ints
    insertions: Ints
    inside: Flags

    @classmethod
    def none(cls, block: TextBlock) -> WordEdits:
        """Return edits that change nothing."""
        size = len(block.tokens.ids)
        return cls(
            np.full(size, UNCHANGED, np.int64),
            np.full(size + len(block), NO_INSERTION, np.int64),
            np.zeros(size, bool),
        )

    @property
    def after_words(self) -> Ints:
        """The insertions after each word."""
        return self.insertions[: len(self.words)]

    @property
    def before_rows(self) -> Ints:
        """The insertions before the first word of each row."""
        return self.insertions[len(self.words) :]


def write_rows(
    block: TextBlock, shapes: TokenShapes, edits: WordEdits, rows: Ints, spellings: CasedWords
) -> bytes:
    """Return the given rows of a block with all their edits, joined by NUL."""
    chosen = np.zeros(len(block), bool)
    chosen[rows] = True
    places = byte_edits(block, shapes, edits, chosen, spellings)
    return block.splice(rows, *places, spellings.data)


def gaps_beside_deletions(block: TextBlock, edits: WordEdits) -> Flags:
    """Return which gaps are beside a deleted word: an insertion there aligns as a substitution.

    The gaps are in the order of `WordEdits.insertions`.
    """
    size = len(edits.words)
    deleted = edits.words == DELETED
    beside: Flags = np.zeros(len(edits.insertions), bool)
    beside[:size] = deleted
    beside[:size][:-1] |= deleted[1:]  # also across rows, where it does no harm
    first, has_words = block.offsets[:-1], block.has_words
    beside[size:][has_words] |= deleted[first[has_words]]
    return beside


def byte_edits(
    block: TextBlock, shapes: TokenShapes, edits: WordEdits, rows: Flags, spellings: CasedWords
) -> tuple[Ints, Ints, Ints]:
    """Return the edits of the rows whose flag is set, as three arrays with a row for each edit.

    The arrays are `begin`, `end` and `pieces`: the bytes `begin:end` of the block are replaced by
    the bytes `pieces[0]:pieces[1]` of the spellings. Edits are sorted by their place.
    """
    table = np.concatenate(
        [
            _substitutions(block, shapes, edits, rows, spellings),
            _deletions(block, edits, rows),
            _insertions_after_words(block, shapes, edits, rows, spellings),
            _insertions_before_rows(block, shapes, edits, rows, spellings),
        ],
        axis=1,
    )
    begin, end, low, high = table[:, np.lexsort((table[1], table[0]))]
    return begin, end, np.stack([low, high], axis=1)


def _substitutions(
    block: TextBlock, shapes: TokenShapes, edits: WordEdits, rows: Flags, spellings: CasedWords
) -> Ints:
    """Replace the core of each substituted word, in the case of the word."""
    words = np.flatnonzero((edits.words >= 0) & rows[block.row_of])
    token = block.tokens.ids[words]
    core = block.starts[words] + shapes.before[token]
    form = spellings.form(edits.words[words], shapes.case[token])
    offsets = spellings.offsets
    return np.stack([core, core + shapes.size[token], offsets[form] + 1, offsets[form + 1] - 1])


def _deletions(block: TextBlock, edits: WordEdits, rows: Flags) -> Ints:
    """Delete words with the white space before them, or after them at the beginning of a row."""
    deleted = edits.words == DELETED
    words = np.flatnonzero(deleted & rows[block.row_of])
    if not len(words):
        return np.zeros((4, 0), np.int64)
    first = block.offsets[block.row_of[words]]
    last = block.offsets[block.row_of[words] + 1] - 1
    so_far = np.cumsum(deleted)
    # Whether all words of the row up to this one are deleted.
    leading = so_far[words] - so_far[first] + deleted[first] == words - first + 1
    following = block.starts[np.minimum(words + 1, len(deleted) - 1)]
    begin = np.where(leading, block.starts[words], block.ends[np.maximum(words - 1, 0)])
    end = np.where(leading & (words < last), following, block.ends[words])
    return np.stack([begin, end, np.zeros_like(begin), np.zeros_like(begin)])


def _insertions_after_words(
    block: TextBlock, shapes: TokenShapes, edits: WordEdits, rows: Flags, spellings: CasedWords
) -> Ints:
    """Insert a space and a word; the word is in capitals if the word before it is."""
    words = np.flatnonzero((edits.after_words >= 0) & rows[block.row_of])
    form = spellings.form(edits.after_words[words], _inserted_case(block, shapes, words))
    token = block.tokens.ids[words]
    core_end = block.starts[words] + shapes.before[token] + shapes.size[token]
    at = np.where(edits.inside[words], core_end, block.ends[words])
    return np.stack([at, at, spellings.offsets[form], spellings.offsets[form + 1] - 1])


def _insertions_before_rows(
    block: TextBlock, shapes: TokenShapes, edits: WordEdits, rows: Flags, spellings: CasedWords
) -> Ints:
    """Insert a word and a space; the word is in capitals if the word after it is."""
    numbers = np.flatnonzero((edits.before_rows >= 0) & rows)
    first = block.offsets[numbers]
    form = spellings.form(edits.before_rows[numbers], _inserted_case(block, shapes, first))
    at = block.starts[first]
    return np.stack([at, at, spellings.offsets[form] + 1, spellings.offsets[form + 1]])


def _inserted_case(block: TextBlock, shapes: TokenShapes, neighbours: Ints) -> Ints:
    """Return the case of inserted words beside their neighbours: capitals beside capitals."""
    case: Ints = shapes.case[block.tokens.ids[neighbours]]
    return np.where(case == UPPER, UPPER, LOWER)


# The drawing of errors.

SUBSTITUTION, DELETION, INSERTION = range(3)
KINDS = ("substitution", "deletion", "insertion")
ROUNDS = 64  # at most, of drawing the errors that are missing
REDRAWS = 32  # at most, of drawing other substitutes in rows with fewer errors than edits


@dataclass(frozen=True, slots=True, eq=False)
class CorruptedBlock:
    """A text block after errors were drawn into it.

    `counts` has the hits, substitutions, insertions and deletions of each row, by its alignment
    with the original. `text` has the noisy rows, joined by NUL.
    """

    edits: WordEdits
    counts: Ints
    text: bytes

    @property
    def errors(self) -> int:
        """The number of errors, by the alignment."""
        return int(self.counts[:, 1:].sum())


@dataclass(eq=False)
class BlockCorruption:
    """One text block at one target WER, while errors are drawn.

    `key` decides the random numbers: the seed, the target WER and the number of the block.
    `shapes` has the shape of each token of the block's vocabulary. `counts` has hits,
    substitutions, insertions and deletions of each row, by the last alignment. `draws` counts the
    calls for random numbers.
    """

    block: TextBlock
    sampler: Sampler
    mix: Mix
    key: tuple[int, float, int]
    shapes: TokenShapes = field(init=False)
    edits: WordEdits = field(init=False)
    counts: Ints = field(init=False)
    draws: int = 0

    def __post_init__(self) -> None:
        self.shapes = self.sampler.shapes(self.block.vocabulary)
        self.edits = WordEdits.none(self.block)
        self.counts = np.zeros((len(self.block), 4), np.int64)
        self.counts[:, 0] = self.block.counts

    def run(self, target: int) -> CorruptedBlock:
        """Draw until the alignment counts `target` errors, or until no place is left."""
        wanted = divide(target, self.mix.shares)
        queues = self._queues(wanted) if target else []
        for _ in range(ROUNDS):
            missing = target - self._errors()
            next_counts = self._next_counts(missing, target, wanted, queues)
            if missing <= 0 or not any(next_counts):
                break
            self._align(self._edit(queues, next_counts))
        for _ in range(REDRAWS):
            missing = target - self._errors()
            if missing <= 0 or not self._redraw(missing):
                break
        return CorruptedBlock(self.edits, self.counts, self._write(np.arange(len(self.block))))

    def _next_counts(
        self, missing: int, target: int, wanted: list[int], queues: list[PlaceQueue]
    ) -> list[int]:
        """Return how many errors of each kind to draw next.

        A deletion and an insertion with only errors between them align as a substitution. Where the
        mix has both, only four fifths of the missing errors are drawn at a time, so that the later
        rounds can correct the shares of the kinds. The last 1 % of the target is drawn at once.
        """
        if missing <= 0:
            return [0, 0, 0]
        _, substitutions, insertions, deletions = self.counts.sum(axis=0).tolist()
        realised = (substitutions, deletions, insertions)
        has_places = [not queue.empty for queue in queues]
        shares: list[float] = [
            max(count - done, 0) * possible
            for count, done, possible in zip(wanted, realised, has_places, strict=True)
        ]
        if not any(shares):
            kinds = zip(self.mix.shares, has_places, strict=True)
            shares = [share * possible for share, possible in kinds]
        if not any(shares):
            return [0, 0, 0]
        both = self.mix.deletions and self.mix.insertions
        part = missing - missing // 5 if both and 100 * missing > target else missing
        return divide(part, shares)

    def _errors(self) -> int:
        return int(self.counts[:, 1:].sum())

    @property
    def _table_rows(self) -> Ints:
        """The row in the candidate table of each word."""
        rows: Ints = self.shapes.row[self.block.tokens.ids]
        return rows

    def _random(self, count: int) -> Floats:
        """Return new random numbers at each call."""
        self.draws += 1
        return uniform_numbers(*self.key, self.draws, count)

    def _queues(self, wanted: list[int]) -> list[PlaceQueue]:
        """Return the places of each kind of error: words, words, and gaps between words."""
        rows, size = self._table_rows, len(self.edits.words)
        gaps = np.ones(len(self.edits.insertions))
        gaps[size:] = self.block.has_words & (not self.block.labelled)
        if not self.sampler.model.insertion_probability.any():
            gaps[:] = 0
        barred = np.zeros(size, bool)
        if self.sampler.protection is not None:
            barred = self.sampler.protection.barred(self.block)
            gaps[self.sampler.protection.barred_gaps(self.block)] = 0
        weights = [self.sampler.substitution_weight[rows], self.sampler.deletion_weight[rows], gaps]
        if self.block.labelled:
            labels = self.block.offsets[:-1][self.block.has_words]
            barred = barred.copy()
            barred[labels] = True
        for kind in (SUBSTITUTION, DELETION):
            weights[kind][barred] = 0
        return [
            PlaceQueue.of(
                self._random(len(weight) if share else 0), weight if share else np.zeros(0), count
            )
            for weight, share, count in zip(weights, self.mix.shares, wanted, strict=True)
        ]

    def _edit(self, queues: list[PlaceQueue], counts: list[int]) -> Ints:
        """Take places of each kind and edit them; return the rows that changed."""
        edits, size = self.edits, len(self.edits.words)
        row_of = self.block.row_of
        words = queues[SUBSTITUTION].take(counts[SUBSTITUTION], edits.words != UNCHANGED)
        if len(words):
            rows = self.shapes.row[self.block.tokens.ids[words]]
            edits.words[words] = self.sampler.substitutes(rows, self._random(len(words)))
        deleted = queues[DELETION].take(counts[DELETION], self._barred_words())
        edits.words[deleted] = DELETED
        gaps = queues[INSERTION].take(counts[INSERTION], self._barred_gaps())
        if len(gaps):
            edits.insertions[gaps] = self.sampler.insertions(self._random(len(gaps)))
        changed = np.zeros(len(self.block), bool)
        for places in (words, deleted, gaps[gaps < size]):
            changed[row_of[places]] = True
        changed[gaps[gaps >= size] - size] = True
        return np.flatnonzero(changed)

    def _barred_words(self) -> Flags:
        """Words not to delete: edited already, or beside an insertion.

        A deletion beside an insertion would align as one substitution.
        """
        edits = self.edits
        barred: Flags = edits.words != UNCHANGED
        after = edits.after_words >= 0
        barred |= after
        barred[1:] |= after[:-1]  # also across rows, where it does no harm
        first = self.block.offsets[:-1]
        barred[first[self.block.has_words & (edits.before_rows >= 0)]] = True
        return barred

    def _barred_gaps(self) -> Flags:
        """Gaps not to fill: filled already, or beside a deletion."""
        return (self.edits.insertions >= 0) | gaps_beside_deletions(self.block, self.edits)

    def _align(self, rows: Ints) -> None:
        """Align rows again, and count their errors."""
        self.counts[rows] = self.block.count_errors(rows, self._write(rows))

    def _redraw(self, missing: int) -> bool:
        """Draw other substitutes in rows with fewer errors than edits.

        A row keeps its new substitutes if it has more errors with them; rows are accepted in order
        until no error is missing. Returns False if there are no such rows.
        """
        row_of = self.block.row_of
        too_few = self._edits_by_row() > self.counts[:, 1:].sum(axis=1)
        words = np.flatnonzero((self.edits.words >= 0) & too_few[row_of])
        if not len(words):
            return False
        old_words, old_counts = self.edits.words.copy(), self.counts.copy()
        random = self._random(len(words))
        self.edits.words[words] = self.sampler.substitutes(self._table_rows[words], random)
        rows = np.flatnonzero(too_few)
        self._align(rows)
        gain = (self.counts - old_counts)[rows, 1:].sum(axis=1)
        accepted = gain > 0
        accepted[accepted] = np.cumsum(gain[accepted]) <= missing
        restored = np.ones(len(old_counts), bool)
        restored[rows[accepted]] = False
        self.counts[restored] = old_counts[restored]
        self.edits.words = np.where(restored[row_of], old_words, self.edits.words)
        return True

    def _edits_by_row(self) -> Ints:
        edits = self.edits
        by_word = (edits.words != UNCHANGED).astype(np.int64) + (edits.after_words >= 0)
        by_row = np.bincount(self.block.row_of, by_word, len(self.block)).astype(np.int64)
        return by_row + (edits.before_rows >= 0)

    def _write(self, rows: Ints) -> bytes:
        """Return the given rows with all their edits."""
        return write_rows(self.block, self.shapes, self.edits, rows, self.sampler.spellings)


def divide(count: int, shares: Sequence[float]) -> list[int]:
    """Divide a whole number in proportion to shares, by largest remainders.

    >>> divide(10, (0.7, 0.2, 0.1)), divide(1, (1, 1, 0))
    ([7, 2, 1], [1, 0, 0])
    """
    exact = [count * share / sum(shares) for share in shares]
    whole = [int(part) for part in exact]
    by_remainder = sorted(range(len(whole)), key=lambda kind: (whole[kind] - exact[kind], kind))
    for kind in by_remainder[: count - sum(whole)]:
        whole[kind] += 1
    return whole
