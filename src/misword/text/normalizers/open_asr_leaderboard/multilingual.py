"""The rules of the Open ASR Leaderboard for other languages than English."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

OTHER_SYMBOLS = re.compile(r"[^\w\s]")
SPACES = re.compile(r"\s+")
THOUSANDS = re.compile(r"(\d)\s+(\d{3})\b")
DIGITS = re.compile(r"\d+")


def normalize_other(text: str, lang: str) -> str:
    """Return a text as the leaderboard compares it: no punctuation, numbers in words.

    >>> normalize_other("Das kostet 10 000 € (netto)!", "de")
    'das kostet zehntausend'
    """
    text = OTHER_SYMBOLS.sub("", _clean()(text))
    text = THOUSANDS.sub(r"\1\2", SPACES.sub(" ", text).strip())
    return DIGITS.sub(lambda found: _spell(found[0], lang), text)


def _spell(digits: str, lang: str) -> str:
    """Return a whole number in words; the digits themselves if num2words cannot spell it."""
    from num2words import num2words

    try:
        return str(num2words(int(digits), lang=lang))
    except (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError):
        return digits


@cache
def _clean() -> Callable[[str], str]:
    """Return Whisper's basic normalizer: lower case, NFKC, no symbols, no text in brackets."""
    from whisper_normalizer.basic import BasicTextNormalizer

    function: Callable[[str], str] = BasicTextNormalizer()
    return function
