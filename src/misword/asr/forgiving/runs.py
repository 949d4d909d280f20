"""Runs of words, and the spans of them that a family can read; each distinct run is read once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.asr.forgiving.keys import KeyedSpans, Keys, SideSpans
from misword.asr.forgiving.sequences import Sequences
from misword.core.types import Sides, Tokens, join_ranges
from misword.text.writing import BETWEEN, MAKES_RUN, Family, Phrase

Numbers = NDArray[np.int64]


class Runs(NamedTuple):
    """Runs of words: the row of each, its first word among those of all rows, and its size."""

    row: Numbers
    start: Numbers
    size: Numbers


def run_spans(
    sides: Sides,
    family: Family,
    number: int,
    lang: str,
    keys: Keys,
    compared: Numbers,
) -> SideSpans:
    """Return the spans of a family's runs; `compared` are the pairs of rows that are compared.

    Only rows that are compared with a row that has a run too are read.
    """
    vocabulary = sides[0].vocabulary[:]
    flags = family.run_words(vocabulary, lang)
    if flags is None:
        return KeyedSpans.of(()), KeyedSpans.of(())
    kinds = np.asarray(flags, np.uint8)
    runs = _in_both([find_runs(side, kinds) for side in sides], sides, compared)
    sequences = Sequences()
    of_run = [
        sequences.add(side.ids, found.start, found.start + found.size)
        for side, found in zip(sides, runs, strict=True)
    ]
    phrases = (tuple(vocabulary[word] for word in ids) for ids in sequences)
    table = ReadingTable.of(phrases, family, number, lang, keys)
    reference, hypothesis = map(table.spans, sides, runs, of_run)
    return reference, hypothesis


def _in_both(runs: list[Runs], sides: Sides, compared: Numbers) -> list[Runs]:
    """Return the runs of rows that are compared with a row that has a run too."""
    pairs = compared
    for found, tokens, rows in zip(runs, sides, compared.T, strict=True):
        has_run = np.zeros(len(tokens), np.bool_)
        has_run[found.row] = True
        pairs = pairs[has_run[rows]] if pairs is compared else pairs[has_run[pairs[:, 1]]]
    chosen = []
    for found, tokens, rows in zip(runs, sides, pairs.T, strict=True):
        wanted = np.zeros(len(tokens), np.bool_)
        wanted[rows] = True
        chosen.append(Runs(*(column[wanted[found.row]] for column in found)))
    return chosen


def find_runs(tokens: Tokens, kinds: NDArray[np.uint8]) -> Runs:
    """Find the runs of all rows; `kinds` are those of the words, as `Family.run_words` says."""
    of_token = kinds[tokens.ids]
    places = np.flatnonzero(of_token)
    if not len(places):
        return Runs(places, places, places)
    first_of_row = np.zeros(len(of_token) + 1, np.bool_)
    first_of_row[tokens.offsets] = True
    begins = np.r_[True, (np.diff(places) != 1) | first_of_row[places[1:]]]
    first = np.flatnonzero(begins)
    makes_run = np.maximum.reduceat(of_token[places] == MAKES_RUN, first)
    between = of_token[places] == BETWEEN
    start = np.minimum.reduceat(np.where(between, len(of_token), places), first)[makes_run]
    last = np.maximum.reduceat(np.where(between, -1, places), first)[makes_run]
    row = np.searchsorted(tokens.offsets, start, side="right") - 1
    return Runs(row, start, last + 1 - start)


class ReadingTable(NamedTuple):
    """The readings of distinct runs: start, end and key; run `k` has `counts[k]` of them."""

    readings: Numbers
    counts: Numbers

    @classmethod
    def of(
        cls, runs: Iterable[Phrase], family: Family, number: int, lang: str, keys: Keys
    ) -> ReadingTable:
        """Read the runs."""
        readings: list[tuple[int, int, int]] = []
        counts = [0]
        for run in runs:
            found = family.readings(run, lang)
            readings += [(start, end, keys.number(number, key)) for start, end, key in found]
            counts.append(len(readings))
        return cls(np.array(readings, np.int64).reshape(-1, 3), np.diff(counts))

    def spans(self, tokens: Tokens, runs: Runs, of_run: Numbers) -> KeyedSpans:
        """Return the spans of runs whose numbers are given."""
        times = self.counts[of_run]
        first = (np.cumsum(self.counts) - self.counts)[of_run]
        start, end, key = self.readings[join_ranges(first, times)].T
        place = np.repeat(runs.start - tokens.offsets[runs.row], times)
        return KeyedSpans(np.repeat(runs.row, times), place + start, place + end, key)
