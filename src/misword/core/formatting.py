"""Numbers, intervals and lists as text, for the command line and the report.

Each function returns an empty string where a number is missing (null, nan or infinite). Thousands
are grouped, and a value that rounds to zero has no sign.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard


def number(value: float | None, digits: int = 2) -> str:
    """Return a number with `digits` decimals.

    >>> number(0.126), number(None), number(-0.001), number(1234.5)
    ('0.13', '', '0.00', '1,234.50')
    """
    if not is_number(value):
        return ""
    shown = f"{value:,.{digits}f}"
    return shown.removeprefix("-") if _is_zero(shown) else shown


def signed_number(value: float | None, digits: int = 2) -> str:
    """Return a change of a number with a plus or minus sign.

    >>> signed_number(0.386), signed_number(-1.5, 1), signed_number(0)
    ('+0.39', '-1.5', '0.00')
    """
    shown = number(value, digits)
    return f"+{shown}" if is_number(value) and value > 0 and not _is_zero(shown) else shown


def percent(rate: float | None, digits: int = 2) -> str:
    """Return a rate in percent, without the percent sign.

    >>> percent(0.2192)
    '21.92'
    """
    return number(100 * rate, digits) if is_number(rate) else ""


def percent_of(part: int, whole: int, *, truncate: bool = False) -> str:
    """Return a share in percent with two decimals, rounded, or truncated as in Denisová's tables.

    >>> percent_of(718, 1158), percent_of(718, 1158, truncate=True), percent_of(0, 0)
    ('62.00', '62.00', 'undefined')
    >>> percent_of(2, 3), percent_of(2, 3, truncate=True)
    ('66.67', '66.66')
    """
    if not whole:
        return "undefined"
    hundredths = 10_000 * part // whole if truncate else (20_000 * part + whole) // (2 * whole)
    return f"{hundredths // 100}.{hundredths % 100:02d}"


def signed(rate: float | None, digits: int = 2) -> str:
    """Return a change in percent with a plus or minus sign.

    >>> signed(-0.143), signed(0.02, 1), signed(0)
    ('-14.30', '+2.0', '0.00')
    """
    return signed_number(100 * rate, digits) if is_number(rate) else ""


def span(low: float | None, high: float | None, digits: int = 2) -> str:
    """Return an interval of rates in percent.

    >>> span(0.131, 0.154, 1)
    '13.1 to 15.4'
    """
    if not (is_number(low) and is_number(high)):
        return ""
    return f"{percent(low, digits)} to {percent(high, digits)}"


def signed_span(low: float | None, high: float | None, digits: int = 2) -> str:
    """Return an interval of changes in percent.

    >>> signed_span(-0.02, 0.01)
    '-2.00 to +1.00'
    """
    if not (is_number(low) and is_number(high)):
        return ""
    return f"{signed(low, digits)} to {signed(high, digits)}"


def number_span(low: float | None, high: float | None, digits: int = 2) -> str:
    """Return an interval of numbers that are not rates; empty where an end is missing.

    >>> number_span(0.1, 0.25), number_span(None, 1)
    ('0.10 to 0.25', '')
    """
    if not (is_number(low) and is_number(high)):
        return ""
    return f"{number(low, digits)} to {number(high, digits)}"


def probability(p: float | None) -> str:
    """Return a p-value with three decimals, for a table.

    >>> probability(0.0002), probability(0.0312), probability(None)
    ('< 0.001', '0.031', '')
    """
    if not is_number(p):
        return ""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def p_in_sentence(p: float) -> str:
    """Return a p-value for a sentence.

    >>> p_in_sentence(0.0002), p_in_sentence(0.3)
    ('p < 0.001', 'p = 0.300')
    """
    return f"p {probability(p)}" if p < 0.001 else f"p = {probability(p)}"


def interval_in_sentence(confidence: str, interval: str) -> str:
    """Return an interval in brackets with a space before it; empty where there is no interval.

    >>> interval_in_sentence("95 %", "13.1 to 15.4"), interval_in_sentence("95 %", "")
    (' (95 % interval 13.1 to 15.4)', '')
    """
    return f" ({confidence} interval {interval})" if interval else ""


def count(value: float | None) -> str:
    """Return a whole number with a comma between thousands.

    >>> count(2643)
    '2,643'
    """
    return number(value, 0)


def counted(value: int, noun: str) -> str:
    """Return a number and its noun, in the plural unless the number is 1.

    >>> counted(1, "utterance"), counted(2643, "utterance")
    ('1 utterance', '2,643 utterances')
    """
    return f"{value:,} {noun}" if value == 1 else f"{value:,} {noun}s"


def listed(names: Sequence[str]) -> str:
    """Return names as a list within a sentence.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def cut(text: str, longest: int) -> str:
    """Return a text of at most `longest` characters; an ellipsis stands for the end that is cut.

    >>> cut("abcdef", 4), cut("abcd", 4)
    ('abc…', 'abcd')
    """
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def group_values(row: Mapping[str, Any], columns: Sequence[str]) -> list[str]:
    """Return the values of the group of a row of a summary; `all` for all groups together.

    >>> row = {"noise": "street", "speaker": None}
    >>> group_values(row, ["noise", "speaker"]), group_values({**row, "total": True}, ["noise"])
    (['street', ''], ['all'])
    """
    if row.get("total"):
        return ["all"] * len(columns)
    return ["" if row[column] is None else str(row[column]) for column in columns]


def is_number(value: Any) -> TypeGuard[float]:
    """Return whether a value is a finite number; tables have null or nan for a missing one."""
    return isinstance(value, int | float) and value == value and abs(value) != float("inf")


def _is_zero(shown: str) -> bool:
    return not any(digit in "123456789" for digit in shown)
