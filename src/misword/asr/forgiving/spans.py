"""Spans of words and their keys: spans of both sides with the same key count as the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.alignment.blocks import OPTIONAL, BlockSpans
from misword.alignment.phrases import find_compounds, find_phrases
from misword.core.types import Ids, Sides, Tokens, join_ranges, offsets_of
from misword.text.writing import BETWEEN, MAKES_RUN, Family, Phrase
from misword.text.writing.compounds import Compounds
from misword.text.writing.words import base_forms

Numbers = NDArray[np.int64]
ID = np.dtype(np.int32)

# Keys: numbers of the interpretations of spans of words.
#
# A span of the reference and a span of the hypothesis with a common key count as the same.


class KeyedSpans(NamedTuple):
    """Spans of rows: the words `start` to `end - 1` of `row` can be read as `key`."""

    row: Numbers
    start: Numbers
    end: Numbers
    key: Numbers

    @classmethod
    def of(cls, spans: Iterable[tuple[int, int, int, int]]) -> KeyedSpans:
        """Return spans from tuples."""
        columns = np.array(list(spans), np.int64).reshape(-1, 4).T
        return cls(*columns)

    @classmethod
    def join(cls, parts: Iterable[KeyedSpans]) -> KeyedSpans:
        """Return all spans of several lists."""
        return cls(*(np.concatenate(column) for column in zip(cls.of(()), *parts, strict=True)))

    def by_row(self, rows: int) -> BlockSpans:
        """Return the spans as the compiled code reads them, listed by row."""
        return BlockSpans.of(rows, *self)

    def take(self, chosen: NDArray[np.bool_]) -> KeyedSpans:
        """Return the chosen spans."""
        return KeyedSpans(*(column[chosen] for column in self))


@dataclass(slots=True)
class Keys:
    """The numbers of keys, and the family of each; `unread` counts runs that were too long."""

    numbers: dict[tuple[int, str], int] = field(default_factory=dict)
    families: list[int] = field(default_factory=list)
    unread: int = 0

    def number(self, family: int, key: str) -> int:
        """Return the number of a key of a family; a new key gets the next number."""
        known = self.numbers.setdefault((family, key), len(self.families))
        if known == len(self.families):
            self.families.append(family)
        return known


SideSpans = tuple[KeyedSpans, KeyedSpans]


# Distinct sequences of words, so that work on equal sequences is done once.


class Sequences(NamedTuple):
    """Distinct sequences of words, and the number of the sequence in each place of each side."""

    distinct: list[list[int]]
    numbers: list[Numbers]

    @classmethod
    def of(cls, sides: Sequence[tuple[Ids, Numbers, Numbers]]) -> Sequences:
        """Number the sequences `ids[start:end]` of all sides in the order of their first place.

        >>> ids = np.array([7, 8, 9, 7, 8], np.int32)
        >>> Sequences.of([(ids, np.array([0, 2, 3]), np.array([2, 3, 5]))])
        Sequences(distinct=[[7, 8], [9]], numbers=[array([0, 1, 0])])
        """
        ids = np.concatenate([np.asarray(side, ID) for side, _, _ in sides])
        before = offsets_of([len(side) for side, _, _ in sides])
        starts = np.concatenate(
            [at + start for at, (_, start, _) in zip(before[:-1], sides, strict=True)]
        )
        sizes = np.concatenate([end - start for _, start, end in sides])
        group = np.empty(len(starts), np.int64)
        firsts: list[Numbers] = []
        largest = int(ids.max(initial=0)) + 1
        for size in np.unique(sizes).tolist():
            rows = np.flatnonzero(sizes == size)
            keys, first = np.zeros(len(rows), np.int64), np.zeros(1, np.int64)
            # Each step numbers the distinct sequences of one word more.
            for place in range(size):
                words = ids[starts[rows] + place]
                _, first, keys = np.unique(keys * largest + words, True, True)
            group[rows] = keys + sum(map(len, firsts))
            firsts.append(rows[first])
        places = np.concatenate([np.zeros(0, np.int64), *firsts])
        order = np.argsort(places)
        numbers = np.empty(len(order), np.int64)
        numbers[order] = np.arange(len(order))
        spans = zip(starts[places[order]].tolist(), sizes[places[order]].tolist(), strict=True)
        distinct = [ids[start : start + size].tolist() for start, size in spans]
        edges = np.cumsum([len(start) for _, start, _ in sides])[:-1]
        return cls(distinct, np.split(numbers[group], edges))


# Runs of words, and the spans of them that a family can read; each distinct run is read once.


# Longer runs are not read: nobody says so many numbers in a row, and the work grows with them.
MOST_RUN = 400


class Runs(NamedTuple):
    """Runs of words: the row of each, its first word among those of all rows, and its size."""

    row: Numbers
    start: Numbers
    size: Numbers

    def take(self, chosen: NDArray[np.bool_]) -> Runs:
        """Return the chosen runs."""
        return Runs(*(column[chosen] for column in self))


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
    keys.unread += sum(int(np.count_nonzero(found.size > MOST_RUN)) for found in runs)
    runs = [found.take(found.size <= MOST_RUN) for found in runs]
    sequences = Sequences.of(
        [
            (side.ids, found.start, found.start + found.size)
            for side, found in zip(sides, runs, strict=True)
        ]
    )
    phrases = (tuple([vocabulary[word] for word in ids]) for ids in sequences.distinct)
    table = ReadingTable.of(phrases, family, number, lang, keys)
    reference, hypothesis = map(table.spans, sides, runs, sequences.numbers)
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
        chosen.append(found.take(wanted[found.row]))
    return chosen


def find_runs(tokens: Tokens, kinds: NDArray[np.uint8]) -> Runs:
    """Find the runs of all rows; `kinds` are those of the words, as `Family.run_words` says."""
    of_token = np.take(kinds, tokens.ids)
    places = np.flatnonzero(of_token != 0)
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


# Compounds: words that are written together on one side and apart on the other.

HYPHEN, SLASH = "-", "/"
# The words that a sequence can be the same as: none, those with hyphens, or all with its letters.
NONE, HYPHENATED, ALL = 0, 1, 2


class Apart(NamedTuple):
    """Sequences of words, and a word of the vocabulary with the same letters."""

    row: Numbers
    start: Numbers
    end: Numbers
    word: Numbers

    def take(self, chosen: NDArray[np.bool_]) -> Apart:
        """Return the chosen sequences."""
        return Apart(*(column[chosen] for column in self))


def compound_spans(
    sides: Sides, bases: Sequence[str], family: Compounds, number: int, lang: str, keys: Keys
) -> SideSpans:
    """Return the spans of words and of sequences of words with equal letters.

    `bases` are the base forms of the words of the vocabulary. A sequence on one side can be the
    same as a word on the other side; some sequences only as a word with a hyphen.
    """
    letters = family.letters(sides[0].vocabulary[:], lang)
    numbers: dict[str, int] = {}
    form_of = np.fromiter((numbers.setdefault(text, len(numbers)) for text in letters), np.int64)
    forms = list(numbers)

    def keys_of_words(kind: str, chosen: Numbers) -> Numbers:
        """Return the keys of the words that have the chosen forms; -1 for other words."""
        key_of = np.full(len(forms), -1, np.int64)
        key_of[chosen] = [keys.number(number, f"{kind} {forms[form]}") for form in chosen.tolist()]
        return key_of[form_of]

    # Words with the same letters but different base forms, because of hyphens or other signs.
    distinct = np.fromiter(dict(zip(bases, form_of.tolist(), strict=True)).values(), np.int64)
    several = np.bincount(distinct, minlength=len(forms)) > 1
    if "" in numbers:
        several[numbers[""]] = False
    key_of = keys_of_words("word", np.flatnonzero(several))
    spans = [[_single(side, key_of)] for side in sides]
    hyphenated = np.fromiter((HYPHEN in form or SLASH in form for form in bases), np.bool_)
    for divided, side in enumerate(sides):
        found, allowed = _apart(side, letters, bases, family, lang)
        for kind in (HYPHENATED, ALL):
            chosen = found.take(allowed == kind)
            key_of = keys_of_words(f"{divided} {kind}", np.unique(form_of[chosen.word]))
            spans[divided].append(KeyedSpans(*chosen[:3], key_of[chosen.word]))
            joined = key_of if kind == ALL else np.where(hyphenated, key_of, -1)
            spans[1 - divided].append(_single(sides[1 - divided], joined))
    references, hypotheses = (KeyedSpans.join(listed) for listed in spans)
    return references, hypotheses


def _single(side: Tokens, key_of: Numbers) -> KeyedSpans:
    """Return a span for each occurrence of the words of the vocabulary that have a key."""
    places = np.flatnonzero((key_of >= 0)[side.ids])
    rows = np.searchsorted(side.offsets, places, side="right") - 1
    start = places - side.offsets[rows]
    return KeyedSpans(rows, start, start + 1, key_of[side.ids[places]])


def _apart(
    side: Tokens, letters: list[str], bases: Sequence[str], family: Compounds, lang: str
) -> tuple[Apart, Numbers]:
    """Return the sequences of words that also occur as one word.

    The numbers say which words each sequence can be the same as: NONE, HYPHENATED or ALL.
    """
    found = Apart(*find_compounds(side, letters, family.most))
    flat = side.offsets[found.row]
    sequences = Sequences.of([(side.ids, flat + found.start, flat + found.end)])
    parts = (tuple([bases[word] for word in ids]) for ids in sequences.distinct)
    allowed = [_allowed(phrase, family, lang) for phrase in parts]
    return found, np.array(allowed, np.int64)[sequences.numbers[0]]


def _allowed(parts: Phrase, family: Compounds, lang: str) -> int:
    if family.allowed(parts, lang):
        return ALL
    return HYPHENATED if family.allowed(parts, lang, [HYPHEN.join(parts)]) else NONE


# Spans with their keys.


def family_spans(
    sides: Sides,
    families: Iterable[tuple[int, Family]],
    lang: str,
    compared: NDArray[np.int64],
    keys: Keys,
) -> list[SideSpans]:
    """Return the spans of references and hypotheses that families read, given with their numbers.

    The sides share a vocabulary of words as they are written. `compared` are the pairs of rows that
    differ.
    """
    words = sides[0].vocabulary[:]
    texts, listed = FormTexts.of(sides, base_forms(words)), list(families)
    forms = texts.forms
    classes = [(number, family.classes(forms, lang)) for number, family in listed]
    found = [class_spans(texts, classes, keys)]
    written = [(number, list(family.word_classes(words, lang))) for number, family in listed]
    if any(of_family for _, of_family in written):
        found.append(class_spans(FormTexts.of(sides, words), written, keys, "words"))
    for number, family in listed:
        found.append(run_spans(sides, family, number, lang, keys, compared))
        if isinstance(family, Compounds):
            found.append(compound_spans(sides, texts.form_of_word, family, number, lang, keys))
    return found


def join_spans(parts: Iterable[SideSpans]) -> SideSpans:
    """Return all spans of several lists, without those whose key only one side has.

    Optional spans match no other span, so all of them are returned.
    """
    sides = list(zip(*parts, strict=True)) or [(), ()]
    size = 1 + max((int(part.key.max(initial=-1)) for part in chain(*sides)), default=-1)
    shared = np.ones(size, np.bool_)
    for side in sides:
        present = np.zeros(size, np.bool_)
        for part in side:
            present[part.key[part.key > OPTIONAL]] = True
        shared &= present
    shared = np.append(shared, True)  # for optional spans, since OPTIONAL is -1
    references, hypotheses = (
        KeyedSpans.join(part.take(shared[np.maximum(part.key, OPTIONAL)]) for part in side)
        for side in sides
    )
    return references, hypotheses


@dataclass(frozen=True, eq=False)
class FormTexts:
    """Texts in which each word is replaced by the form to compare: its base form, or itself.

    `forms` are the distinct forms, `id_of` has the number of each.
    """

    sides: Sides
    form_of_word: Sequence[str]
    id_of: dict[str, int]

    @classmethod
    def of(cls, sides: Sides, form_of_word: Sequence[str]) -> FormTexts:
        """Number the forms; `form_of_word` has the form of each word of the vocabulary."""
        distinct = dict.fromkeys(form_of_word)
        return cls(sides, form_of_word, dict(zip(distinct, range(len(distinct)), strict=True)))

    @property
    def forms(self) -> list[str]:
        """The distinct forms."""
        return list(self.id_of)

    def present(self, phrases: Iterable[Phrase]) -> list[Phrase]:
        """Return the phrases of at least one word whose words are all in the texts."""
        return [p for p in phrases if p and all(word in self.id_of for word in p)]

    @cached_property
    def form_sides(self) -> Sides:
        """The numbers of the forms in the texts."""
        ids = np.fromiter(map(self.id_of.__getitem__, self.form_of_word), np.int32)
        forms = self.forms
        reference, hypothesis = (Tokens(ids[side.ids], side.offsets, forms) for side in self.sides)
        return reference, hypothesis


def class_spans(
    texts: FormTexts,
    classes: Iterable[tuple[int, Iterable[Iterable[Phrase]]]],
    keys: Keys,
    kind: str = "class",
) -> SideSpans:
    """Return the spans of the phrases of classes, which are given with the number of a family.

    `kind` tells lists of one family apart.
    """
    phrases: list[Phrase] = []
    key_of: list[int] = []
    numbered = ((number, *pair) for number, listed in classes for pair in enumerate(listed))
    for number, class_number, members in numbered:
        present = texts.present(dict.fromkeys(members))
        if len(present) > 1:
            key = keys.number(number, f"{kind} {class_number}")
            phrases += present
            key_of += [key] * len(present)
    return _phrase_spans(texts, phrases, key_of)


def optional_spans(texts: FormTexts, phrases: Iterable[Phrase], number: int) -> SideSpans:
    """Return the spans of phrases that may be left out, by the family of this number."""
    present = texts.present(dict.fromkeys(phrases))
    return _phrase_spans(texts, present, [OPTIONAL - number] * len(present))


def _phrase_spans(texts: FormTexts, phrases: list[Phrase], key_of: list[int]) -> SideSpans:
    """Return the spans of phrases with their keys; all words of the phrases are in the texts."""
    if not phrases:
        return KeyedSpans.of(()), KeyedSpans.of(())
    ids = np.fromiter(map(texts.id_of.__getitem__, chain(*phrases)), np.int32)
    offsets = np.cumsum([0, *map(len, phrases)], dtype=np.int64)
    listed = Tokens(ids, offsets, texts.form_sides[0].vocabulary)
    keys_of_phrases = np.array(key_of, np.int64)
    found = []
    for side in texts.form_sides:
        row, start, end, phrase = find_phrases(side, listed)
        found.append(KeyedSpans(row, start, end, keys_of_phrases[phrase]))
    return found[0], found[1]
