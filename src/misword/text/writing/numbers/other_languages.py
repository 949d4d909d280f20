"""Readings of numbers in languages other than English.

`spelled.py` knows the values of number words. Here, words and digits are read as cardinal and
ordinal numbers, decimals, amounts with a unit, times of day, fractions, ranges and digit strings.
In a language whose larger numbers cannot be composed, words are compared with what num2words says
for the digits of the other text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import cache, cached_property, lru_cache
from typing import NamedTuple

from misword.text.writing import BETWEEN, MAKES_RUN, WITHIN_RUN, Phrase, Reading
from misword.text.writing.numbers.amounts import TELEPHONE, phone_groups
from misword.text.writing.numbers.atoms import MOST_LETTERS, strip
from misword.text.writing.numbers.language_tables import (
    AND_A_HALF,
    BEFORE_MINUTES,
    CODES,
    DECIMAL_POINT,
    DECIMAL_WORDS,
    DENOMINATORS,
    HOURS,
    JOINTS,
    OF,
    ORDINAL_POINT,
    ORDINAL_SUFFIXES,
    TO,
    UNITS,
    YEARS_IN_HALVES,
)
from misword.text.writing.numbers.quantities import exact, plain
from misword.text.writing.numbers.spelled import (
    THOUSAND,
    NumberWords,
    letters,
    number_words,
    spoken_forms,
)
from misword.text.writing.words import LONE_DASHES

# A number has at most this many words.
MOST_WORDS = 24
CURRENCIES = frozenset("$€£")
_HAS_DIGIT = re.compile(r"[0-9]")
_NUMBER = re.compile(
    r"""(?P<sign>-)?(?P<before>[$€£])?
        (?P<whole>[0-9]{1,3}(?:[.,'\u202f\u00a0][0-9]{3})+|[0-9]+)(?:[.,](?P<part>[0-9]+))?
        (?P<suffix>[%$€£ºª°]|[^\W\d_]{1,3})?""",
    re.VERBOSE,
)
_GROUP = re.compile(r"[0-9]{3}")
_GROUP_WITH_UNIT = re.compile(r"[0-9]{3}(?:[%$€£]|[^\W\d_]{1,3})")
_TIME = re.compile(r"([0-9]{1,2})[:h.]([0-5][0-9])|([0-9]{1,2})h")
_MINUTES = re.compile(r"[0-5][0-9]")
_FRACTION = re.compile(r"([0-9]{1,3})/([0-9]{1,3})")
_RANGE = re.compile(r"([0-9.,]*[0-9])-([0-9.,]*[0-9])(%)?")
_DASHED = re.compile(r"[0-9]+(?:-[0-9]+)+")


class Number(NamedTuple):
    """A number that ends before the word `end`.

    `text` is its value as it is compared; `scale` its power of ten if that is a word of its own;
    `said`: it is one word in letters.
    """

    end: int
    value: Decimal
    text: str
    scale: int = 1
    said: str = ""


@cache
def _within(lang: str) -> dict[str, int]:
    """Return the words beside number words that belong to numbers, with their kinds."""
    phrases = [name for names in UNITS.get(lang, {}).values() for name in names]
    phrases += [*UNITS.get(lang, ()), *HOURS.get(lang, ()), *DENOMINATORS.get(lang, ())]
    words = letters(" ".join(phrases).replace(" ", "|")).split("|")
    between = (*DECIMAL_WORDS.get(lang, ()), *JOINTS.get(lang, ()), OF.get(lang, ""))
    between += (TO.get(lang, ""), BEFORE_MINUTES.get(lang, ""))
    halves = [phrase.split()[1] for phrase in AND_A_HALF.get(lang, ())]
    found = dict.fromkeys(map(letters, between), BETWEEN)
    found |= dict.fromkeys([*words, *map(letters, halves), *"%$€£"], WITHIN_RUN)
    found.pop("", None)
    return found


def run_words(words: Sequence[str], lang: str) -> list[int]:
    """Return for each word whether it can be part of a run, as `Family.run_words` says.

    Words with digits and number words make a run. A word for one that is also an article makes a
    run only if one of the texts has the digit.
    """
    known = number_words(lang) if lang in CODES else None
    stripped = [strip(word) if not word.isalpha() else word.lower() for word in words]
    written = "".join(filter(_HAS_DIGIT.search, stripped))
    digits = [value for value in (1, 2) if str(value) in written]
    articles = {form for value, forms in known.ones.items() for form in forms} if known else set()
    wanted = {form for value in digits for form in known.ones.get(value, ())} if known else set()
    within = _within(lang) if known else {}
    return [
        WITHIN_RUN if word in LONE_DASHES else _kind(text, known, articles - wanted, within)
        for word, text in zip(words, stripped, strict=True)
    ]


def _kind(text: str, known: NumberWords | None, articles: set[str], within: dict[str, int]) -> int:
    if len(text) > MOST_LETTERS or not text:
        return 0
    if _HAS_DIGIT.search(text):
        return MAKES_RUN
    if known is None:
        return 0
    said = letters(text)
    kind = WITHIN_RUN if said == known.minus or _elided(text) in within else within.get(said, 0)
    if said in articles:
        return WITHIN_RUN
    if kind != BETWEEN and (known.is_part(said) or said in known.ordinals or said in known.halves):
        return MAKES_RUN
    return kind


def _elided(text: str) -> str:
    """Return the letters of a word behind d': d'euros."""
    return letters(text[2:]) if text[:2] in ("d'", "d’") else ""


def read(run: Phrase, lang: str) -> Iterator[Reading]:
    """Yield the readings of a run of words.

    >>> [reading.key for reading in read(("1.000",), "xx")]
    ['n:1000']
    """
    return _Run(run, lang).readings()


class _Run:
    """A run of words: digits and letters of each word, and what can be read at each of them."""

    def __init__(self, words: Phrase, lang: str) -> None:
        self.lang = lang
        self.words = words
        self.texts = [strip(word) for word in words]
        self.letters = [letters(text) for text in self.texts]
        self.known = number_words(lang) if lang in CODES else None
        self.numbers: dict[int, list[Number]] = {}

    def readings(self) -> Iterator[Reading]:
        """Yield each reading once."""
        places = self.places
        for start in sorted(places - {len(self.words)}):
            for end, key in dict.fromkeys(self._items(start)):
                if end in places:
                    yield Reading(start, end, key)

    @cached_property
    def places(self) -> set[int]:
        """The places at which a number may begin or end: nothing ends inside of the longest one."""
        found, place = {0}, 0
        while place < len(self.words):
            # Blanks between thousands may also be blanks between numbers: 8 249.
            ends = [place + 1, self._longest(place)]
            place = max(ends)
            found.add(place)
        return found | {
            place
            for place in range(1, len(self.words))
            if self.texts[place - 1].isdigit() and self.texts[place].isdigit()
        }

    def _longest(self, start: int) -> int:
        numbers = [number.end for number in self._numbers(start)]
        ordinals = [end for end, _ in self._ordinals(start)]
        return max([*numbers, *ordinals], default=start)

    def _items(self, start: int) -> Iterator[tuple[int, str]]:
        """Yield the end and the key of what begins at a word."""
        for number in self._numbers(start):
            yield number.end, f"n:{number.text}{self._form(number)}"
            yield from self._digit_of_article(number)
            yield from self._with_units(number)
            yield from self._times(start, number)
            yield from self._fractions(number)
            yield from self._ranges(number)
        yield from ((end, f"o:{value}") for end, value in self._ordinals(start))
        yield from self._written(start)
        yield from self._digit_strings(start)
        if self.known is not None and not self.known.composes:
            yield from self._spelled(start)

    # Numbers.

    def _numbers(self, start: int) -> list[Number]:
        """Return the cardinal and decimal numbers that begin at a word."""
        if start >= len(self.words):
            return []
        found = self.numbers.get(start)
        if found is None:
            found = self.numbers[start] = list(self._find_numbers(start))
        return found

    def _find_numbers(self, start: int) -> Iterator[Number]:
        dash = self.words[start] in LONE_DASHES
        if dash or (self.known is not None and self.letters[start] == self.known.minus):
            for number in self._numbers(start + 1):
                yield number._replace(value=-number.value, text=f"-{number.text}", said="")
            return
        written = _decimal(self.texts[start], self.lang)
        if written is not None:
            yield from self._written_numbers(start, written)
        said = self._composed(start)
        if said is not None:
            yield said
            if said.value != int(said.value):
                yield from self._scaled(said)
            yield from self._decimals(said)
            yield from self._and_a_half(said)

    def _written_numbers(self, start: int, value: Decimal) -> Iterator[Number]:
        """Yield digits, digits with blanks between thousands, and digits with a power of ten."""
        text = self.texts[start]
        number = Number(start + 1, value, exact(value))
        yield number
        digits, end = text, start + 1
        if text.isdigit() and len(text) <= 3:
            while end < len(self.texts) and _GROUP.fullmatch(self.texts[end]):
                digits, end = digits + self.texts[end], end + 1
        if end > start + 1 and text != "0":
            number = Number(end, Decimal(digits), digits)
            yield number
        for scaled in self._scaled(number):
            yield scaled
            yield from self._and_a_half(scaled)

    def _composed(self, start: int) -> Number | None:
        """Return the longest number in words, also with digits between them: 8 mille 249."""
        if self.known is None or (self.texts[start].isdigit() and start + 1 == len(self.texts)):
            return None
        joined, found = "", None
        for end in range(start + 1, min(start + MOST_WORDS, len(self.words)) + 1):
            word = self.letters[end - 1]
            if not (word.isdigit() or self._is_in_number(word)):
                break
            both_digits = joined[-1:].isdigit() and word[:1].isdigit()
            joined += f" {word}" if both_digits else word
            value = self._said_value(joined)
            if value is None or joined.isdigit() or self._goes_on(end):
                continue
            said = joined if end == start + 1 else ""
            found = Number(end, Decimal(value), plain(Decimal(value)), self._scale(end - 1), said)
        return found

    def _is_in_number(self, word: str) -> bool:
        """Whether a word can be within a number: `um a` is not `uma`."""
        assert self.known is not None
        joint = word in JOINTS.get(self.lang, ())
        return joint or self.known.is_part(word) or word in self.known.halves

    def _said_value(self, joined: str) -> Decimal | int | None:
        assert self.known is not None
        half = self.known.halves.get(joined)
        return half if half is not None else self.known.value(joined)

    def _scale(self, last: int) -> int:
        """Return the power of ten that a number ends with."""
        return self.known.scales.get(self.letters[last], 1) if self.known is not None else 1

    def _goes_on(self, end: int) -> bool:
        """Whether the word behind a number would take its last word: deux mille trois | mille."""
        assert self.known is not None
        if end >= len(self.words):
            return False
        pair = self.letters[end - 1] + self.letters[end]
        alone, both = (self.known.value(text) for text in (self.letters[end - 1], pair))
        return self.letters[end] in self.known.scales and alone is not None and both is not None

    def _decimals(self, number: Number) -> Iterator[Number]:
        """Yield `trois virgule quatorze` and `trois virgule un quatre`."""
        words = DECIMAL_WORDS.get(self.lang, ())
        if number.end >= len(self.words) or self.texts[number.end] not in words:
            return
        digits, end = "", number.end + 1
        while (part := self._small(end)) is not None:
            several = len(part[1]) > 1
            if several and digits.strip("0"):
                break
            end, digits = part[0], digits + part[1]
            if several:
                break
        if digits:
            value = Decimal(f"{number.value}.{digits}")
            decimal = Number(end, value, exact(value))
            yield decimal
            yield from self._scaled(decimal)

    def _small(self, place: int) -> tuple[int, str] | None:
        """Return the end and the digits of the longest number below a thousand in words."""
        assert self.known is not None
        joined, found = "", None
        for end in range(place + 1, min(place + 6, len(self.words)) + 1):
            joined += self.letters[end - 1]
            value = self.known.small.get(joined)
            if value is not None and value < THOUSAND:
                found = (end, str(value))
        return found

    def _scaled(self, number: Number) -> Iterator[Number]:
        """Yield a number with the power of ten behind it: 2,5 millions, viereinhalb Millionen."""
        if self.known is None or number.end >= len(self.words):
            return
        scale, end = self.known.scales.get(self.letters[number.end], 0), number.end + 1
        if end < len(self.words) and (of_scale := self.known.scales.get(self.letters[end], 0)):
            scale, end = scale * of_scale, end + 1  # mil millones
        if scale:
            value = number.value * scale
            yield Number(end, value, plain(value), scale)

    def _and_a_half(self, number: Number) -> Iterator[Number]:
        words = " ".join(self.texts[number.end : number.end + 2])
        if words in AND_A_HALF.get(self.lang, ()):
            value = number.value + Decimal(number.scale) / 2
            yield Number(number.end + 2, value, plain(value), number.scale)

    def _form(self, number: Number) -> str:
        """Return the word of a number that is an article, too: `un` and `une` are not the same."""
        if self.known is None or not number.said or number.value > 2:
            return ""
        articles = self.known.ones.get(int(number.value), ())
        return f" {number.said}" if number.said in articles else ""

    def _digit_of_article(self, number: Number) -> Iterator[tuple[int, str]]:
        """Yield the words that the digits 1 and 2 stand for."""
        if self.known is not None and number.text in ("1", "2") and not number.said:
            for form in self.known.ones.get(int(number.text), ()):
                yield number.end, f"n:{number.text} {form}"

    # Units, times, fractions and ranges.

    def _with_units(self, number: Number) -> Iterator[tuple[int, str]]:
        """Yield a number with the unit behind it: `5 km`, `cinq kilomètres`, `cinq euros vingt`."""
        value = plain(number.value)
        for end, sign, forms in self._units(number.end, number.scale > 1):
            yield from ((end, f"{sign}:{value} {form}") for form in forms)
            if sign in CURRENCIES and number.scale == 1:
                for cents in self._cents(end):
                    total = plain(number.value + cents.value / 100)
                    yield from ((cents.end, f"{sign}:{total} {form}") for form in forms)

    def _units(self, place: int, large: bool) -> Iterator[tuple[int, str, Sequence[str]]]:
        """Yield the end, the sign and the words of the unit at a word; a sign has several words."""
        if place >= len(self.words):
            return
        units = UNITS.get(self.lang, {})
        text = self.texts[place]
        if text in units:
            yield place + 1, text, [letters(form) for form in units[text]]
        if large and text == OF.get(self.lang):
            yield from self._units(place + 1, False)
        for sign, forms in units.items():
            for form in forms:
                end = place + form.count(" ") + 1
                said = "".join(self.letters[place:end])
                if said == letters(form) or (large and _elided(self.texts[place]) == letters(form)):
                    yield end, sign, [letters(form)]

    def _cents(self, place: int) -> Iterator[Number]:
        joints = (*JOINTS.get(self.lang, ()), *DECIMAL_WORDS.get(self.lang, ()))
        place += place < len(self.words) and self.texts[place] in joints
        for number in self._numbers(place):
            if number.value == int(number.value) and 1 <= number.value < 100:
                yield number

    def _times(self, start: int, number: Number) -> Iterator[tuple[int, str]]:
        """Yield `dix heures trente`, `diez y treinta`, and `10 h 30`."""
        if number.value != int(number.value) or not 0 <= number.value <= 24:
            return
        hour, place = int(number.value), number.end
        if place >= len(self.words):
            return
        named = self.texts[place] in HOURS.get(self.lang, ())
        place += named
        if named:
            yield place, f"t:{hour}:00"
        joined = place < len(self.words) and self.texts[place] == BEFORE_MINUTES.get(self.lang)
        place += joined
        if not (named or joined):
            return
        if place < len(self.words) and _MINUTES.fullmatch(self.texts[place]):
            yield place + 1, f"t:{hour}:{self.texts[place]}"
        for minutes in self._numbers(place):
            value = minutes.value
            if value == int(value) and (1 if named else 10) <= value < 60:
                yield minutes.end, f"t:{hour}:{int(value):02d}"

    def _fractions(self, number: Number) -> Iterator[tuple[int, str]]:
        if number.end < len(self.words) and 0 < number.value < 100:
            below = DENOMINATORS.get(self.lang, {}).get(self.texts[number.end], 0)
            if number.value < below:
                yield number.end + 1, f"f:{number.text}/{below}"

    def _ranges(self, number: Number) -> Iterator[tuple[int, str]]:
        """Yield `cinq à dix` and, with a unit, `dix à quinze pour cent`."""
        if number.end >= len(self.words) or self.texts[number.end] != TO.get(self.lang):
            return
        for second in self._numbers(number.end + 1):
            key = f"{number.text}..{second.text}"
            yield second.end, f"r:{key}"
            for end, sign, _ in self._units(second.end, False):
                if sign == "%":
                    yield end, f"r%:{key}"

    def _written(self, start: int) -> Iterator[tuple[int, str]]:
        """Yield what is written in one word with other signs: 60%, 5€, 10h30, 3/4, 5-10, 3e."""
        text, end = self.texts[start], start + 1
        if not _HAS_DIGIT.search(text):
            return
        if (match := _TIME.fullmatch(text)) is not None:
            hour, minute = (match[1], match[2]) if match[1] else (match[3], "00")
            named = end < len(self.texts) and self.texts[end] in HOURS.get(self.lang, ())
            if int(hour) <= 24 and ("." not in text or named):
                yield end + named, f"t:{int(hour)}:{minute}"
        if (match := _FRACTION.fullmatch(text)) is not None:
            yield end, f"f:{match[1]}/{match[2]}"
        if (match := _RANGE.fullmatch(text)) is not None:
            yield from self._written_range(match, end)
        if _DASHED.fullmatch(text) and sum(map(str.isdigit, text)) >= TELEPHONE:
            yield end, f"s:{text.replace('-', '')}"
            yield end, f"groups:{text.replace('-', ' ')}"
        yield from self._grouped_unit(start)
        if (match := _NUMBER.fullmatch(text)) is not None and (match["before"] or match["suffix"]):
            yield from self._written_unit(match, start)

    def _written_range(self, match: re.Match[str], end: int) -> Iterator[tuple[int, str]]:
        low, high = (_decimal(match[side], self.lang) for side in (1, 2))
        if low is None or high is None:
            return
        key = f"{exact(low)}..{exact(high)}"
        percent = bool(match[3]) or self.texts[end : end + 1] == ["%"]
        if percent:
            yield end + (not match[3]), f"r%:{key}"
        if not match[3]:
            yield end, f"r:{key}"

    def _written_unit(self, match: re.Match[str], start: int) -> Iterator[tuple[int, str]]:
        sign = match["before"] or match["suffix"]
        value = _value(match, self.lang)
        if value is None:
            return
        for form in UNITS.get(self.lang, {}).get(sign, ()):
            yield start + 1, f"{sign}:{plain(value)} {letters(form)}"
        yield start + 1, f"{sign}:{plain(value)}"

    def _grouped_unit(self, start: int) -> Iterator[tuple[int, str]]:
        """Yield digits with blanks between thousands and a unit at their end: 7 278€."""
        if not self.texts[start].isdigit() or len(self.texts[start]) > 3:
            return
        end = start + 1
        while end < len(self.texts) and _GROUP.fullmatch(self.texts[end]):
            end += 1
        if end < len(self.texts) and _GROUP_WITH_UNIT.fullmatch(self.texts[end]):
            match = _NUMBER.fullmatch("".join(self.texts[start : end + 1]))
            if match is not None:
                yield from self._written_unit(match, end)

    def _ordinals(self, start: int) -> Iterator[tuple[int, int]]:
        """Yield the end and the value of `3e`, `3.`, `dritten`, `vingt et unième`."""
        match = _NUMBER.fullmatch(self.texts[start])
        if match is not None and not match["sign"] and not match["part"]:
            suffix = (match["suffix"] or "").lower()
            point = self.lang in ORDINAL_POINT and self.words[start].rstrip(",;:").endswith(".")
            if suffix in ORDINAL_SUFFIXES.get(self.lang, ()) or (point and not suffix):
                yield start + 1, int(re.sub(r"[^0-9]", "", match["whole"]))
        if self.known is None:
            return
        joined = ""
        for end in range(start + 1, min(start + 6, len(self.words)) + 1):
            joined += self.letters[end - 1]
            value = self.known.ordinals.get(joined)
            if value is not None:
                yield end, value

    # Digit strings: 06 12 34, zéro six douze trente-quatre.

    def _digit_strings(self, start: int) -> Iterator[tuple[int, str]]:
        """Yield digits that are said one by one or in pairs, and digits in groups."""
        text = self.texts[start]
        if text.isdigit():
            yield start + 1, f"s:{text}"
        if self.known is None:
            return
        digits, groups, end = "", 0, start
        while end < len(self.words) and len(digits) <= MOST_WORDS:
            group = self._group(end)
            if group is None:
                break
            end, more = group
            digits, groups = digits + more, groups + 1
            one_by_one = len(digits) == groups >= 3
            if one_by_one or (digits[0] == "0" and len(digits) == 2):
                yield end, f"s:{digits}"
                yield from ((end, f"groups:{parts}") for parts in phone_groups(digits))
            elif len(digits) >= TELEPHONE:
                yield end, f"s:{digits}"
            elif groups == 2 and self.lang in YEARS_IN_HALVES and digits[:2] <= "20":
                yield end, f"s:{digits[:2]}{digits[2:]:0>2}"
        yield from self._written_groups(start)

    def _group(self, place: int) -> tuple[int, str] | None:
        """Return the end and the digits of a number below a thousand in words."""
        number = self._composed(place)
        if number is None or number.value >= 1000 or number.value != int(number.value):
            return None
        return None if _HAS_DIGIT.search(self.texts[place]) else (number.end, number.text)

    def _written_groups(self, start: int) -> Iterator[tuple[int, str]]:
        end = start
        while end < len(self.texts) and self.texts[end].isdigit() and end - start < TELEPHONE:
            end += 1
            if end > start + 1:
                yield end, f"groups:{' '.join(self.texts[start:end])}"

    def _spelled(self, start: int) -> Iterator[tuple[int, str]]:
        """Yield what num2words says for digits, and the letters of all words without digits."""
        text = self.texts[start]
        if _HAS_DIGIT.search(text):
            for form in spoken_forms(text, self.lang):
                yield start + 1, f"w:{letters(form)}"
            return
        before = start > 0 and not _HAS_DIGIT.search(self.texts[start - 1])
        end = start
        while end < len(self.texts) and not _HAS_DIGIT.search(self.texts[end]):
            end += 1
        if not before:
            yield end, f"w:{''.join(self.letters[start:end])}"


@lru_cache(maxsize=1 << 16)
def _decimal(text: str, lang: str) -> Decimal | None:
    """Return the value of digits without a unit; None if the text has something else."""
    match = _NUMBER.fullmatch(text)
    if match is None or match["before"] or match["suffix"]:
        return None
    return _value(match, lang)


def _value(match: re.Match[str], lang: str) -> Decimal | None:
    """Return the value of a number; the language decides what a point and a comma are."""
    whole, part = match["whole"], match["part"] or ""
    text = match[0]
    point = "." if lang in DECIMAL_POINT else ","
    if part and len(part) == 3 and point not in text:
        whole, part = whole + part, ""
    elif not part and point in whole:
        whole, _, part = whole.partition(point)
    digits = re.sub(r"[^0-9]", "", whole)
    if not digits or len(digits) > 18 or (len(digits) > 1 and digits[0] == "0"):
        return None
    return Decimal(f"{match['sign'] or ''}{digits}{part and '.'}{part}")
