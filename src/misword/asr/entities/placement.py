"""Spans of words as they are written, carried over to the words that are compared.

Normalizers may change, remove or divide a word. A reference with alternatives is compared in the
reading that was chosen for a pair; what is written there is, of each group, the first alternative
that has words: `{ 2020 / twenty twenty }`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from misword.asr.entities.spans import Numbers, Spans
from misword.asr.forgiving.texts import ComparedTexts
from misword.asr.readings import Readings
from misword.core.errors import InputError, OptionError
from misword.core.types import Tokens

# The alternatives of a group, or the words between two groups as one alternative. Each has the
# number of its segment.
Choices = list[list[int]]


def place_spans(spans: Spans, texts: ComparedTexts, readings: Readings, index: Numbers) -> Spans:
    """Return the spans in the rows of `readings`; spans that have no word there are left out.

    `index` has the reference of each pair; the rows of spans are references.
    """
    several = np.diff(texts.signs.offsets) > 0
    if not several.any() and not texts.changed:
        return spans
    words = WrittenWords.of(texts)
    plain = spans.take(~several[spans.row])
    first = words.tokens.offsets[plain.row]
    start, end = (words.places[first + at] - words.places[first] for at in (plain.start, plain.end))
    parts = [np.stack([plain.row, start, end, plain.class_of])]
    pairs = np.flatnonzero(several[index])
    compared = readings.utterances.words[0]
    known = {}
    for pair in pairs.tolist():
        reading, row = int(readings.index[pair, 0]), int(index[pair])
        if reading not in known:
            chosen = compared.ids[compared.offsets[reading] : compared.offsets[reading + 1]]
            begins, ends = words.places_in_reading(row, chosen.tolist())
            own = spans.take(spans.row == row)
            if own.end.max(initial=0) > len(begins):
                raise InputError(
                    f"tags beyond the {len(begins)} words of a reference with alternatives",
                    fix="alternatives beside tags need nlp references with --alternatives-from",
                )
            known[reading] = np.stack(
                [np.full(len(own), reading), begins[own.start], ends[own.end - 1], own.class_of]
            )
    columns = np.concatenate([*parts, *known.values()], axis=1)
    kept = columns[:, columns[1] < columns[2]]
    return Spans.of(list(kept), spans.classes)


@dataclass(frozen=True, slots=True, eq=False)
class WrittenWords:
    """The words of references and their segments, before and after normalisation.

    `tokens` are the written words. Written word `k` of all rows begins at `places[k]` of the
    normalised words `normal`; there is one place more, for the end.
    """

    texts: ComparedTexts
    tokens: Tokens
    normal: Tokens
    places: Numbers

    @classmethod
    def of(cls, texts: ComparedTexts) -> WrittenWords:
        """Find the places; raise if normalizers do not change word by word."""
        written, normal = texts.as_written(), texts.words[0]
        tokens = written.sides[0]
        if written.places is not None:
            return cls(texts, tokens, normal, written.places[0])
        if texts.changed:
            raise OptionError(
                "these normalizers join, divide or move words, so tags cannot be carried over",
                fix="use normalizers that change each word alone, such as lower,nopunct, and "
                "--forgive writing; or --keywords",
            )
        return cls(texts, tokens, normal, np.arange(len(tokens.ids) + 1))

    def places_in_reading(self, row: int, reading: Sequence[int]) -> tuple[Numbers, Numbers]:
        """Return where each written word of a reference begins and ends in a reading of it.

        If another alternative was chosen than the written one, each word of the written one
        stands for the whole alternative.
        """
        begins: list[int] = []
        ends: list[int] = []
        items = self._items(row)
        for at, alternatives, chosen in _matched(items, self._segment, reading):
            own = next((segment for segment in alternatives if self.tokens.lengths[segment]), None)
            if own is None:
                continue
            first = int(self.tokens.offsets[own])
            places = self.places[first : first + int(self.tokens.lengths[own]) + 1]
            if chosen == own:
                begins += (at + places[:-1] - places[0]).tolist()
                ends += (at + places[1:] - places[0]).tolist()
            else:
                begins += [at] * (len(places) - 1)
                ends += [at + len(self._segment(chosen))] * (len(places) - 1)
        return np.array(begins, np.int64), np.array(ends, np.int64)

    def _segment(self, row: int) -> list[int]:
        """Return the normalised words of a segment."""
        at = self.normal.offsets
        ids: list[int] = self.normal.ids[at[row] : at[row + 1]].tolist()
        return ids

    def _items(self, row: int) -> Choices:
        """Return the numbers of the segments of a reference: groups of alternatives in a list."""
        signs = self.texts.signs
        segment = int(self.texts.written.first_segment[row])
        items: Choices = [[segment]]
        depth = 0
        for kind in signs.kinds[signs.offsets[row] : signs.offsets[row + 1]].tolist():
            segment += 1
            depth += (kind == ord("{")) - (kind == ord("}"))
            if depth > 1:
                raise OptionError(
                    "tags beside alternatives within alternatives",
                    fix="write each group of alternatives without groups in it",
                )
            if kind == ord("/"):
                items[-1].append(segment)
            else:
                items.append([segment])
        return items


def _matched(
    items: Choices, segment: Callable[[int], list[int]], reading: Sequence[int]
) -> list[tuple[int, list[int], int]]:
    """Return for each item its place in the reading, its alternatives and the one in the reading.

    If a reading can be read in several ways, the first alternative that fits is taken.
    """
    words = [[(number, segment(number)) for number in item] for item in items]
    # The places that can be reached before each item, each with the way there.
    ways: list[dict[int, tuple[int, int]]] = [{0: (0, -1)}]
    for alternatives in words:
        reached: dict[int, tuple[int, int]] = {}
        for place in ways[-1]:
            for number, ids in alternatives:
                if list(reading[place : place + len(ids)]) == ids:
                    reached.setdefault(place + len(ids), (place, number))
        ways.append(reached)
    place, found = len(reading), []
    for item, way in zip(reversed(items), reversed(ways[1:]), strict=True):
        place, number = way[place]
        found.append((place, item, number))
    return found[::-1]
