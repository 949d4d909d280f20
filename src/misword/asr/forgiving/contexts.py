"""The texts in which families read words, where these are not the rows that are compared.

A family reads `twenty five hundred` as one number, and nothing ends within a number. Where the
hypothesis of a recording was cut, the words on both sides of the cut are still one text of the
recogniser; where the segments of a reference are joined, two speakers do not say one number
together. So references are read by segment and hypotheses by recording, whether segments or
recordings are scored. What is forgiven is then the same in both cases, as far as it is within one
segment, and the errors of segments add up to those of recordings.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from misword.asr.compared_texts import WordsAsWritten
from misword.asr.forgiving.spans import KeyedSpans, SideSpans
from misword.core.types import Offsets, Sides, Tokens, join_ranges

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class JoinedSegments:
    """The segments that the rows of a corpus of recordings consist of.

    Row `r` has the segments `first[r]` to `first[r + 1] - 1`; `written` and `normal` are the places
    at which segments begin in all words before and after normalisation.
    """

    first: Offsets
    written: Offsets
    normal: Offsets


@dataclass(frozen=True, slots=True, eq=False)
class Contexts:
    """Where families read: the segments of joined references, the recordings of cut hypotheses.

    `segments` is None if the rows of references are read as they are. `recordings` has the first
    row of the hypotheses of each recording and system, and is None if they are read as they are.
    """

    segments: JoinedSegments | None = None
    recordings: Numbers | None = None

    def written(self, words: WordsAsWritten) -> WordsAsWritten:
        """Return words before normalisation, divided into the texts that families read."""
        if words.places is None:
            return WordsAsWritten(self.normal(words.sides))
        offsets = None if self.segments is None else self.segments.written
        return WordsAsWritten(self._divided(words.sides, offsets), words.places)

    def normal(self, words: Sides) -> Sides:
        """Return words after normalisation, divided into the texts that families read."""
        return self._divided(words, None if self.segments is None else self.segments.normal)

    def _divided(self, words: Sides, segments: Offsets | None) -> Sides:
        reference, hypothesis = words
        if segments is not None:
            reference = Tokens(reference.ids, segments, reference.vocabulary)
        if self.recordings is not None:
            # The last row of hypotheses is an empty text.
            rows = np.append(self.recordings, [len(hypothesis) - 1, len(hypothesis)])
            offsets = hypothesis.offsets[rows]
            hypothesis = Tokens(hypothesis.ids, offsets, hypothesis.vocabulary)
        return reference, hypothesis

    def compared(self, pairs: Numbers) -> Numbers:
        """Return the pairs of texts that families read for pairs of rows."""
        references, hypotheses = pairs.T
        if self.recordings is not None:
            hypotheses = np.searchsorted(self.recordings, hypotheses, "right") - 1
        if self.segments is not None:
            counts = np.diff(self.segments.first)[references]
            hypotheses = np.repeat(hypotheses, counts)
            references = join_ranges(self.segments.first[references], counts)
        return np.stack([references, hypotheses], axis=1)

    def by_row(self, spans: SideSpans, words: Sides) -> SideSpans:
        """Return spans with positions in the rows of `words`, without those beyond their row."""
        texts = self.normal(words)
        references, hypotheses = map(_in_rows, spans, texts, words)
        return references, hypotheses


def _in_rows(spans: KeyedSpans, texts: Tokens, words: Tokens) -> KeyedSpans:
    """Return the spans of `texts` that are within one row of `words`, which are the same words."""
    if texts is words:
        return spans
    start, end = (texts.offsets[spans.row] + at for at in (spans.start, spans.end))
    row = np.searchsorted(words.offsets, start, "right") - 1
    moved = KeyedSpans(row, start - words.offsets[row], end - words.offsets[row], spans.key)
    return moved.take(end <= words.offsets[row + 1])
