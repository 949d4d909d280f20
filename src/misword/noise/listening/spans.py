"""Error spans: stretches of reference words that a recogniser wrote as other words.

A span is a maximal run of errors in an alignment: n words were said, m words were heard. Spans of
`n` = 0 are insertions, spans of `m` = 0 deletions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from misword.core.types import Op
from misword.noise.aligned_corpus import AlignedCorpus
from misword.noise.arrays import Ints

Words = tuple[str, ...]


class Span(NamedTuple):
    """An error span: its utterance, the place of its first word, and the words of both sides."""

    utterance: int
    start: int
    said: Words
    heard: Words


@dataclass(frozen=True, slots=True, eq=False)
class SpannedCorpus:
    """The references of utterances as words, and their error spans in order.

    `sentence` has the number of the distinct reference of each utterance. `alternatives` has the
    spans of hypotheses of lower ranks, for learning only.
    """

    references: list[Words]
    hypotheses: list[Words]
    sentence: Ints
    spans: list[Span]
    alternatives: list[Span]

    @classmethod
    def of(cls, corpus: AlignedCorpus) -> SpannedCorpus:
        """Find the spans of an aligned corpus; spans of lower ranks are counted once."""
        first = corpus.best()
        references, hypotheses, spans, numbers = _read(first)
        further: list[Span] = []
        if len(first.operations) < len(corpus.operations):
            place_of = {int(corpus.item[number]): place for place, number in enumerate(numbers)}
            known = set(spans)
            *_, lower, owners = _read(corpus.select(corpus.rank > 1))
            for span in lower:
                place = place_of.get(int(corpus.item[owners[span.utterance]]))
                if place is not None and (moved := span._replace(utterance=place)) not in known:
                    known.add(moved)
                    further.append(moved)
        sentence = corpus.sentence[np.array(numbers, np.int64)]
        return cls(references, hypotheses, sentence, spans, further)

    def select(self, chosen: Sequence[bool]) -> SpannedCorpus:
        """Return the utterances whose flag is set."""
        places = np.cumsum(chosen) - 1

        def kept(spans: list[Span]) -> list[Span]:
            return [
                span._replace(utterance=int(places[span.utterance]))
                for span in spans
                if chosen[span.utterance]
            ]

        flags = np.array(chosen, bool)
        return SpannedCorpus(
            [words for words, flag in zip(self.references, chosen, strict=True) if flag],
            [words for words, flag in zip(self.hypotheses, chosen, strict=True) if flag],
            self.sentence[flags],
            kept(self.spans),
            kept(self.alternatives),
        )


def _read(corpus: AlignedCorpus) -> tuple[list[Words], list[Words], list[Span], list[int]]:
    """Return references, hypotheses and spans of all utterances, and the utterances' numbers."""
    vocabulary = corpus.vocabulary
    edges = np.flatnonzero(np.diff(corpus.utterance, prepend=-1, append=-2))
    references, hypotheses, spans, numbers = [], [], [], []
    steps = [column.tolist() for column in (corpus.operations, corpus.reference, corpus.hypothesis)]
    for place, (start, end) in enumerate(pairwise(edges.tolist())):
        numbers.append(int(corpus.utterance[start]))
        said: list[str] = []
        heard: list[str] = []
        opened: tuple[int, int] | None = None
        for operation, ref, hyp in zip(*(column[start:end] for column in steps), strict=True):
            if operation == Op.HIT:
                if opened is not None:
                    spans.append(_span(place, opened, said, heard))
                    opened = None
            elif opened is None:
                opened = len(said), len(heard)
            if ref >= 0:
                said.append(vocabulary[ref])
            if hyp >= 0:
                heard.append(vocabulary[hyp])
        if opened is not None:
            spans.append(_span(place, opened, said, heard))
        references.append(tuple(said))
        hypotheses.append(tuple(heard))
    return references, hypotheses, spans, numbers


def _span(utterance: int, opened: tuple[int, int], said: list[str], heard: list[str]) -> Span:
    return Span(utterance, opened[0], tuple(said[opened[0] :]), tuple(heard[opened[1] :]))
