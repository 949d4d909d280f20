"""Runs of words, and the spans of them that a family can read; each distinct run is read once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.asr.forgiving.keys import KeyedSpans, Keys, SideSpans
from misword.core.types import Sides, Tokens, join_ranges
from misword.text.writing import Family

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
    flags = family.run_words(sides[0].vocabulary[:], lang)
    if flags is None:
        return KeyedSpans.of(()), KeyedSpans.of(())
    kinds = np.asarray(flags, np.uint8)
    runs = _in_both([find_runs(side, kinds) for side in sides], sides, compared)
    reader = RunReader(family, number, lang, keys)
    numbers = [reader.read(side, found) for side, found in zip(sides, runs, strict=True)]
    reference, hypothesis = (
        reader.spans(side, found, of_run)
        for side, found, of_run in zip(sides, runs, numbers, strict=True)
    )
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
    """Find the runs of all rows: the longest sequences of kinds 1 and 2 that have a 1."""
    of_token = kinds[tokens.ids]
    places = np.flatnonzero(of_token)
    if not len(places):
        return Runs(places, places, places)
    first_of_row = np.zeros(len(of_token) + 1, np.bool_)
    first_of_row[tokens.offsets] = True
    begins = np.r_[True, (np.diff(places) != 1) | first_of_row[places[1:]]]
    first = np.flatnonzero(begins)
    makes_run = np.maximum.reduceat(of_token[places] == 1, first)
    start, size = places[first], np.diff(np.append(first, len(places)))
    row = np.searchsorted(tokens.offsets, start, side="right") - 1
    return Runs(row[makes_run], start[makes_run], size[makes_run])


@dataclass(slots=True, eq=False)
class RunReader:
    """The readings of distinct runs: start, end and key; run `k` has `counts[k]` of them."""

    family: Family
    number: int
    lang: str
    keys: Keys
    numbers: dict[bytes, int] = field(default_factory=dict)
    readings: list[tuple[int, int, int]] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)

    def read(self, tokens: Tokens, runs: Runs) -> Numbers:
        """Read the runs that are new, and return the number of each run."""
        of_run, ids = np.empty(len(runs.start), np.int64), tokens.ids
        ranges = zip(runs.start.tolist(), (runs.start + runs.size).tolist(), strict=True)
        for place, (start, end) in enumerate(ranges):
            run = ids[start:end]
            known = self.numbers.setdefault(run.tobytes(), len(self.numbers))
            of_run[place] = known
            if known == len(self.counts):
                self._read(tuple(tokens.vocabulary[word] for word in run.tolist()))
        return of_run

    def _read(self, phrase: tuple[str, ...]) -> None:
        found = self.family.readings(phrase, self.lang)
        keyed = [(r.start, r.end, self.keys.number(self.number, r.key)) for r in found]
        self.readings += keyed
        self.counts.append(len(keyed))

    def spans(self, tokens: Tokens, runs: Runs, of_run: Numbers) -> KeyedSpans:
        """Return the spans of runs whose numbers are known."""
        table = np.array(self.readings, np.int64).reshape(-1, 3)
        counts = np.array(self.counts, np.int64)
        times = counts[of_run]
        start, end, key = table[join_ranges((np.cumsum(counts) - counts)[of_run], times)].T
        place = np.repeat(runs.start - tokens.offsets[runs.row], times)
        return KeyedSpans(np.repeat(runs.row, times), place + start, place + end, key)
