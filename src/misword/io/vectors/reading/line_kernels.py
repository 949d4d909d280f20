"""Compiled parsing of lines of numbers; imported for large files only.

A number is an integer of up to 19 digits times a power of ten. If both are exact as float64, one
operation gives the correctly rounded float64 (Clinger 1990). Otherwise the float64 may be wrong by
a few units in its last place. This matters only near the middle between two float32 numbers: a
slightly smaller and a slightly larger value then round to different float32 numbers, and the line
is left to plain Python.
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
    whole: np.uint64, exponent: int, exact: bool, powers: NDArray[np.float64]
) -> tuple[np.float32, bool]:
    """Return `whole` times ten to the `exponent` as float32, and whether it is surely correct."""
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
    """Return the first 19 significant digits as an integer, and the exponent of its factor 10^n."""
    whole, digits, exponent, fraction = np.uint64(0), 0, 0, False
    for i in range(at, end):
        if text[i] == POINT:
            fraction = True
        elif digits < MOST_DIGITS:
            whole = whole * np.uint64(10) + np.uint64(text[i] - ZERO)
            if whole:  # leading zeros are not significant
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
    """Return the number that starts at `at`, its end, and whether it is surely correct."""
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
    exact = digits <= MOST_DIGITS  # else `whole` has overflowed
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
    """Return whether this byte may follow the last number of a line."""
    return code == SPACE or code == TAB or code == RETURN


@compiled
def read_row(
    text: NDArray[np.uint8],
    at: int,
    end: int,
    row: NDArray[np.float32],
    powers: NDArray[np.float64],
) -> bool:
    """Fill a row with the numbers between `at` and `end`; return False if their number is wrong.

    Numbers of few digits without an exponent are parsed here, all others by `read_number`.
    """
    count = 0
    while at < end:
        while text[at] == SPACE or text[at] == TAB:
            at += 1
        if count == len(row):
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
            row[count] = -value if negative else value
        else:
            row[count], at, fine = read_number(text, start, end, powers)
            if not fine or (at < end and text[at] != SPACE and text[at] != TAB):
                return False
        count += 1
    return count == len(row)


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
    """Parse lines of a word without spaces and its numbers; `plain` is False for other lines.

    Every line ends with a newline, so that a run of digits always ends inside the text.
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
