"""Sentences of the page: p-values, intervals and names of systems within a text."""

from __future__ import annotations

import re

from misword.core.formatting import is_number, number, probability

# Unicode characters that set the writing direction of all text after them.
DIRECTION_MARKS = [*range(0x202A, 0x202F), *range(0x2066, 0x206A)]


def p_in_sentence(p: float) -> str:
    """Return a p-value for a sentence.

    >>> p_in_sentence(0.0002), p_in_sentence(0.3)
    ('p < 0.001', 'p = 0.300')
    """
    return f"p {probability(p)}" if p < 0.001 else f"p = {probability(p)}"


def number_span(low: float | None, high: float | None, digits: int = 2) -> str:
    """Return an interval of numbers that are not rates; empty where an end is missing.

    >>> number_span(0.1, 0.25), number_span(None, 1)
    ('0.10 to 0.25', '')
    """
    if not (is_number(low) and is_number(high)):
        return ""
    return f"{number(low, digits)} to {number(high, digits)}"


def interval_in_sentence(confidence: str, interval: str) -> str:
    """Return an interval in brackets with a space before it; empty where there is no interval.

    >>> interval_in_sentence("95 %", "13.1 to 15.4"), interval_in_sentence("95 %", "")
    (' (95 % interval 13.1 to 15.4)', '')
    """
    return f" ({confidence} interval {interval})" if interval else ""


def without_direction_marks(text: str) -> str:
    """Remove the marks in users' names that would reverse the rest of a sentence.

    >>> without_direction_marks("\\u202eb is better than a")
    'b is better than a'
    """
    return text.translate(dict.fromkeys(DIRECTION_MARKS))


def with_unbroken_numbers(text: str) -> str:
    """Keep numbers and their signs on one line, by spaces at which no line breaks.

    >>> with_unbroken_numbers("-1.0 % (p = 0.3)").split(" ")
    ['-1.0\\xa0%', '(p\\xa0=\\xa00.3)']
    >>> with_unbroken_numbers("4.2 → 7.9 %")
    '4.2\\xa0→\\xa07.9\\xa0%'
    """
    pattern = r"(?<=\d) (?=[%→])|(?<=→) (?=\d)|(?<=\bp) (?=[<=])|(?<=\bp [<=]) "
    return re.sub(pattern, "\u00a0", text)
