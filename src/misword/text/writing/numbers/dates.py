"""Days of a month and dates in English."""

from __future__ import annotations

from collections.abc import Iterator

from misword.text.writing.numbers import tables
from misword.text.writing.numbers.amounts import amounts
from misword.text.writing.numbers.atoms import DATE, DIGITS, Atoms
from misword.text.writing.numbers.digit_strings import digit_strings
from misword.text.writing.numbers.quantities import Item, ordinals

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
    for end, digits in digit_strings(atoms, start):
        if _FIRST_YEAR <= int(digits) <= _LAST_YEAR and len(digits) == 4:
            yield end, int(digits)


def _month_behind(atoms: Atoms, end: int) -> bool:
    """Whether a month follows, as in `3 june` and `3rd of june`."""
    words = [atom.text for atom in atoms[end : end + 2]]
    return any(word in tables.MONTHS for word in words[words[:1] == ["of"] :][:1])
