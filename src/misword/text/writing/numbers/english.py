"""Readings of English numbers: quantities, dates, times of day, ranges, and names with numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from misword.text.writing import BETWEEN, MAKES_RUN, WITHIN_RUN, Phrase, Reading
from misword.text.writing.numbers import tables
from misword.text.writing.numbers.amounts import amounts, digit_strings, phone_groups, said_strings
from misword.text.writing.numbers.atoms import (
    CURRENCY,
    DATE,
    DIGITS,
    FRACTION,
    MOST_LETTERS,
    NUMBER_WORDS,
    NUMERIC,
    ORDINAL,
    PLURAL,
    PUNCTUATION,
    SIGN,
    SMALL,
    TEEN,
    TENS,
    TIME,
    UNIT,
    WORD,
    WRITTEN_ORDINAL,
    WRITTEN_PLURAL,
    ZERO,
    Atom,
    Atoms,
    atoms_of,
)
from misword.text.writing.numbers.quantities import (
    PLURAL_UNIT,
    SIGNS,
    Item,
    Quantity,
    exact,
    fractions,
    numbered,
    ordinals,
    plain,
    plurals,
    quantities,
    spoken_units,
    whole_numbers,
)
from misword.text.writing.words import LONE_DASHES

# Days of a month and dates.

_FIRST_YEAR, _LAST_YEAR = 1000, 2199


def days(atoms: Atoms, start: int) -> Iterator[Item]:
    """Yield the number beside a month: `third`, `3rd` and `3` in `june 3` and `3rd of june`.

    A cardinal number in words is no day: `june three` is not `june third`.
    """
    for end, day in _day_numbers(atoms, start):
        month_before = start > 0 and atoms[start - 1].text in tables.MONTHS
        if month_before or _month_behind(atoms, end):
            yield end, f"day:{day}"


def dates(atoms: Atoms, start: int) -> Iterator[Item]:
    """Yield whole dates: `6/30/2020`, `june 30th 2020`, `june thirtieth twenty twenty`."""
    atom = atoms[start]
    if atom.kind == DATE:
        yield from ((start + 1, key) for key in _written_dates(atom.text))
    elif atom.text in tables.MONTHS and start + 1 < len(atoms):
        month = tables.MONTHS[atom.text]
        for end, day in _day_numbers(atoms, start + 1):
            yield end, _date(month, day)
            for stop, year in _years(atoms, end):
                yield stop, _date(month, day, year)
    elif atom.kind in (DIGITS, WRITTEN_ORDINAL):
        # 5 May and 5th of May are written for `may fifth`.
        for end, day in _day_numbers(atoms, start):
            if _month_behind(atoms, end):
                end += atoms[end].text == "of"
                yield end + 1, _date(tables.MONTHS[atoms[end].text], day)


def _date(month: int, day: int, year: int = 0) -> str:
    return f"date:{year or ''}-{month}-{day}"


def _written_dates(text: str) -> Iterator[str]:
    """Yield the keys of 6/30/2020: month first, and day first where that is possible too."""
    first, second, year = (int(part) for part in text.split("/"))
    if year < 100:
        year += 2000 if year < 50 else 1900
    for month, day in {(first, second), (second, first)}:
        if 1 <= month <= 12 and 1 <= day <= 31:
            yield _date(month, day, year)


def _day_numbers(atoms: Atoms, start: int) -> Iterator[tuple[int, int]]:
    """Yield the end and the value of digits or of an ordinal up to 31."""
    atom = atoms[start]
    if atom.kind == DIGITS and atom.text.isdigit() and 1 <= int(atom.text[:3]) <= 31:
        yield start + 1, int(atom.text)
    yield from ((end, value) for end, value in ordinals(atoms, start) if value <= 31)


def _years(atoms: Atoms, start: int) -> Iterator[tuple[int, int]]:
    """Yield the end and the value of a year: 2020, `twenty twenty`, `two thousand and twenty`."""
    if start >= len(atoms):
        return
    for end, value, *_ in amounts(atoms, start):
        if _FIRST_YEAR <= value <= _LAST_YEAR and value == int(value):
            yield end, int(value)
    for end, digits in said_strings(atoms, start):
        if _FIRST_YEAR <= int(digits) <= _LAST_YEAR and len(digits) == 4:
            yield end, int(digits)


def _month_behind(atoms: Atoms, end: int) -> bool:
    """Whether a month follows, as in `3 june` and `3rd of june`."""
    words = [atom.text for atom in atoms[end : end + 2]]
    return any(word in tables.MONTHS for word in words[words[:1] == ["of"] :][:1])


# Times of day.

# The kinds of atoms that a time begins with.
CLOCK = SMALL | {DIGITS, TIME}


def times(atoms: Atoms, start: int) -> Iterator[Item]:
    """Yield `10:30`, `ten thirty`, `10 a.m.`, `ten thirty pm`, `ten o'clock`."""
    for end, hour, minute in _clock(atoms, start):
        text = f"{hour}:{minute:02d}"
        words = [atom.text for atom in atoms[end : end + 2]]
        if minute >= 0:
            yield end, f"t:{text}"
        text = f"{hour}:{max(minute, 0):02d}"
        if words[:1] in (["o'clock"], ["oclock"]) and minute < 1:
            end += 1
            yield end, f"t:{text}"
            words = [atom.text for atom in atoms[end : end + 2]]
        if words[:1] and words[0] in tables.HALVES_OF_DAY:
            yield end + 1, f"t:{text}{words[0]}"
        elif words in (["a", "m"], ["p", "m"]):
            yield end + 2, f"t:{text}{words[0]}m"


def _clock(atoms: Atoms, start: int) -> Iterator[tuple[int, int, int]]:
    """Yield the end, the hour and the minute of a time; the minute is -1 if it is not said."""
    atom = atoms[start]
    if atom.kind == TIME:
        hour, minute = atom.text.split(":")
        yield start + 1, int(hour), int(minute)
    elif atom.kind == DIGITS and atom.text.isdigit() and 0 < len(atom.text) <= 2:
        yield start + 1, int(atom.text), -1
        if start + 1 < len(atoms) and atoms[start + 1].kind == DIGITS:
            minute = atoms[start + 1].text
            if len(minute) == 2 and minute.isdigit() and minute < "60":
                yield start + 2, int(atom.text), int(minute)
    elif atom.kind in SMALL:
        yield from _spoken_clock(atoms, start)


def _spoken_clock(atoms: Atoms, start: int) -> Iterator[tuple[int, int, int]]:
    """Yield times in words: `ten`, `ten thirty`, `ten oh five`, `ten thirty five`."""
    hour, place = atoms[start].value, start + 1
    if hour > 12:
        return
    yield place, hour, -1
    kinds = [atom.kind for atom in atoms[place : place + 2]]
    values = [atom.value for atom in atoms[place : place + 2]]
    if kinds[:1] in ([TEEN], [TENS]) and values[0] < 60:
        yield place + 1, hour, values[0]
        if kinds == [TENS, UNIT]:
            yield place + 2, hour, sum(values)
    elif kinds == [ZERO, UNIT]:
        yield place + 2, hour, values[1]


# Readings.

# A reading has at most this many words.
MOST_WORDS = 24
# A name with a number has at most this many parts: a 1 c, covid 19, 20 year old.
MOST_PARTS = 5
# Words that a number can begin with, beside number words and signs.
_FIRST_WORDS = frozenset(
    {"a", "half", "point", "number", "no"} | tables.MINUS | tables.REPEATS.keys()
)
_MONTHS, _DENOMINATORS = frozenset(tables.MONTHS), frozenset(tables.DENOMINATORS)
_NUMBER_SIGNS = frozenset({"#", "number", "no"})
_DASH = Atom(SIGN, "-")
_UNITS = frozenset({"percent", "pct"} | tables.CURRENCIES.keys() | tables.CENTS.keys() - {"p"})
# Words that are not part of a name with a number, unless a hyphen joins them to it.
_NOT_IN_NAMES = frozenset(
    {"and", "to", "or", "through", "point", "minus", "negative"}
    | {"the", "of", "in", "is", "that", "on", "for", "no", "number", "am", "pm", "double", "triple"}
    | tables.BEFORE_PERIODS
    | _MONTHS
)


def read(run: Phrase) -> Iterator[Reading]:
    """Yield the readings of a run of words.

    >>> [tuple(reading) for reading in read(("twenty-one", "percent"))]
    [(0, 1, 'n:21'), (0, 2, '%:21')]
    """
    return _NumberRun(run).readings()


class _NumberRun:
    """A run of words as atoms, with what can be read at each atom."""

    def __init__(self, words: Phrase) -> None:
        atoms: list[Atom] = []
        # The atom that each word begins at, and the word that ends before an atom.
        self.starts: list[int] = []
        self.word_end: dict[int, int] = {}
        for number, word in enumerate(words, 1):
            self.starts.append(len(atoms))
            atoms += atoms_of(word)
            self.word_end[len(atoms)] = number
        self.atoms = Atoms(atoms)
        kinds = self.atoms.kinds
        self.has_ordinal = ORDINAL in kinds or WRITTEN_ORDINAL in kinds
        self.has_plural = PLURAL in kinds or WRITTEN_PLURAL in kinds
        self.has_date = DATE in kinds or not self.atoms.texts.isdisjoint(_MONTHS)
        self.rules = list(_rules(self.atoms))
        # Atoms that can be a word of a name with a number.
        self.word_starts = frozenset(self.starts)
        self.name_words = frozenset([p for p in range(len(atoms)) if self._is_in_names(p)])
        self.last_name_word = max(self.name_words, default=-1)
        self.quantities: dict[int, list[Quantity]] = {}
        self.places = whole_numbers(self.atoms, self.word_end)

    def readings(self) -> Iterator[Reading]:
        """Yield each reading once."""
        for word, start in enumerate(self.starts):
            if start == len(self.atoms) or start in self.starts[word + 1 : word + 2]:
                continue
            if start not in self.places:
                continue
            for end, key in dict.fromkeys(self._items(start)):
                stop = self.word_end.get(end, 0) if end in self.places else 0
                if 0 < stop <= word + MOST_WORDS:
                    yield Reading(word, stop, key)

    def _items(self, start: int) -> list[Item]:
        """Return what begins at an atom."""
        found = self._numbers(start) if self._may_begin_number(start) else []
        if self.has_date:
            found.extend(dates(self.atoms, start))
        if self._may_begin_name(start):
            found.extend(self._names(start))
        return found

    def _may_begin_number(self, start: int) -> bool:
        atom = self.atoms[start]
        return atom.kind != WORD or atom.text in _FIRST_WORDS

    def _numbers(self, start: int) -> list[Item]:
        """Return the numbers that begin at an atom."""
        atoms = self.atoms
        found = [(item.end, key) for item in self._quantities(start) for key in item.keys]
        found += self._digits(start)
        if self.has_ordinal:
            found += [(end, f"o:{value}") for end, value in ordinals(atoms, start)]
        if self.has_plural:
            found += [(end, f"plural:{value}") for end, value in plurals(atoms, start)]
        for rule in self.rules:
            found.extend(rule(atoms, start))
        if start + 1 < len(atoms):
            found.extend(self._prices(start))
            found.extend(self._ranges(start))
        return found

    def _quantities(self, start: int) -> list[Quantity]:
        found = self.quantities.get(start)
        if found is None:
            known = start < len(self.atoms) and self._may_begin_number(start)
            found = self.quantities[start] = quantities(self.atoms, start) if known else []
        return found

    def _digits(self, start: int) -> list[Item]:
        """Return digit strings, and the digits of a single word: 2020.

        Groups of digits that are written apart are the same as groups that are said: `20 05` is
        `twenty oh five`, and `555 1234` is said digit by digit.
        """
        atom = self.atoms[start]
        found = [(end, f"s:{digits}") for end, digits in said_strings(self.atoms, start)]
        if atom.kind == DIGITS and atom.text.isdigit():
            found.append((start + 1, f"s:{atom.text}"))
        for end, groups, written in digit_strings(self.atoms, start):
            found.append((end, f"groups:{' '.join(groups).replace(' 0 ', ' 0')}"))
            digits = "".join(groups)
            if not written and len(groups) == len(digits):
                found += [(end, f"groups:{parts}") for parts in phone_groups(digits)]
        return found

    def _ordinals(self, start: int) -> Iterable[tuple[int, int]]:
        return ordinals(self.atoms, start) if self.has_ordinal else ()

    def _plurals(self, start: int) -> Iterable[tuple[int, int]]:
        return plurals(self.atoms, start) if self.has_plural else ()

    def _is_dash(self, place: int) -> bool:
        return place < len(self.atoms) and self.atoms[place] == _DASH

    def _prices(self, start: int) -> Iterator[Item]:
        """Yield `five fifty` and `$5.50` as the same price."""
        atoms = self.atoms
        if atoms[start].kind == CURRENCY and start + 1 < len(atoms):
            whole, _, part = atoms[start + 1].text.partition(".")
            if atoms[start + 1].kind == DIGITS and len(part) == 2 and part != "00":
                yield start + 2, f"price:{whole}{part}"
        elif atoms[start].kind not in (DIGITS, TIME):
            for end, groups, written in digit_strings(atoms, start):
                digits = "".join(groups)
                if not written and 3 <= len(digits) <= 4 and end - start <= 4:
                    yield end, f"price:{digits}"

    def _ranges(self, start: int) -> Iterator[Item]:
        """Yield ranges and pairs, where the first number may share the unit of the second."""
        found = self._quantities(start)
        whole = {quantity.end for quantity in found}
        for first in found:
            if first.end >= len(self.atoms) or first.end not in self.places:
                continue
            connector = self.atoms[first.end]
            dash = self._is_dash(first.end)
            if dash or connector.text in tables.CONNECTORS:
                names = ("to", "") if dash else (connector.text,)
                place = first.end + 1
            else:
                names, place = ("",), first.end
            for second in self._quantities(place):
                decimal = place == first.end and self.atoms[place].text == "point"
                if decimal or second.end in whole:
                    continue
                for key in _range_keys(first, second):
                    yield from ((second.end, f"r:{name}:{key}") for name in names)

    def _names(self, start: int) -> Iterator[Item]:
        """Yield names with numbers and numbers with words: q3, covid-19, 401k, 20-year, 20mm."""
        limit = min(start + MOST_WORDS, len(self.atoms))
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
                    if end not in self.places:
                        continue
                    stack.append((end, text + joint + part, numbers + 1, words))

    def _may_begin_name(self, start: int) -> bool:
        """Whether a number and a word of a name are at an atom or behind it."""
        if self.last_name_word < start:
            return False
        return any(atom.kind in NUMERIC for atom in self.atoms[start : start + MOST_WORDS])

    def _is_in_names(self, place: int) -> bool:
        """Whether an atom can be a word of a name; `and` only if a hyphen joins it to another."""
        atom = self.atoms[place]
        if (atom.kind != WORD and atom.text != "o") or atom.text in _UNITS:
            return False
        alone = place in self.word_starts and place + 1 in self.word_end
        return atom.text not in _NOT_IN_NAMES or not alone

    def _word_parts(self, place: int) -> Iterator[tuple[int, str]]:
        """Yield the word at an atom as a part of a name; `mm` also as `millimeters`."""
        if place not in self.name_words:
            return
        atom = self.atoms[place]
        after_number = place > 0 and self.atoms[place - 1].kind in NUMERIC
        yield place + 1, atom.text
        if after_number and not (atom.capital and atom.text in tables.SMALL_UNITS):
            yield from ((place + 1, unit) for unit in tables.MEASURES.get(atom.text, ()))

    def _number_parts(self, place: int) -> Iterator[tuple[int, str]]:
        """Yield the numbers at an atom as parts of a name."""
        atoms = self.atoms
        if atoms[place].kind not in NUMERIC and atoms[place].text != "point":
            return
        for end, value, *_ in amounts(atoms, place):
            yield end, exact(value)
        if atoms[place].kind == DIGITS and atoms[place].text.startswith("0"):
            yield place + 1, atoms[place].text
        behind_letter = place > 0 and len(atoms[place - 1].text) == 1
        yield from said_strings(atoms, place, short=behind_letter)
        for end, number in self._ordinals(place):
            yield end, f"{number}th"
        for end, number in self._plurals(place):
            yield end, f"{number}s"


def _rules(atoms: Atoms) -> Iterator[Callable[[Atoms, int], Iterable[Item]]]:
    """Yield the rules that can apply to atoms; most runs need few of them."""
    kinds, texts = atoms.kinds, atoms.texts
    if not texts.isdisjoint(_MONTHS):
        yield days
    if FRACTION in kinds or not texts.isdisjoint(_DENOMINATORS):
        yield fractions
    if TIME in kinds or (len(atoms) > 1 and not kinds.isdisjoint(CLOCK)):
        yield times
    if not texts.isdisjoint(_NUMBER_SIGNS):
        yield numbered


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


# Which words of a vocabulary belong to runs.

# Number words that are often something else; they do not make a run.
_AMBIGUOUS = frozenset({"o", "oh", "ones"})
_WITHIN = frozenset(
    {"a", "point", "minus", "negative", "percent", "pct", "per"}
    | {"o'clock", "oclock", "am", "pm", "plus", "times", "number", "no", "half", "quarter"}
    | {
        "dash",
        "hyphen",
        "dot",
        "double",
        "triple",
        "us",
        "canadian",
        "australian",
        "quarters",
        "halves",
    }
    | tables.BEFORE_PERIODS
    | tables.MONTHS.keys()
    | tables.CURRENCIES.keys()
    | tables.CENTS.keys()
    | tables.MAGNITUDE_LETTERS.keys()
    | tables.DENOMINATORS.keys()
    | tables.MEASURE_WORDS
    | set("abcdefghijklmnopqrstuvwxyz")
)
# Words that no number begins or ends with, as `to` in `of 5 to`.
_BETWEEN = frozenset({"and", "of", "or", "through", "to"})
# Words that no name with a number begins or ends with; they would make runs of whole sentences.
_NEVER = frozenset({"the", "in", "is", "that", "it", "we", "you", "this", "was", "are", "our"})


def _known_words() -> dict[str, int]:
    known = dict.fromkeys(_WITHIN, WITHIN_RUN) | dict.fromkeys(_BETWEEN, BETWEEN)
    for word in NUMBER_WORDS:
        known[word] = WITHIN_RUN if word in _AMBIGUOUS else MAKES_RUN
        known[f"{word}fold"] = MAKES_RUN
    makes_run = {"half", "dollar", *map(str.lower, tables.ROMAN_NUMERALS), *tables.PHASES}
    return known | dict.fromkeys(makes_run, MAKES_RUN)


_KNOWN = _known_words()


def run_words(words: Sequence[str]) -> list[int]:
    """Return for each word whether it can be part of a run, as `Family.run_words` says.

    A word that is joined to a number anywhere in the vocabulary may be within a run: if one text
    has `COVID-19`, then `covid` may be, for `covid nineteen`.
    """
    kinds = []
    parts: set[str] = set()
    stripped = [word.strip(PUNCTUATION).lower() for word in words]
    for word, text in zip(words, stripped, strict=True):
        kind = WITHIN_RUN if word in LONE_DASHES else _KNOWN.get(text, 0)
        if not kind and text and not text.isalpha() and len(word) <= MOST_LETTERS:
            kind = _joined(word, parts)
        kinds.append(kind)
    parts -= _NEVER
    if parts:
        for place, text in enumerate(stripped):
            if not kinds[place] and text in parts:
                kinds[place] = WITHIN_RUN
    return kinds


def _joined(word: str, parts: set[str]) -> int:
    """Return the kind of a word with signs; add the words that are joined to its numbers."""
    atoms = atoms_of(word)
    if not any(atom.kind in NUMERIC for atom in atoms):
        if len(atoms) != 1:
            return 0
        text, currency = atoms[0].text, atoms[0].kind == CURRENCY
        return BETWEEN if text in _BETWEEN else WITHIN_RUN if currency or text in _WITHIN else 0
    parts.update(atom.text for atom in atoms if atom.kind == WORD)
    return MAKES_RUN
