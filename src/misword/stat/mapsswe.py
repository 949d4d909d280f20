"""The matched-pairs sentence-segment word error test: do two systems make as many word errors?

Utterances are cut where both systems got at least two words in a row right: errors before and after
such a stretch are taken to be independent, as a recogniser's language model looks back a word or
two. Each stretch in between with an error of either system is a segment. The test asks whether the
errors of the two systems differ in the mean over segments.

The rule is NIST's, as `sc_stats` has it (SCTK, src/sclite/mtchprs.c and statdist.c): a segment ends
with the second of two successive words that both systems have right, or with the utterance; an
insertion by either system between the two breaks them up; the variance divides by n - 1; z is
compared with the normal distribution. Where `sc_stats` differs:

- It stops with the first system's alignment and so overlooks what the second one inserts after the
  last word. Here all insertions count, and swapping the systems only turns the sign.
- Where all segments differ by the same number, it sets z to 0, "no difference". Here z and p are
  undefined (nan), as they are for a single segment, unless that number is 0.
- References with alternatives may be read differently for the two systems. It tries to bring them
  in step again; here, if the readings differ in length, the utterance is one segment.

Known problems: segments of one speaker are not independent, and none of this sees that; the block
bootstrap (`stat.paired`) does. With few segments the normal distribution is too narrow.

References: L. Gillick, S. Cox, Some statistical issues in the comparison of speech recognition
algorithms, ICASSP 1989; D. Pallett, W. Fisher, J. Fiscus, Tools for the analysis of benchmark
speech recognition tests, ICASSP 1990; https://github.com/usnistgov/SCTK
"""

from __future__ import annotations

from dataclasses import dataclass
from math import erfc, nan, sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.core.types import Op

if TYPE_CHECKING:
    import polars as pl

# Words in a row that both systems must have right to part two segments.
GOOD = 2


class Errors(NamedTuple):
    """What a system did at each place of its alignments, in order.

    `utterance` is the number of the utterance, from 0 and never falling; `kinds` are `Op`s. An
    alignment's operations are just that: `Errors(np.repeat(rows, counts.sum(axis=1)), ops)`.
    """

    utterance: NDArray[np.int64]
    kinds: NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Test:
    """What the test found; `mean` is of the system's errors less the baseline's, per segment."""

    segments: int
    mean: float
    deviation: float
    z: float
    p: float


def mapsswe(baseline: Errors, system: Errors) -> Test:
    """Test two systems' word errors on the same utterances; two-sided.

    Systems that have as many errors in every segment have p = 1.

    >>> hit, wrong = Op.HIT, Op.SUBSTITUTION
    >>> one = Errors(np.zeros(7, np.int64), np.array([wrong, hit, hit, wrong, wrong, hit, hit]))
    >>> two = Errors(np.zeros(7, np.int64), np.array([hit, hit, hit, wrong, hit, hit, wrong]))
    >>> segments(one, two).tolist()  # one good word does not part the last two errors
    [[1, 0], [2, 2]]
    >>> mapsswe(one, two).mean
    -0.5
    """
    errors = segments(baseline, system)
    differences = errors[:, 1] - errors[:, 0]
    size = len(differences)
    if not differences.any():
        return Test(size, 0.0, 0.0, 0.0, 1.0)
    mean = float(differences.mean())
    deviation = float(differences.std(ddof=1)) if size > 1 else nan
    if not deviation > 0:
        return Test(size, mean, deviation, nan, nan)
    z = mean / (deviation / sqrt(size))
    return Test(size, mean, deviation, z, erfc(abs(z) / sqrt(2)))


def segments(baseline: Errors, system: Errors) -> NDArray[np.int64]:
    """Errors of the baseline and of the system in each segment."""
    sides = (baseline, system)
    size = 1 + max((int(side.utterance[-1]) for side in sides if len(side.utterance)), default=-1)
    words = np.stack([_reference_words(side, size) for side in sides])
    whole = words[0] != words[1]
    # Each utterance has a row of slots: a gap, a word, a gap, a word, ..., a gap. Only those with
    # errors matter, and how many words lie between them.
    starts = np.concatenate([[0], np.cumsum(2 * words.max(axis=0) + 2)])
    found = [_slots(side, n, starts, whole) for side, n in zip(sides, words, strict=True)]
    slots, owners = (np.concatenate(part) for part in zip(*found, strict=True))
    if not len(slots):
        return np.zeros((0, 2), np.int64)
    order = np.argsort(slots, kind="stable")
    slots, owners, whose = slots[order], owners[order], order >= len(found[0][0])
    good = slots[1:] // 2 - (slots[:-1] + 1) // 2  # words between: odd slots, rows start evenly
    parted = (good >= GOOD) | (owners[1:] != owners[:-1])
    segment = np.concatenate([[0], np.cumsum(parted)])
    return np.bincount(2 * segment + whose, minlength=2 * int(segment[-1] + 1)).reshape(-1, 2)


def from_words(words: pl.DataFrame, baseline: str, system: str) -> tuple[Errors, Errors]:
    """What `mapsswe` wants, of two systems in a table of words (`scores.words()`).

    >>> import misword
    >>> said = {"a": ["the cat sat", "on a mat"], "b": ["the cat sat", "on the mat"]}
    >>> scores = misword.score(["the bat sat", "on a mat"], said, "wer")
    >>> segments(*from_words(scores.words(), "a", "b")).tolist()
    [[1, 1], [0, 1]]
    """
    import polars as pl

    parts = [words.filter(pl.col("system") == name) for name in (baseline, system)]
    runs = [part["utt"].rle().struct.unnest() for part in parts]  # few, where rows are many
    numbers = pl.concat([run.select("value") for run in runs]).unique(maintain_order=True)
    numbers = numbers.with_row_index("number")
    kinds = pl.Enum([op.name.lower() for op in Op])
    found = []
    for part, run in zip(parts, runs, strict=True):
        numbered = run.join(numbers, on="value", maintain_order="left")
        utterance = np.repeat(numbered["number"].to_numpy().astype(np.int64), numbered["len"])
        done = part["kind"].cast(kinds).to_physical().to_numpy().astype(np.uint8)
        order = np.argsort(utterance, kind="stable")  # systems may be in orders of their own
        found.append(Errors(utterance[order], done[order]))
    return found[0], found[1]


def _reference_words(side: Errors, size: int) -> NDArray[np.int64]:
    """How many words each reference has."""
    return np.bincount(side.utterance[side.kinds != Op.INSERTION], minlength=size)


def _slots(
    side: Errors, words: NDArray[np.int64], starts: NDArray[np.int64], whole: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where each error is, and its utterance; those of an utterance to keep whole at one place."""
    there = side.kinds != Op.INSERTION
    wrong = np.flatnonzero(side.kinds != Op.HIT)
    owners = side.utterance[wrong]
    before = np.concatenate([[0], np.cumsum(words)])
    place = (
        np.cumsum(there)[wrong] - there[wrong] - before[owners]
    )  # words before, in its utterance
    inside = np.where(whole[owners], 0, 2 * place + there[wrong])
    return starts[owners] + inside, owners
