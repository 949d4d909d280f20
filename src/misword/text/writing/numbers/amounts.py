"""Amounts: the values that a sequence of number words or digits can stand for, and their wordings.

Digits can be said in several ways, words are said as they are. `1500` is `one thousand five
hundred` or `fifteen hundred`. Both share a key with the digits, but not with each other: where both
texts have words, another wording is an error.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from itertools import accumulate, pairwise
from typing import NamedTuple

from misword.text.writing.numbers import tables
from misword.text.writing.numbers.atoms import (
    CURRENCY,
    DIGITS,
    FRACTION,
    HUNDRED,
    MAGNITUDE,
    NUMERIC,
    SIGN,
    SMALL,
    TEEN,
    TENS,
    UNIT,
    WORD,
    ZERO,
    Atom,
    Atoms,
)

# Wordings.

IN_DIGITS = "digits"
USUAL = ""  # one hundred, one thousand five hundred, two point five
WITH_A = "a"  # a hundred, a dollar
WITHOUT_ONE = "bare"  # hundred
HUNDREDS = "hundreds"  # fifteen hundred
GROUPS = "groups"  # one twenty seven
FRACTION_SAID = "fraction"  # two and a half
WITH_A_AND_FRACTION = "a fraction"  # a million and a half
HALF = "half"  # half a million


def wordings(value: Decimal, wording: str) -> list[str]:
    """Return the wordings that a number can have; words have only their own.

    >>> wordings(Decimal(21), IN_DIGITS), wordings(Decimal(100), WITH_A)
    ([''], ['a'])
    """
    if wording != IN_DIGITS:
        return [wording]
    found = [USUAL]
    size = abs(value)
    first = str(size)[0]
    if 1 <= size < 2:
        found.append(WITH_A)
    elif size >= 100:
        found += [GROUPS, HUNDREDS]
        if first == "1":
            found += [WITH_A, WITHOUT_ONE, WITH_A_AND_FRACTION]
        elif first == "5":
            found.append(HALF)
    if size >= 1000 or size != int(size):
        found.append(FRACTION_SAID)
    return found


# Digit strings: numbers that are said digit by digit or in groups of digits.

# The digits of each group.
Groups = tuple[str, ...]


class DigitString(NamedTuple):
    """Groups of digits that end before the atom `end`; `written`: a group is written in digits."""

    end: int
    groups: Groups
    written: bool

    @property
    def digits(self) -> str:
        """All digits."""
        return "".join(self.groups)


# What the second word of a digit string can be, beside `double` and `triple`.
_CONTINUES = SMALL | {DIGITS, ZERO, HUNDRED, SIGN}
# Telephone numbers have at most 15 digits (E.164), card numbers 16.
MOST_STRING_DIGITS = 16
# From this number of digits on, groups may follow each other in any way: telephone numbers.
TELEPHONE = 7
_GROUPINGS = (
    (3, 4),
    (3, 2, 2),
    (4, 4),
    (3, 3, 3),
    (3, 2, 2, 2),
    (3, 3, 4),
    (2, 2, 2, 2, 2),
    (1, 3, 3, 4),
    (4, 4, 4, 4),
)


def digit_strings(atoms: Atoms, start: int, *, short: bool = False) -> list[DigitString]:
    """Return every digit string of more than one group that begins at an atom.

    `nineteen ninety nine` is 1999, `one oh five` is 105, `one eight hundred` is 1800. Single digits
    make a string if there are at least three of them, since `two three` is rarely 23; with `short`,
    behind a letter, two are enough.
    """
    known = atoms.digit_strings.get((start, short))
    if known is None:
        known = _read(atoms, start, short=short) if _has_second_word(atoms, start) else []
        atoms.digit_strings[start, short] = known
    return known


def _has_second_word(atoms: Atoms, start: int) -> bool:
    """Whether the second atom can be part of a digit string, so that it pays to read on."""
    if start + 1 >= len(atoms):
        return False
    second = atoms[start + 1]
    return second.kind in _CONTINUES or second.text in tables.REPEATS


def said_strings(atoms: Atoms, start: int, *, short: bool = False) -> Iterator[tuple[int, str]]:
    """Yield the end and the digits of the strings that are one number.

    Groups in words are (`nineteen ninety nine`), and telephone numbers in digits (`555-1234`).
    Other groups of digits that are written apart are several numbers: `20 10` is not 2010.
    """
    for string in digit_strings(atoms, start, short=short):
        if not string.written or _is_telephone(atoms, start, string):
            yield string.end, string.digits


def _is_telephone(atoms: Atoms, start: int, string: DigitString) -> bool:
    """Whether groups in digits are one number: 555-1234, 1 800 555 1234, and the year 20-20."""
    if _has_dash(atoms, start, string.end):
        return True
    *country, area, middle, last = map(len, string.groups) if len(string.groups) > 2 else (0,) * 4
    return (area, middle, last) == (3, 3, 4) and sum(country) <= 3


def phone_groups(digits: str) -> Iterator[str]:
    """Yield the groups in which people write a telephone or card number.

    >>> list(phone_groups("5551234"))
    ['555 1234', '555 12 34']
    """
    for sizes in _GROUPINGS:
        if sum(sizes) == len(digits):
            ends = list(accumulate(sizes))
            yield " ".join(digits[end - size : end] for end, size in zip(ends, sizes, strict=True))


def _read(atoms: Atoms, start: int, *, short: bool) -> list[DigitString]:
    found = []
    stack: list[tuple[int, Groups]] = [(start, ())]
    while stack:
        place, groups = stack.pop()
        for end, more in _groups(atoms, place):
            longer = groups + more
            digits = "".join(longer)
            if len(digits) > MOST_STRING_DIGITS:
                continue
            if not _has_dash(atoms, start, end) or _may_have_dash(longer):
                repeated = not groups and len(more) > 1
                if repeated or _plausible(longer, short=short):
                    written = any(atom.kind == DIGITS for atom in atoms[start:end])
                    found.append(DigitString(end, longer, written))
            stack.append((_after_dash(atoms, end), longer))
    return found


def _groups(atoms: Atoms, place: int) -> Iterator[tuple[int, Groups]]:
    """Yield the groups of digits that can stand at an atom."""
    if place >= len(atoms):
        return
    atom = atoms[place]
    following = atoms[place + 1] if place + 1 < len(atoms) else None
    if atom.kind == DIGITS:
        if atom.text.isdigit():
            yield place + 1, (atom.text,)
    elif atom.text in tables.REPEATS:
        if following is not None and following.kind in (UNIT, ZERO):
            yield place + 2, (str(following.value),) * tables.REPEATS[atom.text]
    elif atom.kind == ZERO:
        yield place + 1, (str(atom.value),)
    elif atom.kind == UNIT and following is not None and following.kind == HUNDRED:
        yield from _hundreds(atoms, place, atom.value)
    elif atom.kind in SMALL:
        end, value = _below_hundred(atoms, place)
        yield end, (str(value),)


def _below_hundred(atoms: Atoms, place: int) -> tuple[int, int]:
    """Return the end and the value of `five`, `fifteen`, `fifty` or `fifty five`."""
    value = atoms[place].value
    if atoms[place].kind == TENS and place + 1 < len(atoms) and atoms[place + 1].kind == UNIT:
        return place + 2, value + atoms[place + 1].value
    return place + 1, value


def _hundreds(atoms: Atoms, place: int, hundreds: int) -> Iterator[tuple[int, Groups]]:
    """Yield `eight hundred` as 800 and `eight hundred fifty five` also as 855."""
    place += 2
    yield place, (f"{hundreds}00",)
    place += place < len(atoms) and atoms[place].text == "and"
    if place < len(atoms) and atoms[place].kind in SMALL:
        end, value = _below_hundred(atoms, place)
        if end == len(atoms) or atoms[end].kind != HUNDRED:
            yield end, (f"{hundreds}{value:02d}",)


def _has_dash(atoms: Atoms, start: int, end: int) -> bool:
    """Whether a dash stands between digits."""
    return any(atom.kind == SIGN for atom in atoms[start:end])


def _may_have_dash(groups: Groups) -> bool:
    """Whether digits with a dash can be one string: 555-1234 and the year 20-20, but not 10-15."""
    is_year = len(groups) == 2 and groups[0] in ("19", "20") and len(groups[1]) == 2
    return is_year or sum(map(len, groups)) >= TELEPHONE


def _after_dash(atoms: Atoms, place: int) -> int:
    """Return the place behind a dash between digits: 555-1234."""
    dash = place < len(atoms) and atoms[place].kind == SIGN and atoms[place].text == "-"
    return place + dash


def _plausible(groups: tuple[str, ...], *, short: bool) -> bool:
    """Whether somebody who hears these groups would write them as one string of digits."""
    if len(groups) == 1:
        return False
    sizes = [len(group) for group in groups]
    if max(sizes) == 1:
        return len(groups) >= (2 if short else 3)
    if sum(sizes) >= TELEPHONE:
        return True
    return all(_may_follow(left, right) for left, right in pairwise(groups))


def _may_follow(left: str, right: str) -> bool:
    """Whether `right` can continue `left`.

    Not `ten five`, which nobody says for 105, and not `six hundred twenty`, which is 620.
    """
    if len(left) == 3 and left.endswith("00"):
        return len(right) > 2
    return len(right) > 1 or len(left) == 1 or right == "0"


# Amounts.

# More digits than this are a digit string, not an amount.
MOST_AMOUNT_DIGITS = 18
# Digit strings up to this length are also values: `one twenty seven percent`.
GROUPED_DIGITS = 4
# The wording of a number with a fraction behind it, by the wording without; others are usual.
_FRACTIONAL = {IN_DIGITS: IN_DIGITS, WITH_A: WITH_A_AND_FRACTION}
_FIRST_WORDS = frozenset({"a", "half", "point"})
_PARTS_OF_ONE = {"half": Decimal("0.5"), "quarter": Decimal("0.25"), "quarters": Decimal("0.25")}


class Amount(NamedTuple):
    """A value that ends before the atom `end`; `scale` is its last magnitude, a million in 5m."""

    end: int
    value: Decimal
    scale: int = 1
    wording: str = USUAL


def amounts(atoms: Atoms, start: int) -> list[Amount]:
    """Return every amount that begins at an atom, as `read_amounts` does, and remember it."""
    found: list[Amount] | None = atoms.amounts.get(start)
    if found is None:
        found = atoms.amounts[start] = read_amounts(atoms, start)
    return found


def read_amounts(atoms: Atoms, start: int) -> list[Amount]:
    """Return every amount that begins at an atom: `twenty one hundred` is 20, 21 and 2100.

    An amount is a cardinal number (`one hundred and five`, `1,250`), a decimal number (`three point
    one`, `.5`) or a number with a fraction (`two and a half`, `2 1/2`), each also with a magnitude
    (`1.3 billion`, `5k`).
    """
    atom = atoms[start]
    if atom.kind not in NUMERIC and atom.text not in _FIRST_WORDS:
        return []
    whole = list(_cardinals(atoms, start))
    parts = list(_written_decimal(atoms, start))
    if start + 1 == len(atoms):
        return whole + parts
    found = list(whole)
    if "point" in atoms.texts:
        grouped = spoken_groups(atoms, start)
        for amount in (*whole, *grouped) or [Amount(start, Decimal(0))]:
            parts.extend(_spoken_decimals(atoms, amount))
    if FRACTION in atoms.kinds or "and" in atoms.texts:
        for amount in (*whole, *parts):
            parts.extend(_with_fraction(atoms, amount))
    if "half" in atoms.texts:
        parts.extend(_half_of(atoms, start))
    found.extend(parts)
    for amount in (*parts, *(amount for amount in whole if amount.end == start + 1)):
        found.extend(_with_magnitude(atoms, amount))
    return found


def spoken_groups(atoms: Atoms, start: int) -> list[Amount]:
    """Return numbers that are said in groups of digits: `three nineteen` in 319.8."""
    return [
        Amount(string.end, Decimal(string.digits), wording=GROUPS)
        for string in digit_strings(atoms, start)
        if not string.written and len(string.digits) <= GROUPED_DIGITS and string.digits[0] != "0"
    ]


def _cardinals(atoms: Atoms, start: int) -> Iterator[Amount]:
    """Yield cardinal numbers, at each place where one may end.

    `room` bounds the next smaller number word: below 100 after `hundred`, below 10 after `twenty`.
    """
    place, count = start, len(atoms)
    total, group, scale, room = 0, 0, 10**18, 1000
    wording = IN_DIGITS if atoms[start].kind == DIGITS else USUAL
    if _one_is_understood(atoms, start):
        group, room = 1, 0
        wording = WITH_A if atoms[start].text == "a" else WITHOUT_ONE
        place += wording == WITH_A
    while place < count:
        atom = atoms[place]
        if atom.kind in SMALL and atom.value < room:
            group += atom.value
            room = 10 if atom.kind == TENS else 0
        elif atom.kind == HUNDRED and _takes_hundred(group, scale):
            wording = wording or (HUNDREDS if group > 9 else USUAL)
            group, room = group * 100, 100
        elif atom.kind == MAGNITUDE and group and atom.value < scale:
            total, group, scale, room = total + group * atom.value, 0, atom.value, 1000
        elif atom.kind == DIGITS and (place == start or _is_below(atom, min(room, scale))):
            if not _is_whole(atom.text):
                break
            group, room = group + int(atom.text), 0
        elif atom.text == "and" and (room == 100 or (total and not group)):
            if not _fits(atoms, place + 1, room):
                return
            place += 1
            continue
        else:
            break
        place += 1
        yield Amount(place, Decimal(total + group), 1 if group else scale, wording)
    if place == start < count and atoms[place].text in ("zero", "nought", "naught"):
        yield Amount(place + 1, Decimal(0))


def _takes_hundred(group: int, scale: int) -> bool:
    """Whether `hundred` may follow: not in `ten hundred`, and not 2,500 behind a thousand."""
    return 0 < group < 100 and (group < 10 or group % 10 > 0) and group * 100 < scale


def _one_is_understood(atoms: Atoms, start: int) -> bool:
    """Whether `a hundred`, or `hundred` without a number before it, begins here."""
    atom = atoms[start]
    if atom.text == "a" and start + 1 < len(atoms):
        return atoms[start + 1].kind in (HUNDRED, MAGNITUDE)
    before = atoms[start - 1] if start else None
    alone = before is None or (before.kind not in NUMERIC and before.text not in ("a", "point"))
    return atom.kind in (HUNDRED, MAGNITUDE) and alone


def _fits(atoms: Atoms, place: int, room: int) -> bool:
    """Whether the number word behind `and` continues the number."""
    if place >= len(atoms):
        return False
    atom = atoms[place]
    return (atom.kind in SMALL and atom.value < room) or _is_below(atom, room)


def _is_below(atom: Atom, bound: int) -> bool:
    """Whether an atom is a whole number in digits below a bound."""
    return atom.kind == DIGITS and _is_whole(atom.text) and 0 < int(atom.text) < bound


def _is_whole(text: str) -> bool:
    return "." not in text and len(text) <= MOST_AMOUNT_DIGITS and (text[0] != "0" or text == "0")


def _written_decimal(atoms: Atoms, start: int) -> Iterator[Amount]:
    """Yield 1.3 and .5."""
    atom = atoms[start]
    if atom.kind == DIGITS and "." in atom.text and len(atom.text) <= MOST_AMOUNT_DIGITS:
        yield Amount(start + 1, Decimal(atom.text), wording=IN_DIGITS)


def _spoken_decimals(atoms: Atoms, amount: Amount) -> Iterator[Amount]:
    """Yield `three point one`, `three point one four` behind the amount `three`."""
    place = amount.end
    if place < len(atoms) and amount.value == 0 and atoms[place].text in ("o", "oh"):
        place += 1
    if place + 1 >= len(atoms) or atoms[place].text != "point" or amount.scale != 1:
        return
    digits = ""
    for end, group in _digit_groups(atoms, place + 1):
        digits += group
        yield Amount(end, amount.value + Decimal(f"0.{digits}"), wording=amount.wording)


def _digit_groups(atoms: Atoms, place: int) -> Iterator[tuple[int, str]]:
    """Yield the digits behind `point`, one number word after the other: `one`, `twenty five`."""
    count = len(atoms)
    while place < count:
        atom = atoms[place]
        if atom.kind == DIGITS and atom.text.isdigit():
            place += 1
            yield place, atom.text
            continue
        if atom.kind not in (UNIT, ZERO, TEEN, TENS):
            return
        value = atom.value
        place += 1
        if atom.kind == TENS and place < count and atoms[place].kind == UNIT:
            value += atoms[place].value
            place += 1
        yield place, str(value)


def _with_fraction(atoms: Atoms, amount: Amount) -> Iterator[Amount]:
    """Yield `two and a half`, `2 1/2` and `a million and a half` behind the amount."""
    place, unit = amount.end, amount.scale
    if place >= len(atoms):
        return
    dash = atoms[place].kind == SIGN and place + 1 < len(atoms)
    if atoms[place + dash].kind == FRACTION and unit == 1 and amount.value == int(amount.value):
        top, bottom = map(int, atoms[place + dash].text.split("/"))
        if 0 < top < bottom and 16 % bottom == 0:
            value = amount.value + Decimal(top) / bottom
            yield Amount(place + dash + 1, value, wording=IN_DIGITS)
        return
    words = [atom.text for atom in atoms[place : place + 3]]
    if len(words) == 3 and words[0] == "and" and words[2] in _PARTS_OF_ONE:
        times = {"a": 1, "one": 1, "three": 3}.get(words[1], 0)
        if times:
            part = _PARTS_OF_ONE[words[2]] * times * unit
            wording = _FRACTIONAL.get(amount.wording, FRACTION_SAID)
            yield Amount(place + 3, amount.value + part, unit, wording)


def _half_of(atoms: Atoms, start: int) -> Iterator[Amount]:
    """Yield `half a million`, `a half million` and `half million`."""
    words = [atom.text for atom in atoms[start : start + 2]]
    if "half" not in words:
        return
    place = start + (2 if words in (["half", "a"], ["a", "half"]) else words[0] == "half")
    if place > start and place < len(atoms) and atoms[place].kind == MAGNITUDE:
        scale = atoms[place].value
        yield Amount(place + 1, Decimal(scale) / 2, scale, HALF)


def _with_magnitude(atoms: Atoms, amount: Amount) -> Iterator[Amount]:
    """Yield `1.3 billion`, `2.5k` behind 1.3 and 2.5; letters only behind digits."""
    place = amount.end
    if place >= len(atoms) or amount.scale != 1:
        return
    atom = atoms[place]
    scale = 0
    if atom.kind == MAGNITUDE:
        scale = atom.value
    elif atom.kind == WORD and atoms[place - 1].kind == DIGITS:
        scale = _scale_of_letters(atoms, place)
    if scale:
        yield Amount(place + 1, amount.value * scale, scale, amount.wording)


def _scale_of_letters(atoms: Atoms, place: int) -> int:
    """Return the magnitude of letters behind digits; 0 for `401k`, and for `mm` without money."""
    letters, money = atoms[place].text, place > 1 and atoms[place - 2].kind == CURRENCY
    if not money and f"{atoms[place - 1].text}{letters}" in tables.PLANS:
        return 0
    if letters == "mm" and not (money or atoms[place].capital):
        return 0
    return tables.MAGNITUDE_LETTERS.get(letters, 0)
