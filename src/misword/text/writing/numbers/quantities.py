"""Quantities: amounts with a sign and a unit (percent, money), and ordinals and fractions."""

from __future__ import annotations

from collections.abc import Container, Iterator
from decimal import Decimal
from typing import NamedTuple

from misword.text.writing.numbers import tables
from misword.text.writing.numbers.amounts import USUAL, WITH_A, amounts, spoken_groups, wordings
from misword.text.writing.numbers.atoms import (
    CURRENCY,
    DIGITS,
    FRACTION,
    HUNDRED,
    MAGNITUDE,
    NUMERIC,
    ORDINAL,
    PLURAL,
    SIGN,
    TEEN,
    TENS,
    UNIT,
    WRITTEN_ORDINAL,
    WRITTEN_PLURAL,
    Atom,
    Atoms,
)

# The end of what was read, and its key.
Item = tuple[int, str]

SIGNS = frozenset(tables.CURRENCY_SIGNS.values())
SINGULAR, PLURAL_UNIT = "1", "s"
# An ordinal number has at most this many atoms.
LONGEST_ORDINAL = 12


class Quantity(NamedTuple):
    """An amount with a unit: `%`, a currency sign, or nothing."""

    end: int
    unit: str
    value: Decimal
    scale: int = 1
    wording: str = USUAL

    @property
    def keys(self) -> list[str]:
        """The keys of a reading: one for each way to say it."""
        value = plain(self.value) if self.unit or self.scale > 1 else exact(self.value)
        units = spoken_units(self.unit)
        return [
            f"{unit or 'n'}:{value}{wording and f' {wording}'}"
            for wording in wordings(self.value, self.wording)
            for unit in units
        ]


def spoken_units(unit: str) -> tuple[str, ...]:
    """Return what a unit can be in speech: `$5` is `five dollars`, or `five dollar` in a name.

    Words keep the form that they have: `five dollar` is not `five dollars`.
    """
    return (f"{unit}{SINGULAR}", f"{unit}{PLURAL_UNIT}") if unit in SIGNS else (unit,)


def plain(value: Decimal) -> str:
    """Return a value without exponent and without zeros at its end.

    >>> plain(Decimal("2.50")), plain(Decimal(1300000000))
    ('2.5', '1300000000')
    """
    if value == int(value):
        return str(int(value))
    return format(value.normalize(), "f")


def exact(value: Decimal) -> str:
    """Return a value without a unit; zeros at its end are kept, because 3.10 may be a version.

    >>> exact(Decimal("3.10")), exact(Decimal("0.50")), exact(Decimal("3"))
    ('3.10', '0.5', '3')
    """
    return plain(value) if abs(value) < 1 or value.as_tuple().exponent == 0 else f"{value:f}"


def quantities(atoms: Atoms, start: int) -> list[Quantity]:
    """Return every amount that begins at an atom, with its sign and its unit.

    `$1.3 billion`, `one point three billion dollars`, `minus 5%`, `fifty cents`.
    """
    place, sign = start, 1
    if atoms[place].text in tables.MINUS or _is_minus(atoms, place):
        place, sign = place + 1, -1
    currency = ""
    if place < len(atoms) and atoms[place].kind == CURRENCY:
        currency = atoms[place].text
        place += 1
        if sign == 1 and place < len(atoms) and atoms[place].text == "-":
            place, sign = place + 1, -1
    if place >= len(atoms):
        return []
    found = []
    for end, value, scale, wording in amounts(atoms, place):
        quantity = Quantity(end, currency, value * sign, scale, wording)
        found.append(quantity)
        if end == len(atoms):
            continue
        if not currency:
            found.extend(_with_unit(atoms, quantity))
        elif scale == 1:
            found.extend(_cents(atoms, quantity, named=True))
        else:
            found.extend(_redundant_currency(atoms, quantity))
    if not currency and place + 1 < len(atoms):
        for end, value, _, wording in spoken_groups(atoms, place):
            found.extend(_with_unit(atoms, Quantity(end, "", value * sign, 1, wording)))
        found.extend(_one_unit(atoms, place))
    return found


def _is_minus(atoms: Atoms, place: int) -> bool:
    """Whether a dash is a minus: no number stands before it, and one behind it."""
    dash = atoms[place].kind == SIGN and atoms[place].text == "-"
    return dash and (place == 0 or atoms[place - 1].kind not in NUMERIC)


def _with_unit(atoms: Atoms, quantity: Quantity) -> Iterator[Quantity]:
    """Yield a quantity with the unit that is written behind it."""
    words = [atom.text for atom in atoms[quantity.end : quantity.end + 2]]
    if not words:
        return
    if words[0] in ("percent", "pct"):
        # The second one is redundant: 80% percent.
        for count in range(1, 2 + (words == ["percent", "percent"])):
            yield quantity._replace(end=quantity.end + count, unit="%")
    elif words == ["per", "cent"]:
        yield quantity._replace(end=quantity.end + 2, unit="%")
    else:
        yield from _money(atoms, quantity, words)


def _money(atoms: Atoms, quantity: Quantity, words: list[str]) -> Iterator[Quantity]:
    """Yield `five dollars`, `fifty cents`, `five dollars and fifty cents`, `five us dollars`."""
    end, value = quantity.end, quantity.value
    if words[0] in tables.CENTS:
        sign = tables.CENTS[words[0]]
        unit = sign + _form(words[0], value)
        yield Quantity(end + 1, unit, value / 100, wording=quantity.wording)
    elif words[0] in tables.DOLLARS and words[1:] in (["dollar"], ["dollars"]):
        unit = tables.DOLLARS[words[0]] + _form(words[1], value)
        yield quantity._replace(end=end + 2, unit=unit)
    elif words[0] in tables.CURRENCIES:
        sign = tables.CURRENCIES[words[0]]
        yield quantity._replace(end=end + 1, unit=sign + _form(words[0], value))
        if quantity.scale == 1:
            yield from _cents(atoms, quantity._replace(end=end + 1, unit=sign))
            if end + 1 < len(atoms) and atoms[end + 1].kind == MAGNITUDE:
                # Some recognisers read $5 million as `five dollars million`.
                scale = atoms[end + 1].value
                yield Quantity(end + 2, sign + PLURAL_UNIT, value * scale, scale, quantity.wording)


def _form(word: str, value: Decimal) -> str:
    """Return which form the word of a unit has; the form for a value of one is the usual one."""
    usual = word.endswith(("s", "pence", "yen", "usd", "eur", "gbp", "p")) or value == 1
    return PLURAL_UNIT if usual else SINGULAR


def _cents(atoms: Atoms, money: Quantity, *, named: bool = False) -> Iterator[Quantity]:
    """Yield `five dollars and fifty cents` and, unless `named`, `five dollars (and) fifty`."""
    place = money.end
    place += place < len(atoms) and atoms[place].text == "and"
    if place >= len(atoms):
        return
    for end, value, scale, _ in amounts(atoms, place):
        if value != int(value) or not 1 <= value <= 99 or scale != 1:
            continue
        cents = end < len(atoms) and atoms[end].text in tables.CENTS
        if cents or (value >= 10 and not named):
            total = money.value + value / 100
            yield Quantity(end + cents, f"{money.unit}{PLURAL_UNIT}", total, 1, money.wording)


def _one_unit(atoms: Atoms, place: int) -> Iterator[Quantity]:
    """Yield `a dollar`, also with cents: `a dollar twenty`."""
    if atoms[place].text == "a" and place + 1 < len(atoms):
        currency = tables.CURRENCIES.get(atoms[place + 1].text)
        if currency and atoms[place + 1].text in ("dollar", "euro", "pound"):
            money = Quantity(place + 2, currency, Decimal(1), wording=WITH_A)
            yield money._replace(unit=f"{currency}{PLURAL_UNIT}")
            yield from _cents(atoms, money)


def _redundant_currency(atoms: Atoms, money: Quantity) -> Iterator[Quantity]:
    """Yield `$5 million dollars`, as some write it; if the two differ, the word was said."""
    if money.scale > 1 and money.end < len(atoms):
        sign = tables.CURRENCIES.get(atoms[money.end].text)
        if sign is not None:
            yield money._replace(end=money.end + 1, unit=sign)


def whole_numbers(atoms: Atoms, word_ends: Container[int]) -> set[int]:
    """Return the places at which a number may begin or end; `word_ends` are the ends of words.

    From left to right, the words are divided into the longest numbers, and nothing begins or ends
    inside of one of these: `eight thousand two hundred` is 8,200, never 8,002 and a hundred.
    Digit strings (`nineteen ninety nine`), dates, ranges and names may consist of several of them.
    A letter behind digits may be a magnitude or a name: 10k. Digits may be apart from a magnitude
    in words, because references that list alternatives for the digits have it apart.
    """
    places, place = {0}, 0
    if len(atoms) == 1:
        return {0, 1}
    while place < len(atoms):
        place = max(_longest(atoms, place, word_ends), place + 1)
        places.add(place)
        if atoms[place - 1].text in tables.MAGNITUDE_LETTERS or _is_scaled(atoms, place):
            places.add(place - 1)
    return places


def _is_scaled(atoms: Atoms, place: int) -> bool:
    """Whether a number ends with digits and a magnitude in words: `5 million`."""
    return place > 1 and atoms[place - 1].kind == MAGNITUDE and atoms[place - 2].kind == DIGITS


def _longest(atoms: Atoms, start: int, word_ends: Container[int]) -> int:
    """Return the end of the longest number at an atom.

    The number of `no. 5` is not read alone, since `no` is then another word.
    """
    ends = [amount.end for amount in amounts(atoms, start)]
    following = atoms[start + 1] if start + 1 < len(atoms) else None
    if following is not None:
        if ORDINAL in atoms.kinds or PLURAL in atoms.kinds:
            ends += [end for end, _ in ordinals(atoms, start) if not _is_period(atoms, end)]
            ends += [end for end, _ in fractions(atoms, start) if atoms[start].text != "a"]
        if atoms[start].text == "no" and following.kind == DIGITS:
            ends += [amount.end for amount in amounts(atoms, start + 1)]
    ends = [end for end in ends if end in word_ends]
    return max((end for end in ends if not _goes_on(atoms, end)), default=max(ends, default=start))


def _goes_on(atoms: Atoms, end: int) -> bool:
    """Whether the last word of a number belongs to another one that goes on behind it.

    `two thousand and three thousand` are two numbers, and so are `a thousand and twenty five
    hundred`.
    """
    if end == len(atoms):
        return False
    kind = atoms[end].kind
    return kind in (HUNDRED, MAGNITUDE) or (kind == UNIT and atoms[end - 1].kind == TENS)


def _is_period(atoms: Atoms, place: int) -> bool:
    """Whether a part of a year follows, so that an ordinal is apart: `2020 first quarter`."""
    return place < len(atoms) and atoms[place].text in ("quarter", "half")


def ordinals(atoms: Atoms, start: int) -> Iterator[tuple[int, int]]:
    """Yield the end and the value of `third`, `3rd`, `twenty first`, `one hundred and fifth`.

    Only the last word of an ordinal number is an ordinal, so the number is read with the cardinal
    in its place.
    """
    atom = atoms[start]
    if atom.kind in (WRITTEN_ORDINAL, ORDINAL):
        yield start + 1, atom.value
        return
    window = atoms[start : start + LONGEST_ORDINAL]
    place = next((i for i, atom in enumerate(window, start) if atom.kind == ORDINAL), None)
    if place is not None:
        before = max(start - 1, 0)
        number = Atoms([*atoms[before:place], _cardinal(atoms[place].value)])
        for end, value, *_ in amounts(number, start - before):
            if end == len(number) and value == int(value):
                yield place + 1, int(value)


def _cardinal(value: int) -> Atom:
    """Return the atom of a cardinal number of one word."""
    bounds = ((10, UNIT), (20, TEEN), (100, TENS), (101, HUNDRED))
    return Atom(next((kind for bound, kind in bounds if value < bound), MAGNITUDE), "", value)


def plurals(atoms: Atoms, start: int) -> Iterator[tuple[int, int]]:
    """Yield the end and the number of `1990s`, `nineteen nineties`, `90s`, `nineties`."""
    atom = atoms[start]
    if atom.kind in (PLURAL, WRITTEN_PLURAL):
        yield start + 1, atom.value
    elif start + 1 < len(atoms) and atoms[start + 1].kind == PLURAL:
        century, decade = atom.value, atoms[start + 1].value
        if atom.kind in (TEEN, TENS) and 10 <= decade < 100:
            yield start + 2, century * 100 + decade
        elif atom.kind == UNIT and decade in (100, 1000):
            yield start + 2, century * decade


def fractions(atoms: Atoms, start: int) -> Iterator[Item]:
    """Yield `1/3`, `one third`, `a third`, `two thirds`, `half`, and 24/7 as two numbers.

    Digits can be said with `one`, with `a` and, for 1/2, with neither; words are as they are.
    """
    atom = atoms[start]
    following = atoms[start + 1] if start + 1 < len(atoms) else None
    if atom.kind == FRACTION:
        top, bottom = map(int, atom.text.split("/"))
        yield start + 1, f"f:{atom.text}"
        if top >= bottom or atom.text in tables.SLASHED_PAIRS:
            yield start + 1, f"r:::{top}..{bottom}"
        if atom.text.startswith("1/"):
            yield start + 1, f"f:a{atom.text[1:]}"
        if atom.text == "1/2":
            yield start + 1, "f:half"
    elif atom.text == "half":
        yield start + 1, "f:half"
    elif following is not None and following.text in tables.DENOMINATORS:
        bottom = tables.DENOMINATORS[following.text]
        top = 1 if atom.text == "a" else atom.value if atom.kind == UNIT else 0
        if atom.kind == DIGITS and atom.text.isdigit() and len(atom.text) == 1:
            top = int(atom.text)
        plural = following.text.endswith(("s", "halves"))
        if atom.text == "a" and not _is_part(atoms, start + 1):
            return
        if 0 < top < bottom and plural == (top > 1) and not _are_quarters(atoms, start):
            yield start + 2, f"f:{'a' if atom.text == 'a' else top}/{bottom}"


def _is_part(atoms: Atoms, place: int) -> bool:
    """Whether a word behind `a` is a part: `a third of it`; not `a fourth`, nor `a third point`."""
    if atoms[place].text not in tables.PARTS_WITH_A:
        return False
    return atoms[place].kind != ORDINAL or place + 1 == len(atoms) or atoms[place + 1].text == "of"


def _are_quarters(atoms: Atoms, start: int) -> bool:
    """Whether quarters of a year are counted: `first three quarters`, `three quarters of 2020`."""
    if not atoms[start + 1].text.startswith("quarter"):
        return False
    before = atoms[start - 1] if start else None
    counted = before is not None and (
        before.kind in (ORDINAL, WRITTEN_ORDINAL) or before.text in tables.BEFORE_PERIODS
    )
    behind = atoms[start + 2 : start + 4]
    return counted or (len(behind) == 2 and behind[0].text == "of" and behind[1].kind in NUMERIC)


def numbered(atoms: Atoms, start: int) -> Iterator[Item]:
    """Yield `#5`, `number five`, and `no. 5`, the last before digits only."""
    atom = atoms[start]
    if start + 1 >= len(atoms):
        return
    sign = atom.kind == SIGN and atom.text == "#"
    if sign or atom.text == "number" or (atom.text == "no" and atoms[start + 1].kind == DIGITS):
        for end, value, *_ in amounts(atoms, start + 1):
            yield end, f"#:{plain(value)}"
