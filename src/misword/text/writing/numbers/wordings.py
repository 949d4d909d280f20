"""The wording of a number: digits can be said in several ways, words are said as they are.

`1500` is `one thousand five hundred` or `fifteen hundred`. Both share a key with the digits, but
not with each other: where both texts have words, another wording is an error.
"""

from __future__ import annotations

from decimal import Decimal

IN_DIGITS = "digits"
USUAL = ""  # one hundred, one thousand five hundred, two point five
WITH_A = "a"  # a hundred, a dollar
WITHOUT_ONE = "bare"  # hundred
HUNDREDS = "hundreds"  # fifteen hundred
GROUPS = "groups"  # one twenty seven
FRACTION = "fraction"  # two and a half
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
        found.append(FRACTION)
    return found
