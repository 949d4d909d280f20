"""Compiled reading of lines of numbers. Imported only where the file is large.

A number is a whole number of up to 19 digits times a power of ten. Where both are exact as doubles,
one operation gives the correctly rounded double (Clinger 1990). Elsewhere the double may be off by
a few units in its last place, which matters only next to the middle between two single-precision
numbers: the numbers just below and just above it then round differently, and the line is left to
plain Python.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from misword.core.compiled import compiled

POWERS = np.array([float(f"1e{e}") for e in range(309)])
EXACT_WHOLE, EXACT_POWER = np.uint64(1 << 53), 22
FEW_DIGITS, MOST_DIGITS, GREATEST_EXPONENT = 15, 19, 300
BELOW, ABOVE = 1.0 - 2.0**-49, 1.0 + 2.0**-49
LEAST, MOST = 1.2e-38, 3.4e38
SPACE, TAB, RETURN, PLUS, MINUS, POINT, ZERO, NINE = 32, 9, 13, 43, 45, 46, 48, 57
SMALL_E, LARGE_E = 101, 69


@compiled
def scaled(
    whole: int | np.uint64, exponent: int, exact: bool, powers: NDArray[np.float64]
) -> tuple[np.float32, bool]:
    """`whole` times ten to the `exponent` as float32, and whether that is certain."""
    if exact and whole <= EXACT_WHOLE and -EXACT_POWER <= exponent <= EXACT_POWER:
        value = np.float64(whole)
        value = value / powers[-exponent] if exponent < 0 else value * powers[exponent]
        return np.float32(value), value <= MOST
    if whole == 0:
        return np.float32(0.0), True
    if exponent < -GREATEST_EXPONENT or exponent > GREATEST_EXPONENT:
        return np.float32(0.0), False
    value = np.float64(whole)
    value = value / powers[-exponent] if exponent < 0 else value * powers[exponent]
    below, above = np.float32(value * BELOW), np.float32(value * ABOVE)
    return below, below == above and LEAST < value < MOST


@compiled
def many_digits(text: NDArray[np.uint8], at: int, end: int) -> tuple[np.uint64, int]:
    """The first 19 digits that count, and the power of ten that they and the rest make up for."""
    whole, digits, exponent, fraction = np.uint64(0), 0, 0, False
    for i in range(at, end):
        if text[i] == POINT:
            fraction = True
        elif digits < MOST_DIGITS:
            whole = whole * np.uint64(10) + np.uint64(text[i] - ZERO)
            if whole:  # leading zeros are no digits
                digits += 1
            if fraction:
                exponent -= 1
        elif not fraction:
            exponent += 1
    return whole, exponent


@compiled
def read_number(
    text: NDArray[np.uint8], at: int, end: int, powers: NDArray[np.float64]
) -> tuple[np.float32, int, bool]:
    """The number that starts at `at`, where it ends, and whether all is well."""
    negative = text[at] == MINUS
    if negative or text[at] == PLUS:
        at += 1
    first, whole, exponent = at, np.uint64(0), 0
    while at < end and ZERO <= text[at] <= NINE:
        whole = whole * np.uint64(10) + np.uint64(text[at] - ZERO)
        at += 1
    digits = at - first
    if at < end and text[at] == POINT:
        at += 1
        point = at
        while at < end and ZERO <= text[at] <= NINE:
            whole = whole * np.uint64(10) + np.uint64(text[at] - ZERO)
            at += 1
        exponent = point - at
        digits -= exponent
    exact = digits <= MOST_DIGITS  # else `whole` has run over
    if not exact:
        whole, exponent = many_digits(text, first, at)
    if digits and at < end and (text[at] == SMALL_E or text[at] == LARGE_E):
        at += 1
        down = at < end and text[at] == MINUS
        if at < end and (text[at] == MINUS or text[at] == PLUS):
            at += 1
        power, mark = 0, at
        while at < end and ZERO <= text[at] <= NINE:
            power = min(power * 10 + text[at] - ZERO, 1_000_000)
            at += 1
        if at == mark:
            digits = 0
        exponent += -power if down else power
    value, sure = scaled(whole, exponent, exact, powers)
    return -value if negative else value, at, digits > 0 and sure


@compiled
def is_blank(code: int) -> bool:
    """Whether this may follow the last number of a line."""
    return code == SPACE or code == TAB or code == RETURN


@compiled
def read_row(
    text: NDArray[np.uint8],
    at: int,
    end: int,
    row: NDArray[np.float32],
    powers: NDArray[np.float64],
) -> bool:
    """Fill a row with the numbers between `at` and `end`; False where there are not just so many.

    Numbers of a few digits without an exponent are read here, all others by `read_number`.
    """
    found = 0
    while at < end:
        while text[at] == SPACE or text[at] == TAB:
            at += 1
        if found == len(row):
            return False
        start, negative = at, text[at] == MINUS
        at += negative
        whole, first, power = 0, at, 0
        while ZERO <= text[at] <= NINE:
            whole = whole * 10 + (text[at] - ZERO)
            at += 1
        digits = at - first
        if text[at] == POINT:
            at += 1
            first = at
            while ZERO <= text[at] <= NINE:
                whole = whole * 10 + (text[at] - ZERO)
                at += 1
            power = at - first
            digits += power
        if 0 < digits <= FEW_DIGITS and (at == end or text[at] == SPACE or text[at] == TAB):
            value = whole / powers[power]
            row[found] = -value if negative else value
        else:
            row[found], at, fine = read_number(text, start, end, powers)
            if not fine or (at < end and text[at] != SPACE and text[at] != TAB):
                return False
        found += 1
    return found == len(row)


@compiled
def read_lines(
    text: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    rows: NDArray[np.float32],
    word_ends: NDArray[np.int64],
    plain: NDArray[np.bool_],
    powers: NDArray[np.float64],
) -> None:
    """Read lines of a word without spaces and its numbers; mark as not `plain` all other lines.

    A newline stands at the end of every line, so that a run of digits always ends.
    """
    for line in range(len(starts)):
        start, end = starts[line], ends[line]
        while end > start and is_blank(text[end - 1]):
            end -= 1
        at = start
        while at < end and text[at] != SPACE and text[at] != TAB:
            at += 1
        word_ends[line] = at
        plain[line] = at > start and read_row(text, at, end, rows[line], powers)
