"""Digit strings: numbers that are said digit by digit or in groups of digits."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from misword.text.writing.numbers import tables
from misword.text.writing.numbers.atoms import (
    DIGITS,
    HUNDRED,
    SIGN,
    SMALL,
    TENS,
    UNIT,
    ZERO,
    Atoms,
)

# The digits of each group.
Groups = tuple[str, ...]

# What the second word of a digit string can be, beside `double` and `triple`.
_CONTINUES = SMALL | {DIGITS, ZERO, HUNDRED, SIGN}
# Telephone numbers have at most 15 digits (E.164), card numbers 16.
MOST_DIGITS = 16
# From this number of digits on, groups may follow each other in any way: telephone numbers.
TELEPHONE = 7


def digit_strings(atoms: Atoms, start: int, *, short: bool = False) -> list[tuple[int, str]]:
    """Return every digit string of more than one group that begins at an atom, with its end.

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


def _read(atoms: Atoms, start: int, *, short: bool) -> list[tuple[int, str]]:
    found = []
    stack: list[tuple[int, Groups]] = [(start, ())]
    while stack:
        place, groups = stack.pop()
        for end, more in _groups(atoms, place):
            longer = groups + more
            digits = "".join(longer)
            if len(digits) > MOST_DIGITS:
                continue
            if not _has_dash(atoms, start, end) or _may_have_dash(longer):
                repeated = not groups and len(more) > 1
                if repeated or _plausible(longer, short=short):
                    found.append((end, digits))
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
