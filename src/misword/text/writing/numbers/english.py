"""Readings of English numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import pairwise

from misword.text.writing import Phrase, Reading
from misword.text.writing.numbers import tables
from misword.text.writing.numbers.amounts import amounts
from misword.text.writing.numbers.atoms import (
    CURRENCY,
    DIGITS,
    FRACTION,
    NUMERIC,
    ORDINAL,
    PLURAL,
    SIGN,
    TIME,
    WORD,
    WRITTEN_ORDINAL,
    WRITTEN_PLURAL,
    Atom,
    Atoms,
    atoms_of,
)
from misword.text.writing.numbers.dates import dates, days
from misword.text.writing.numbers.digit_strings import digit_strings
from misword.text.writing.numbers.quantities import (
    PLURAL_UNIT,
    SIGNS,
    Item,
    Quantity,
    fractions,
    numbered,
    ordinals,
    plain,
    plurals,
    quantities,
    spoken_units,
)
from misword.text.writing.numbers.times import times

# A reading has at most this many words.
MOST_WORDS = 16
# A name with a number has at most this many parts: a 1 c, covid 19, 20 year old.
MOST_PARTS = 5
# Words that are not part of a name with a number, unless a hyphen joins them to it.
# Words that a number can begin with, beside number words and signs.
_FIRST_WORDS = frozenset(
    {"a", "half", "point", "number", "no"} | tables.MINUS | tables.REPEATS.keys()
)
_UNITS = frozenset({"percent", "pct"} | tables.CURRENCIES.keys() | tables.CENTS.keys() - {"p"})
_NOT_IN_NAMES = frozenset(
    {"and", "to", "or", "through", "point", "minus", "negative"}
    | {"the", "of", "in", "is", "that", "on", "for", "no", "number", "am", "pm", "double", "triple"}
    | tables.MONTHS.keys()
)


def read(run: Phrase) -> Iterator[Reading]:
    """Yield the readings of a run of words.

    >>> [tuple(reading) for reading in read(("twenty-one", "percent"))]
    [(0, 1, 'n:21'), (0, 2, '%:21')]
    """
    return _Run(run).readings()


class _Run:
    """A run of words as atoms, with what can be read at each atom."""

    def __init__(self, words: Phrase) -> None:
        self.atoms = Atoms()
        # The atom that each word begins at, and the word that ends before an atom.
        self.starts: list[int] = []
        self.word_end: dict[int, int] = {}
        for number, word in enumerate(words, 1):
            self.starts.append(len(self.atoms))
            self.atoms.extend(atoms_of(word))
            self.word_end[len(self.atoms)] = number
        self.kinds = {atom.kind for atom in self.atoms}
        self.quantities: dict[int, list[Quantity]] = {}

    def readings(self) -> Iterator[Reading]:
        """Yield each reading once."""
        for word, start in enumerate(self.starts):
            if start == len(self.atoms) or start in self.starts[word + 1 : word + 2]:
                continue
            seen = set()
            for end, key in self._items(start):
                stop = self.word_end.get(end)
                if stop is not None and stop - word <= MOST_WORDS and (stop, key) not in seen:
                    seen.add((stop, key))
                    yield Reading(word, stop, key)

    def _items(self, start: int) -> Iterator[Item]:
        """Yield what begins at an atom."""
        atoms = self.atoms
        if atoms[start].kind != WORD or atoms[start].text in _FIRST_WORDS:
            yield from self._numbers(start)
        yield from dates(atoms, start)
        yield from self._names(start)

    def _numbers(self, start: int) -> Iterator[Item]:
        """Yield the numbers that begin at an atom."""
        atoms = self.atoms
        for quantity in self._quantities(start):
            yield from ((quantity.end, key) for key in quantity.keys)
        for end, digits in self._digits(start):
            yield end, f"s:{digits}"
        for end, value in self._ordinals(start):
            yield end, f"o:{value}"
        for end, value in self._plurals(start):
            yield end, f"plural:{value}"
        yield from days(atoms, start)
        yield from times(atoms, start)
        yield from fractions(atoms, start)
        yield from numbered(atoms, start)
        yield from self._prices(start)
        yield from self._ranges(start)

    def _quantities(self, start: int) -> list[Quantity]:
        if start not in self.quantities:
            known = start < len(self.atoms)
            self.quantities[start] = quantities(self.atoms, start) if known else []
        return self.quantities[start]

    def _digits(self, start: int) -> Iterator[tuple[int, str]]:
        """Yield digit strings, and the digits of a single word: 2020, 10:30."""
        atom = self.atoms[start]
        if atom.kind == DIGITS and atom.text.isdigit():
            yield start + 1, atom.text
        elif atom.kind == TIME and not atom.text.endswith(":00"):
            yield start + 1, atom.text.replace(":", "")
        yield from digit_strings(self.atoms, start)

    def _ordinals(self, start: int) -> Iterable[tuple[int, int]]:
        known = not self.kinds.isdisjoint({ORDINAL, WRITTEN_ORDINAL})
        return ordinals(self.atoms, start) if known else ()

    def _plurals(self, start: int) -> Iterable[tuple[int, int]]:
        known = not self.kinds.isdisjoint({PLURAL, WRITTEN_PLURAL})
        return plurals(self.atoms, start) if known else ()

    def _is_dash(self, place: int) -> bool:
        return place < len(self.atoms) and self.atoms[place] == Atom(SIGN, "-")

    def _prices(self, start: int) -> Iterator[Item]:
        """Yield `five fifty` and `$5.50` as the same price."""
        atoms = self.atoms
        if atoms[start].kind == CURRENCY and start + 1 < len(atoms):
            whole, _, part = atoms[start + 1].text.partition(".")
            if atoms[start + 1].kind == DIGITS and len(part) == 2 and part != "00":
                yield start + 2, f"price:{whole}{part}"
        elif atoms[start].kind not in (DIGITS, TIME):
            for end, digits in digit_strings(atoms, start):
                spoken = all(atom.kind != DIGITS for atom in atoms[start:end])
                if spoken and 3 <= len(digits) <= 4 and end - start <= 4:
                    yield end, f"price:{digits}"

    def _ranges(self, start: int) -> Iterator[Item]:
        """Yield ranges and pairs, where the first number may share the unit of the second."""
        atom = self.atoms[start]
        if atom.kind == FRACTION:
            top, bottom = atom.text.split("/")
            yield start + 1, f"r:::{int(top)}..{int(bottom)}"
        for first in self._quantities(start):
            if first.end >= len(self.atoms):
                continue
            connector = self.atoms[first.end]
            dash = self._is_dash(first.end)
            if dash or connector.text in tables.CONNECTORS:
                names = ("to", "") if dash else (connector.text,)
                place = first.end + 1
            else:
                names, place = ("",), first.end
            whole = {quantity.end for quantity in self._quantities(start)}
            for second in self._quantities(place):
                decimal = place == first.end and self.atoms[place].text == "point"
                if decimal or second.end in whole:
                    continue
                for key in _range_keys(first, second):
                    yield from ((second.end, f"r:{name}:{key}") for name in names)

    def _names(self, start: int) -> Iterator[Item]:
        """Yield names with numbers and numbers with words: q3, covid-19, 401k, 20-year, 20mm."""
        limit = min(start + MOST_WORDS, len(self.atoms))
        if not any(atom.kind in NUMERIC for atom in self.atoms[start:limit]):
            return
        stack: list[tuple[int, str, int, int]] = [(start, "", 0, 0)]
        while stack:
            place, text, numbers, words = stack.pop()
            if numbers and words:
                yield place, f"a:{text}"
            place += text != "" and self._is_dash(place)
            if place >= limit or numbers + words == MOST_PARTS:
                continue
            for end, part in self._word_parts(place):
                # Letters that are said one by one are one part: c o v i d 19.
                more = not (words and len(part) == 1 and len(self.atoms[place - 1].text) == 1)
                stack.append((end, text + part, numbers, words + more))
            # Two numbers in a row belong to a name only behind a word: afm 13-202.
            behind_number = text[-1:].isdigit()
            if not behind_number or words:
                joint = "-" if behind_number else ""
                for end, part in self._number_parts(place):
                    stack.append((end, text + joint + part, numbers + 1, words))

    @cached_property
    def _inner(self) -> frozenset[int]:
        """Atoms that a hyphen or digits join to another atom."""
        bounds = [*self.starts, len(self.atoms)]
        return frozenset(
            atom for start, end in pairwise(bounds) if end - start > 1 for atom in range(start, end)
        )

    def _word_parts(self, place: int) -> Iterator[tuple[int, str]]:
        """Yield the word at an atom as a part of a name; `mm` also as `millimeters`."""
        atom = self.atoms[place]
        letter = atom.kind == WORD or atom.text == "o"
        if not letter or atom.text in _UNITS:
            return
        if atom.text in _NOT_IN_NAMES and place not in self._inner:
            return
        after_number = place > 0 and self.atoms[place - 1].kind in NUMERIC
        yield place + 1, atom.text
        for words_of_unit in tables.MEASURES.get(atom.text, ()) if after_number else ():
            yield place + 1, words_of_unit

    def _number_parts(self, place: int) -> Iterator[tuple[int, str]]:
        """Yield the numbers at an atom as parts of a name."""
        atoms = self.atoms
        if atoms[place].kind not in NUMERIC and atoms[place].text != "point":
            return
        for end, value, *_ in amounts(atoms, place):
            yield end, plain(value)
        if atoms[place].kind == DIGITS and atoms[place].text.startswith("0"):
            yield place + 1, atoms[place].text
        behind_letter = place > 0 and len(atoms[place - 1].text) == 1
        for end, digits in digit_strings(atoms, place, short=behind_letter):
            yield end, digits
        for end, number in self._ordinals(place):
            yield end, f"{number}th"
        for end, number in self._plurals(place):
            yield end, f"{number}s"


def _range_keys(first: Quantity, second: Quantity) -> Iterator[str]:
    """Yield the key of a range if its two ends can share a unit and a magnitude.

    `$5 to $6 million` are millions at both ends.
    """
    unit = second.unit or first.unit
    if first.unit and second.unit not in ("", first.unit, first.unit + PLURAL_UNIT):
        return
    if first.unit and not second.unit and first.unit not in SIGNS:
        return
    low, high = first.value, second.value
    if first.scale == 1 and second.scale > 1 and low * second.scale < high:
        low *= second.scale
    for name in spoken_units(unit):
        yield f"{name}:{plain(low)}..{plain(high)}"
