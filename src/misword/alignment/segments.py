"""Where a hypothesis of a whole recording is cut, so that each segment of the reference has a part.

The recording is aligned once. The part of a segment has the words of the hypothesis that are
aligned with its words. For every cut along an alignment with the fewest errors, the errors of the
parts add up to those of the recording: they cannot be fewer, since the alignments of the parts, one
after the other, are an alignment of the recording.

Often several cuts are equally good. Between two hits all words are errors; if the segment on the
left of a border has k words there and gets h words of the hypothesis, it has max(k, h) errors, and
the segment on the right likewise. Every cut is allowed that does not raise the sum. Of these,
`_best` takes

1. by the times of both sides, the cut with the least distance of the words from their segments;
2. by the times of the hypothesis alone, the cut at the longest silence;
3. without times, the first one: the words that may stand on either side go to the right.

Of inserted and substituted words of a recogniser, most belong to the right (`bench/segments.py`).
For translations the cut of the alignment itself is better, which pairs the last of these words
(`on_path`).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import isnan
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.core.types import Op

Integers = NDArray[np.int64]


class Times(NamedTuple):
    """Begins and ends of the words of a hypothesis, or of segments, in seconds.

    They are nan where they are not known.
    """

    begin: NDArray[np.float64]
    end: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class AlignedRecording:
    """The alignment of a recording: its operations, and how many words each takes on both sides.

    A forgiven block is one hit, which may take several words of a side, or none.
    """

    ops: NDArray[np.uint8]
    reference_words: Integers
    hypothesis_words: Integers

    @classmethod
    def of(cls, ops: NDArray[np.uint8]) -> AlignedRecording:
        """Return an alignment without forgiven blocks.

        >>> AlignedRecording.of(np.array([0, 2, 3], np.uint8)).hypothesis_words.tolist()
        [1, 1, 0]
        """
        heard = (ops != Op.DELETION).astype(np.int64)
        return cls(ops, (ops != Op.INSERTION).astype(np.int64), heard)


def cut_hypothesis(
    aligned: AlignedRecording,
    borders: Integers,
    words: Times | None = None,
    segments: Times | None = None,
    *,
    on_path: bool = False,
) -> Integers:
    """Return for each border between two segments its place in the hypothesis.

    Segment `s` of the reference ends before its word `borders[s]`, where the next one begins.
    `words` are the times of the hypothesis, `segments` those of all segments: one more than there
    are borders. No forgiven block may have words of two segments. With `on_path`, the cut is where
    the alignment has the border, if there are no times.

    >>> path = np.array([Op.HIT, Op.INSERTION, Op.HIT], np.uint8)
    >>> cut_hypothesis(AlignedRecording.of(path), np.array([1])).tolist()
    [1]
    >>> silence = Times(np.array([0.0, 0.4, 2.0]), np.array([0.3, 0.8, 2.5]))
    >>> cut_hypothesis(AlignedRecording.of(path), np.array([1]), silence).tolist()
    [2]
    """
    said = np.concatenate([[0], np.cumsum(aligned.reference_words)])
    heard = np.concatenate([[0], np.cumsum(aligned.hypothesis_words)])
    # The operations at which the number of reference words is that of the border.
    first = np.searchsorted(said, borders, "left")
    last = np.maximum(np.searchsorted(said, borders, "right") - 1, first)
    # The errors around the border, between two hits: operations `start` to `stop` - 1.
    hits = np.concatenate([[-1], np.flatnonzero(aligned.ops == Op.HIT), [len(aligned.ops)]])
    number = np.searchsorted(hits, first)
    start, stop = hits[number - 1] + 1, hits[number]
    table = np.stack(
        [borders, heard[first], last, stop, said[start], heard[start], said[stop],
         heard[stop]], axis=1,
    )  # fmt: skip
    times = _WordTimes.of(words, segments)
    place, before, cuts = 0, 0, []
    for at, row in enumerate(table.tolist()):
        border, usual, last_op, stop_op, ref_at, hyp_at, ref_end, hyp_end = row
        if before >= ref_at and place >= hyp_at:
            ref_at, hyp_at = before, place
        left, right = border - ref_at, ref_end - border
        if hyp_end - hyp_at >= ref_end - ref_at:  # substitutions and insertions
            least, most = hyp_at + left, hyp_end - right
        else:  # substitutions and deletions
            least, most = max(hyp_at, hyp_end - right), min(hyp_at + left, hyp_end)
        allowed = list(range(max(least, place), max(most, place) + 1))
        if last_op > stop_op:  # after hits without reference words: forgiven insertions
            allowed += [at for at in heard[stop_op + 1 : last_op + 1].tolist() if at > allowed[-1]]
        usual = usual if on_path and usual in allowed else allowed[0]
        place = _best(allowed, usual, at, times) if len(allowed) > 1 else allowed[0]
        before = border
        cuts.append(place)
    return np.array(cuts, np.int64)


@dataclass(frozen=True, slots=True)
class _WordTimes:
    """Times as lists, for reading of single words."""

    begin: list[float]
    end: list[float]
    segments: list[tuple[float, float]]

    @classmethod
    def of(cls, words: Times | None, segments: Times | None) -> _WordTimes | None:
        """Return the times of words; None if there are none."""
        if words is None:
            return None
        spans = [] if segments is None else zip(*(side.tolist() for side in segments), strict=True)
        return cls(words.begin.tolist(), words.end.tolist(), list(spans))

    def distance(self, word: int, segment: int) -> float:
        """Return the time between the middle of a word and a segment; 0 within it."""
        begin, end = self.segments[segment]
        middle = (self.begin[word] + self.end[word]) / 2
        return max(begin - middle, middle - end, 0.0)

    def silence(self, place: int) -> float:
        """Return the time between the word before a place and the word after it."""
        if not 0 < place < len(self.begin):
            return 0.0
        return self.begin[place] - self.end[place - 1]


def _best(allowed: list[int], usual: int, border: int, times: _WordTimes | None) -> int:
    """Return the best of the allowed places; `usual` is that without times."""
    if times is None:
        return usual
    costs = [0.0] * len(allowed)
    if times.segments:
        inside = range(allowed[0], allowed[-1])
        changes = {
            word: times.distance(word, border) - times.distance(word, border + 1) for word in inside
        }
        for at, (place, following) in enumerate(pairwise(allowed), start=1):
            costs[at] = costs[at - 1] + sum(changes[word] for word in range(place, following))
        if any(map(isnan, costs)):
            costs = [0.0] * len(allowed)
    least = min(costs)
    best = [place for place, cost in zip(allowed, costs, strict=True) if cost <= least + 1e-9]
    silences = [times.silence(place) for place in best]
    if any(map(isnan, silences)):
        return usual if usual in best else best[0]
    longest = max(silences)
    return next(p for p, silence in zip(best, silences, strict=True) if silence >= longest - 1e-9)
