"""Tables and numbers of the pages, in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from textwrap import fill

WIDTH = 120


def table(header: Sequence[str], rows: Iterable[Sequence[str]], text_columns: int = 1) -> str:
    """Return a table; the first `text_columns` columns are aligned left, the others right.

    >>> print(table(["metric", "%"], [["wer", "21.92"]]))
    | metric | % |
    |:--|--:|
    | wer | 21.92 |
    """
    sides = [":--" if place < text_columns else "--:" for place in range(len(header))]
    body = [header, *rows]
    lines = [f"| {' | '.join(row)} |" for row in body]
    return "\n".join([lines[0], f"|{'|'.join(sides)}|", *lines[1:]])


def paragraph(text: str) -> str:
    """Return a text in lines of the width of the pages.

    >>> paragraph("one  sentence")
    'one sentence'
    """
    return fill(" ".join(text.split()), WIDTH, break_long_words=False, break_on_hyphens=False)


def bullets(texts: Iterable[str]) -> str:
    """Return a list with a point for each text."""
    return "\n".join(
        fill(f"- {' '.join(text.split())}", WIDTH, subsequent_indent="  ",
             break_long_words=False, break_on_hyphens=False)
        for text in texts
    )  # fmt: skip


def percent(rate: float, digits: int = 2) -> str:
    """Return a fraction in percent.

    >>> percent(0.21921)
    '21.92'
    """
    return number(100 * rate, digits)


def number(value: float | None, digits: int = 2) -> str:
    """Return a number; nothing if it is undefined, and never a negative zero.

    >>> number(-0.001), number(None)
    ('0.00', '')
    """
    if value is None or value != value:
        return ""
    return f"{round(value, digits) + 0.0:.{digits}f}"


def signed(value: float | None, digits: int = 2) -> str:
    """Return a number with its sign.

    >>> signed(0.5), signed(-0.001)
    ('+0.50', '0.00')
    """
    text = number(value, digits)
    return f"+{text}" if text and float(text) > 0 else text


def span(low: float | None, high: float | None, digits: int = 2) -> str:
    """Return an interval of differences.

    >>> span(-0.5, 0.25)
    '-0.50 to +0.25'
    """
    return f"{signed(low, digits)} to {signed(high, digits)}" if low is not None else ""


def p_value(p: float | None) -> str:
    """Return a p-value.

    >>> p_value(0.00001), p_value(0.034)
    ('< 0.001', '0.034')
    """
    if p is None or p != p:
        return ""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def page(*blocks: str) -> str:
    """Return a page: blocks with an empty line between two of them."""
    return "\n\n".join(block for block in blocks if block) + "\n"
