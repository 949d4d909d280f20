"""Draw what a listener mishears into a block of text, up to a word error rate.

The log odds of each word to be misheard (`places.py`) are compared with a random number of its own.
A number that is added to all log odds, the shift, decides how many words are misheard: the words
that are misheard at a lower shift are also misheard at a higher one. Neighbouring misheard words
are a region, for which the listener draws other words by another random number; what is drawn for a
region does not depend on the other regions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from misword.core.errors import OptionError
from misword.noise.aligned_corpus import Span, SpannedCorpus
from misword.noise.arrays import Flags, Floats, Ints
from misword.noise.corruption.drawing import (
    DELETED,
    UNCHANGED,
    CorruptedBlock,
    WordEdits,
    uniform_numbers,
    write_rows,
)
from misword.noise.corruption.protection import Protection
from misword.noise.corruption.row_keys import (
    DRAW_DELETED,
    DRAW_INSERTED,
    DRAW_INSERTION,
    DRAW_SUBSTITUTE,
    DRAW_SUBSTITUTED,
    Keys,
    row_random_numbers,
    seeded_rows,
)
from misword.noise.corruption.sampler import CasedWords, TokenShapes
from misword.noise.corruption.targets import TOLERANCE
from misword.noise.corruption.text_block import TextBlock, word_shape
from misword.noise.error_model import Mix
from misword.noise.listening.decoder import SAID_WORDS
from misword.noise.listening.listener import Listener, Region, Sequence_
from misword.noise.listening.places import FIXED, INSERTION, draw_wrong, node_of

LOWEST_SHIFT, HIGHEST_SHIFT = -15.0, 15.0
BISECTIONS = 40
APPROACHES = 6  # of the shift to the target, before single errors are added
ROUNDS = 64  # at most, of adding the errors that are missing
BELOW = 0.995  # the share of the target that regions aim at


class Draws(NamedTuple):
    """Random numbers in (0, 1): of each word, each gap (after words, then before rows), each row.

    `misheard` decides whether a word is misheard, `heard` what is heard for a region that begins
    with it, `gap` and `inserted` the insertions, and `row` the effect of the utterance.
    """

    misheard: Floats
    heard: Floats
    gap: Floats
    inserted: Floats
    row: Floats

    @classmethod
    def of_block(cls, block: TextBlock, key: tuple[int, float, int]) -> Draws:
        """Return the numbers of a block, by seed, target WER and number of the block."""
        words, rows = len(block.tokens.ids), len(block)
        sizes = (words, words, words + rows, words + rows, rows)
        return cls(*(uniform_numbers(*key, draw, n) for draw, n in enumerate(sizes, 1)))

    @classmethod
    def of_rows(cls, block: TextBlock, keys: Keys) -> Draws:
        """Return the numbers of rows by their keys."""
        words = keys[block.row_of]
        positions = np.arange(len(words)) - block.offsets[:-1][block.row_of] + 1
        gaps, rows = np.concatenate([words, keys]), np.zeros(len(block), np.int64)
        gap_positions = np.concatenate([positions, rows])
        return cls(
            row_random_numbers(words, positions, DRAW_SUBSTITUTED),
            row_random_numbers(words, positions, DRAW_SUBSTITUTE),
            row_random_numbers(gaps, gap_positions, DRAW_INSERTED),
            row_random_numbers(gaps, gap_positions, DRAW_INSERTION),
            row_random_numbers(keys, rows, DRAW_DELETED),
        )


@dataclass(frozen=True)
class ListeningSampler:
    """A listener in the place of a `Sampler`: it draws regions, not words."""

    listener: Listener
    protection: Protection | None = None

    @property
    def mix(self) -> Mix:
        """What is drawn are stretches of words; the shares of the kinds are not set."""
        return Mix()

    def protected(self, protection: Protection | None) -> ListeningSampler:
        """Return the same listener with other protected words."""
        return replace(self, protection=protection)

    def corrupted(
        self, block: TextBlock, key: tuple[int, float, int], errors: int
    ) -> CorruptedBlock:
        """Return a block with this number of errors; `key` decides the random numbers."""
        return BlockListening(block, self, Draws.of_block(block, key)).run(errors)

    def row_noise(self, sample: TextBlock, keys: Keys, wer: float, seed: int) -> RowListening:
        """Return the noise that gives a sample of rows a word error rate."""
        return calibrated(self, sample, keys, wer, seed)

    def span_probabilities(self, corpus: SpannedCorpus, spans: Sequence[Span]) -> Floats:
        """Return the probability of what was heard in each real span."""
        return self.listener.span_probabilities(corpus.references, spans)

    @property
    def vocabulary(self) -> Sequence[str]:
        """All words that can be heard or are said."""
        return self.listener.lexicon.words

    @cached_property
    def spellings(self) -> CasedWords:
        """The words of the vocabulary as they are written into a text."""
        return CasedWords.of(self.listener.lexicon.words)

    @cached_property
    def substitution_weight(self) -> Floats:
        """1 for each word that can be misheard; the last one, of unknown words, is 0."""
        return np.append(self.listener.lexicon.pronounced.astype(np.float64), 0.0)

    @property
    def deletion_weight(self) -> Floats:
        """Misheard words may also be missed."""
        return self.substitution_weight

    @cached_property
    def _shapes(self) -> dict[str, tuple[int, int, int, int]]:
        return {}

    def shapes(self, tokens: list[str]) -> TokenShapes:
        """Return the shapes of tokens; the row of a token is the number of its word, or -1."""
        shapes, ids = self._shapes, self.listener.lexicon.ids
        for token in tokens:
            if token not in shapes:
                shape = word_shape(token)
                shapes[token] = (ids.get(shape.core, -1), shape.before, shape.size, shape.case)
        table = np.array([shapes[token] for token in tokens], np.int64)
        return TokenShapes(*table.reshape(-1, 4).T)

    def details(self, rows: Ints, ids: Ints) -> tuple[Floats, Floats, Floats]:
        """Probabilities and distances of single words are not known: words are heard together."""
        unknown = np.full(len(rows), np.nan)
        return unknown, unknown, unknown

    def insertion_probability(self, ids: Ints) -> Floats:
        """The probability of an inserted word is not known without its context."""
        return np.full(len(ids), np.nan)


@dataclass(eq=False)
class BlockListening:
    """One text block while words of it are misheard."""

    block: TextBlock
    sampler: ListeningSampler
    draws: Draws
    shapes: TokenShapes = field(init=False)
    answers: dict[tuple[int, int], Sequence_ | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.shapes = self.sampler.shapes(self.block.vocabulary)

    @property
    def listener(self) -> Listener:
        """The listener."""
        return self.sampler.listener

    @cached_property
    def ids(self) -> Ints:
        """The word id of each word, -1 for tokens without pronunciation."""
        rows: Ints = self.shapes.row[self.block.tokens.ids]
        pronounced = np.append(self.listener.lexicon.pronounced, False)
        return np.where(pronounced[rows], rows, -1)

    @cached_property
    def barred(self) -> Flags:
        """Words that cannot be misheard: without pronunciation, utterance ids, protected words."""
        barred: Flags = self.ids < 0
        if self.block.labelled:
            barred[self.block.offsets[:-1][self.block.has_words]] = True
        if self.sampler.protection is not None:
            barred |= self.sampler.protection.barred(self.block)
        return barred

    @cached_property
    def odds(self) -> Floats:
        """The log odds of each word, with the effect of its utterance."""
        weights = self.listener.learnt.places
        offsets = self.block.offsets
        words = self.listener.utterances(self.ids, offsets)
        odds: Floats = words.features() @ np.array([weights.get(name, 0.0) for name in FIXED])
        odds += weights["utterance"] * self._effects[self.block.row_of]
        odds += np.append(self.listener.deviation, 0.0)[self.ids]
        return odds

    @cached_property
    def _effects(self) -> Floats:
        return node_of(self.draws.row)

    @cached_property
    def thresholds(self) -> Floats:
        """The log odds above which each word is misheard."""
        return _logit(self.draws.misheard)

    @cached_property
    def _gap_margin(self) -> Floats:
        """The shift above which a word is inserted into each gap."""
        weights = self.listener.learnt.places
        rows = np.concatenate([self.block.row_of, np.arange(len(self.block))])
        odds = weights["constant"] + weights[INSERTION] + weights["utterance"] * self._effects[rows]
        margin: Floats = _logit(self.draws.gap) - odds
        size = len(self.ids)
        margin[size:][~self.block.has_words] = np.inf
        if self.block.labelled:
            margin[size:] = np.inf
        if self.sampler.protection is not None:
            margin[self.sampler.protection.barred_gaps(self.block)] = np.inf
        return margin

    def misheard(self, shift: float) -> Flags:
        """Return which words are misheard at a shift."""
        return draw_wrong(
            self.odds + shift, self.listener.learnt.places, self.thresholds, self.block.offsets,
            self.barred,
        )  # fmt: skip

    def gaps(self, shift: float, wrong: Flags) -> Ints:
        """Return the gaps with an insertion at a shift, not beside misheard words."""
        chosen = self._gap_margin < shift
        size = len(wrong)
        chosen[:size] &= ~wrong
        following = np.append(wrong[1:], False)
        following[self.block.offsets[1:][self.block.has_words] - 1] = False
        chosen[:size] &= ~following
        first = self.block.offsets[:-1][self.block.has_words]
        chosen[size:][self.block.has_words] &= ~wrong[first]
        return np.flatnonzero(chosen)

    def regions(self, wrong: Flags) -> list[tuple[int, int]]:
        """Return the runs of misheard words as places (start, stop); long ones are cut."""
        edges = np.zeros(len(wrong) + 1, bool)
        edges[self.block.offsets[:-1]] = True
        begins = np.flatnonzero(wrong & (edges[:-1] | ~np.roll(wrong, 1)))
        after = np.append(~wrong[1:], True) | edges[1:]
        after[-1:] = True
        stops = np.flatnonzero(wrong & after) + 1
        found = []
        for start, stop in zip(begins.tolist(), stops.tolist(), strict=True):
            parts = -(-(stop - start) // SAID_WORDS)
            cuts = [start + (stop - start) * part // parts for part in range(parts + 1)]
            found += list(pairwise(cuts))
        return found

    def answer(self, regions: Sequence[tuple[int, int]]) -> None:
        """Draw what is heard in regions that have no answer yet."""
        new = [region for region in regions if region not in self.answers]
        if not new:
            return
        described = [self._region(*region) for region in new]
        heard = self.listener.hear(described, self.draws.heard[[start for start, _ in new]])
        self.answers.update(zip(new, heard, strict=True))

    def _region(self, start: int, stop: int) -> Region:
        """Return a region with the words around it."""
        ngrams, row = self.listener.ngrams, self.block.row_of[start]
        low, high = int(self.block.offsets[row]) + self.block.labelled, self.block.offsets[row + 1]

        def word(at: int) -> int:
            if at < low:
                return ngrams.begin
            number = int(self.ids[at])
            return number if number >= 0 else ngrams.unknown

        after = word(stop) if stop < high else ngrams.end
        said = tuple(self.ids[start:stop].tolist())
        return Region(said, (word(start - 2), word(start - 1)), after)

    def errors(self, region: tuple[int, int]) -> int:
        """Return the number of errors of an answered region; 0 if nothing else can be heard."""
        heard = self.answers[region]
        return 0 if heard is None else max(region[1] - region[0], len(heard))

    def count(self, shift: float) -> int:
        """Return the number of errors at a shift, after drawing its regions."""
        wrong = self.misheard(shift)
        regions = self.regions(wrong)
        self.answer(regions)
        return sum(map(self.errors, regions)) + len(self.gaps(shift, wrong))

    def at(self, shift: float) -> CorruptedBlock:
        """Return the block with everything that is misheard at a shift."""
        wrong = self.misheard(shift)
        regions = self.regions(wrong)
        self.answer(regions)
        return self._written(regions, self.gaps(shift, wrong))

    def _written(self, regions: Sequence[tuple[int, int]], gaps: Ints) -> CorruptedBlock:
        """Return the block with the answers of regions and with insertions."""
        edits = self._edits(regions, gaps)
        text = write_rows(
            self.block, self.shapes, edits, np.arange(len(self.block)), self.sampler.spellings
        )
        return CorruptedBlock(edits, self._counts(edits), text)

    def _counts(self, edits: WordEdits) -> Ints:
        """Return hits, substitutions, insertions and deletions of each row."""
        counts = np.zeros((len(self.block), 4), np.int64)
        counts[:, 0] = self.block.counts
        changed = edits.before_rows >= 0
        changed[self.block.row_of[(edits.words != UNCHANGED) | (edits.after_words >= 0)]] = True
        rows = np.flatnonzero(changed)
        noisy = write_rows(self.block, self.shapes, edits, rows, self.sampler.spellings)
        counts[rows] = self.block.count_errors(rows, noisy)
        return counts

    def _edits(self, regions: Sequence[tuple[int, int]], gaps: Ints) -> WordEdits:
        edits = WordEdits.none(self.block)
        for region in regions:
            if (heard := self.answers[region]) is not None:
                write_region(edits, region, heard)
        if len(gaps):
            size = len(self.ids)
            around = np.array([self._around_gap(gap, size) for gap in gaps.tolist()], np.int32)
            edits.insertions[gaps] = self.listener.insert(around, self.draws.inserted[gaps])
        return edits

    def _around_gap(self, gap: int, size: int) -> tuple[int, int, int]:
        """Return two words before a gap and the word after it."""
        if gap >= size:
            start = int(self.block.offsets[gap - size])
            region = self._region(start, start)
        else:
            row = self.block.row_of[gap]
            last = gap + 1 == self.block.offsets[row + 1]
            inner = self._region(gap, gap + 1)
            word = inner.said[0] if inner.said[0] >= 0 else self.listener.ngrams.unknown
            after = self.listener.ngrams.end if last else inner.after
            return inner.before[1], word, after
        return *region.before, region.after

    def run(self, target: int) -> CorruptedBlock:
        """Mishear words until the alignment counts `target` errors, or no word is left."""
        if not target or not len(self.ids):
            return self._written([], np.zeros(0, np.int64))
        wrong, regions, gaps = self._approach(target)
        for number in range(ROUNDS):
            edits = self._edits(regions, gaps)
            counts = self._counts(edits)
            missing = target - int(counts[:, 1:].sum())
            if missing <= 0 or number == ROUNDS - 1:
                break
            added = self._single_words(wrong, missing)
            if not added:
                break
            regions = [*regions, *added]
            wrong[[start for start, _ in added]] = True
            gaps = gaps[self._still_free(gaps, wrong)]
        text = write_rows(
            self.block, self.shapes, edits, np.arange(len(self.block)), self.sampler.spellings
        )
        return CorruptedBlock(edits, counts, text)

    def _still_free(self, gaps: Ints, wrong: Flags) -> Flags:
        """Return which gaps are still not beside misheard words."""
        free = np.zeros(len(wrong) + len(self.block), bool)
        free[self.gaps(HIGHEST_SHIFT, wrong)] = True
        return free[gaps]

    def _approach(self, target: int) -> tuple[Flags, list[tuple[int, int]], Ints]:
        """Return what is misheard at the highest shift that has not more errors than wanted."""
        ratio, best = 1.0, LOWEST_SHIFT
        low, high = LOWEST_SHIFT, HIGHEST_SHIFT
        for _ in range(APPROACHES):
            shift = self.shift_for(BELOW * target / ratio, low, high)
            wrong = self.misheard(shift)
            found = self.count(shift)
            expected = self.planned(shift)
            if found <= target:
                best, low = shift, shift
                if found >= target - max(1, target // 100):
                    break
            else:
                high = shift
            ratio = found / max(expected, 1) or 1.0
        wrong = self.misheard(best)
        regions = self.regions(wrong)
        self.answer(regions)
        if self.count(best) > target:  # even the lowest shift has too many
            return np.zeros(len(wrong), bool), [], np.zeros(0, np.int64)
        return wrong, regions, self.gaps(best, wrong)

    def planned(self, shift: float) -> int:
        """Return how many words are misheard or inserted at a shift."""
        wrong = self.misheard(shift)
        return int(wrong.sum()) + len(self.gaps(shift, wrong))

    def shift_for(self, words: float, low: float, high: float) -> float:
        """Return the shift at which about so many words are misheard or inserted, by bisection."""
        for _ in range(BISECTIONS):
            shift = (low + high) / 2
            found = self.planned(shift)
            if found == round(words) or high - low < 1e-6:
                break
            low, high = (shift, high) if found < words else (low, shift)
        return (low + high) / 2

    def _single_words(self, wrong: Flags, missing: int) -> list[tuple[int, int]]:
        """Return single words with at most `missing` errors in all, the likeliest first.

        They are beside no misheard word, so that their errors add to the others.
        """
        size = len(wrong)
        beside = np.zeros(size + 2, bool)
        beside[1:-1] |= wrong
        beside[2:] |= wrong
        beside[:-2] |= wrong
        margin = np.where(beside[1:-1] | self.barred, np.inf, self.thresholds - self.odds)
        order = np.argsort(margin, kind="stable")
        order = order[np.isfinite(margin[order])][: 4 * missing + 64]
        if not len(order):  # only places beside misheard words are left
            margin = np.where(wrong | self.barred, np.inf, self.thresholds - self.odds)
            order = np.argsort(margin, kind="stable")
            order = order[np.isfinite(margin[order])][: 4 * missing + 64]
        self.answer([(at, at + 1) for at in order.tolist()])
        chosen: list[tuple[int, int]] = []
        taken: set[int] = set()
        for at in order.tolist():
            count = self.errors((at, at + 1))
            if count and count <= missing and not {at - 1, at, at + 1} & taken:
                chosen.append((at, at + 1))
                taken.add(at)
                missing -= count
            if not missing:
                break
        return chosen


@dataclass(frozen=True, slots=True, eq=False)
class RowListening:
    """Mishears words in rows at a shift; each row depends on its key alone."""

    sampler: ListeningSampler
    shift: float
    seed: int
    target_wer: float

    @property
    def rates(self) -> tuple[float, ...]:
        """The shift."""
        return (self.shift,)

    def draw(self, block: TextBlock, keys: Keys) -> CorruptedBlock:
        """Mishear words in the rows of a block, which have the given keys."""
        return self._listening(block, keys).at(self.shift)

    def _listening(self, block: TextBlock, keys: Keys) -> BlockListening:
        draws = Draws.of_rows(block, seeded_rows(keys, self.seed, self.target_wer))
        return BlockListening(block, self.sampler, draws)


def calibrated(
    sampler: ListeningSampler, sample: TextBlock, keys: Keys, wer: float, seed: int
) -> RowListening:
    """Return the noise whose word error rate on a sample of the rows is the target."""
    draws = Draws.of_rows(sample, seeded_rows(keys, seed, wer))
    listening = BlockListening(sample, sampler, draws)
    target = round(wer * int(sample.counts.sum()))
    if not target:
        return RowListening(sampler, -np.inf, seed, wer)
    low, high, ratio = LOWEST_SHIFT, HIGHEST_SHIFT, 1.0
    best, least = low, np.inf
    for _ in range(2 * APPROACHES):
        shift = listening.shift_for(target / ratio, low, high)
        found = listening.at(shift).errors
        if abs(found - target) < least:
            best, least = shift, abs(found - target)
        if least <= max(1, target // 1000):
            break
        low, high = (shift, high) if found < target else (low, shift)
        ratio = max(found / max(listening.planned(shift), 1), 0.1)
    words = int(sample.counts.sum())
    if least > max(TOLERANCE * words, 1):
        raise OptionError(
            f"a WER of {wer:g} cannot be reached: drawing comes to within "
            f"{least / words:.4f} of it",
            fix="ask for less",
        )
    return RowListening(sampler, best, seed, wer)


def write_region(edits: WordEdits, region: tuple[int, int], heard: Sequence_) -> None:
    """Write what is heard in a region: words one by one, then deletions or insertions.

    If more words are heard than were said, the first words have an insertion after them.
    """
    start, stop = region
    said, more = stop - start, len(heard) - (stop - start)
    if more <= 0:
        edits.words[start : start + len(heard)] = heard
        edits.words[start + len(heard) : stop] = DELETED
        return
    at = 0
    for place in range(said):
        edits.words[start + place] = heard[at]
        at += 1
        if place < more:
            edits.insertions[start + place] = heard[at]
            edits.inside[start + place] = True
            at += 1


def _logit(random: Floats) -> Floats:
    odds: Floats = np.log(random) - np.log1p(-random)
    return odds
