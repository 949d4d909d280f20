"""Times of day in English."""

from __future__ import annotations

from collections.abc import Iterator

from misword.text.writing.numbers import tables
from misword.text.writing.numbers.atoms import DIGITS, SMALL, TEEN, TENS, TIME, UNIT, ZERO, Atoms
from misword.text.writing.numbers.quantities import Item

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
