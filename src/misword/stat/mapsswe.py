"""MAPSSWE, the matched-pairs sentence-segment word error test of two systems.

Utterances are cut where both systems recognised at least two successive words correctly. Operations
before and after such a stretch are assumed to be independent, since the language model of a
recogniser looks back a word or two. Each part between two cuts that contains an error of either
system is a segment. The test compares the mean number of errors per segment of the two systems.

The statistic z follows the rules of NIST's `sc_stats`. It is the mean difference divided by its
standard error, for independent segments, and Gillick and Cox compare it with the normal
distribution. That is right for many independent segments. But a system that fails in a part of an
utterance often fails in other parts of it too. Then more than 5 % of the comparisons of equally
good systems have p < 0.05, however many segments there are: up to 9 % in simulations. The p-value
therefore differs from that of `sc_stats` in two points:

- The standard error is that of independent utterances, if at least `UTTERANCES` utterances have
  segments: the differences of each utterance are added up before they are squared. With fewer
  utterances, such as a few long recordings, the segments are taken as independent.
- The distribution is Student's t. Its degrees of freedom are the number of these utterances, or
  segments, minus 1.

`SegmentTest.p_nist` is the p-value of `sc_stats`, for comparison with its reports.

`python tools/simulate_intervals.py` measures how often equally good systems have p < 0.05.

The rules for z are those of `sc_stats` (SCTK, src/sclite/mtchprs.c and statdist.c): a segment ends
with the second of two successive words that both systems have right, or with the utterance; an
insertion by either system between the two words separates them; the variance divides by n - 1.
Differences from `sc_stats`:

- `sc_stats` stops at the end of the first system's alignment and so ignores what the second system
  inserts after the last word. Here all insertions count, and swapping the systems only changes the
  sign.
- Where all segments differ by the same number, `sc_stats` sets z to 0, "no difference". Here z and
  p are undefined (nan), as they are for a single segment, unless that number is 0.
- A reference with alternatives may have different readings for the two systems. `sc_stats` tries to
  match the two readings; here, if the readings differ in length, the utterance is one segment.

Each reference word of a forgiven difference of writing is a correct word. What a system inserts and
is forgiven, such as a filler, is no error and stands in no segment.

Known problems: utterances of one speaker are not independent, and the test does not account for
that; tests over blocks (`stat.paired`) do. With fewer than `FEW_SEGMENTS` segments p is rough.

References: L. Gillick, S. Cox, Some statistical issues in the comparison of speech recognition
algorithms, ICASSP 1989; D. Pallett, W. Fisher, J. Fiscus, Tools for the analysis of benchmark
speech recognition tests, ICASSP 1990; https://github.com/usnistgov/SCTK
"""

from __future__ import annotations

from dataclasses import dataclass
from math import erfc, nan, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.core.lazy import pl
from misword.core.types import Op, offsets_of
from misword.stat.score_tables import reference_sizes
from misword.stat.student_t import two_sided_p

# Successive words that both systems must have right to separate two segments.
SEPARATING_WORDS = 2
# From this many utterances with segments on, utterances are taken as independent, not segments.
UTTERANCES = 10
# With fewer segments, the distribution of the statistic is not near that of Student's t.
FEW_SEGMENTS = 20


class Operations(NamedTuple):
    """The operations of a system's alignments, in order.

    `utterance` has the number of the utterance of each operation, from 0, in ascending order;
    `kinds` has the operations (`Op`). From an alignment:
    `Operations(np.repeat(rows, counts.sum(axis=1)), ops)`.
    """

    utterance: NDArray[np.int64]
    kinds: NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class SegmentTest:
    """The result of the test; `mean` is the system's errors minus the baseline's, per segment."""

    segments: int
    mean: float
    deviation: float
    z: float
    p: float

    @property
    def p_nist(self) -> float:
        """The p-value that `sc_stats` prints: that of z by the normal distribution, two-sided."""
        return erfc(abs(self.z) / sqrt(2))


class SegmentSums(NamedTuple):
    """Sums from which the test is computed: whole numbers, which add up over utterances.

    `d` is the difference of the errors of a segment, the system's minus the baseline's; `D` is the
    sum of the differences of an utterance, and `n` the number of its segments.

    Attributes:
        segments: the number of segments.
        difference: the sum of `d`.
        squares: the sum of `d` squared.
        utterances: the number of utterances that have segments.
        utterance_squares: the sum of `D` squared.
        products: the sum of `D * n`.
        size_squares: the sum of `n` squared.
    """

    segments: int = 0
    difference: int = 0
    squares: int = 0
    utterances: int = 0
    utterance_squares: int = 0
    products: int = 0
    size_squares: int = 0

    @classmethod
    def of(cls, baseline: Operations, system: Operations) -> SegmentSums:
        """Add up the segments of two systems on the same utterances."""
        errors, owners = _segments(baseline, system)
        differences = errors[:, 1] - errors[:, 0]
        _, unit, sizes = np.unique(owners, return_inverse=True, return_counts=True)
        by_utterance = np.zeros(len(sizes), np.int64)
        np.add.at(by_utterance, unit, differences)
        return cls(
            len(differences),
            int(differences.sum()),
            int(differences @ differences),
            len(sizes),
            int(by_utterance @ by_utterance),
            int(by_utterance @ sizes),
            int(sizes @ sizes),
        )

    def test(self) -> SegmentTest:
        """Return the result of the test; z and p are nan if they are undefined."""
        n, total = self.segments, self.difference
        if not self.squares:
            return SegmentTest(n, 0.0, 0.0, 0.0, 1.0)
        mean = total / n
        spread = n * self.squares - total**2  # n (n - 1) times the variance
        deviation = sqrt(spread / (n * (n - 1))) if n > 1 else nan
        if not deviation > 0:
            return SegmentTest(n, mean, deviation, nan, nan)
        return SegmentTest(n, mean, deviation, mean / (deviation / sqrt(n)), self._p_value())

    def _p_value(self) -> float:
        """Return the p-value of the difference of independent utterances, or of segments."""
        n, total, units = self.segments, self.difference, self.utterances
        if units < UTTERANCES:
            units = n
            variance = (n * self.squares - total**2) / (n - 1)
        else:
            squares = n**2 * self.utterance_squares + total**2 * self.size_squares
            deviations = squares - 2 * n * total * self.products
            variance = units * deviations / ((units - 1) * n**2)
        return two_sided_p(total / sqrt(variance), units - 1) if variance > 0 else nan


def mapsswe(baseline: Operations, system: Operations) -> SegmentTest:
    """Test two systems' word errors on the same utterances; two-sided.

    Systems that have the same number of errors in every segment have p = 1.

    >>> hit, wrong = Op.HIT, Op.SUBSTITUTION
    >>> one = Operations(np.zeros(7, np.int64), np.array([wrong, hit, hit, wrong, wrong, hit, hit]))
    >>> two = Operations(np.zeros(7, np.int64), np.array([hit, hit, hit, wrong, hit, hit, wrong]))
    >>> segments(one, two).tolist()  # one correct word does not separate the last two errors
    [[1, 0], [2, 2]]
    >>> mapsswe(one, two).mean
    -0.5
    """
    return SegmentSums.of(baseline, system).test()


def segments(baseline: Operations, system: Operations) -> NDArray[np.int64]:
    """Count the errors of the baseline and of the system in each segment."""
    return _segments(baseline, system)[0]


def _segments(
    baseline: Operations, system: Operations
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the errors of both systems in each segment, and the utterance of each segment."""
    sides = (baseline, system)
    size = 1 + max((int(side.utterance[-1]) for side in sides if len(side.utterance)), default=-1)
    words = np.stack([_reference_words(side, size) for side in sides])
    whole = words[0] != words[1]
    # Each utterance has a row of slots: a gap, a word, a gap, a word, ..., a gap. Only the slots
    # with errors matter, and the number of words between them.
    starts = offsets_of(2 * words.max(axis=0) + 2)
    errors = [_slots(side, n, starts, whole) for side, n in zip(sides, words, strict=True)]
    slots, owners = (np.concatenate(part) for part in zip(*errors, strict=True))
    if not len(slots):
        return np.zeros((0, 2), np.int64), np.zeros(0, np.int64)
    order = np.argsort(slots, kind="stable")
    slots, owners = slots[order], owners[order]
    of_system = order >= len(errors[0][0])
    # Words are the odd slots, and each utterance starts at an even slot.
    words_between = slots[1:] // 2 - (slots[:-1] + 1) // 2
    separated = (words_between >= SEPARATING_WORDS) | (owners[1:] != owners[:-1])
    segment = np.concatenate([[0], np.cumsum(separated)])
    counts = np.bincount(2 * segment + of_system, minlength=2 * int(segment[-1] + 1))
    return counts.reshape(-1, 2), owners[np.concatenate([[True], separated])]


def from_words(words: pl.DataFrame, baseline: str, system: str) -> tuple[Operations, Operations]:
    """Extract the arguments of `mapsswe` for two systems from a table of words (`scores.words()`).

    >>> import misword
    >>> hypotheses = {"a": ["the cat sat", "on a mat"], "b": ["the cat sat", "on the mat"]}
    >>> scores = misword.score(["the bat sat", "on a mat"], hypotheses, "wer")
    >>> segments(*from_words(scores.words(), "a", "b")).tolist()
    [[1, 1], [0, 1]]
    """
    parts = [words.filter(pl.col("system") == name) for name in (baseline, system)]
    runs = [part["utt"].rle().struct.unnest() for part in parts]  # far fewer than rows
    numbers = pl.concat([run.select("value") for run in runs]).unique(maintain_order=True)
    numbers = numbers.with_row_index("number")
    kinds = pl.Enum([op.name.lower() for op in Op])
    sides = []
    for part, run in zip(parts, runs, strict=True):
        numbered = run.join(numbers, on="value", maintain_order="left")
        utterance = np.repeat(numbered["number"].to_numpy().astype(np.int64), numbered["len"])
        operations = part["kind"].cast(kinds).to_physical().to_numpy().astype(np.uint8)
        # The words of a forgiven block are right: they separate segments as other words do.
        sizes = reference_sizes(part)
        utterance, operations = np.repeat(utterance, sizes), np.repeat(operations, sizes)
        order = np.argsort(utterance, kind="stable")  # systems may differ in their order
        sides.append(Operations(utterance[order], operations[order]))
    return sides[0], sides[1]


def _reference_words(side: Operations, size: int) -> NDArray[np.int64]:
    """Count the words of each reference."""
    return np.bincount(side.utterance[side.kinds != Op.INSERTION], minlength=size)


def _slots(
    side: Operations, words: NDArray[np.int64], starts: NDArray[np.int64], whole: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the slot and the utterance of each error.

    All errors of an utterance in `whole` are in one slot, so that it becomes one segment.
    """
    is_word = side.kinds != Op.INSERTION
    wrong = np.flatnonzero(side.kinds != Op.HIT)
    owners = side.utterance[wrong]
    before = offsets_of(words)
    words_before = np.cumsum(is_word)[wrong] - is_word[wrong] - before[owners]
    inside = np.where(whole[owners], 0, 2 * words_before + is_word[wrong])
    return starts[owners] + inside, owners
