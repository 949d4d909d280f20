"""Texts with alternatives, written with the signs that references use: `{ a / b }`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

OPEN, DIVIDE, CLOSE, NOTHING = "{", "/", "}", "@"
SIGN = re.compile(r"/|@|.*/@|@/.*")  # a slash separates if it stands alone or beside `@`


def group(texts: Iterable[str]) -> str:
    """Return several texts as alternatives, each distinct text once; `@` is the empty text.

    >>> group(["gonna", "going to", "gonna"]), group(["a", "a"]), group(["um", ""])
    ('{ gonna / going to }', 'a', '{ um / @ }')
    """
    distinct = list(dict.fromkeys(" ".join(text.split()) for text in texts))
    if len(distinct) == 1:
        return distinct[0]
    return f"{OPEN} {f' {DIVIDE} '.join(text or NOTHING for text in distinct)} {CLOSE}"


def is_plain(text: str) -> bool:
    """Return whether no word of a text can be taken for a sign of alternatives.

    >>> is_plain("and/or"), is_plain("and / or"), is_plain("{a}")
    (True, False, False)
    """
    return OPEN not in text and CLOSE not in text and not any(map(SIGN.fullmatch, text.split()))


def either_texts(columns: Sequence[pl.Series]) -> tuple[pl.Series, int]:
    """Return a column whose rows accept the text of any column, and the number of words left out.

    Slashes and `@` that are words of their own are left out of rows with alternatives.
    """
    import polars as pl

    rows = [either_text(row) for row in zip(*columns, strict=True)]
    return pl.Series("text", [text for text, _ in rows], pl.String), sum(left for _, left in rows)


def either_text(texts: Sequence[str]) -> tuple[str, int]:
    """Return whole texts as alternatives, and the number of words that were left out.

    The texts may have alternatives of their own. A slash or `@` outside of them is left out,
    because it would be read as a sign.

    >>> either_text(["a / b", "a { b / c }"])
    ('{ a b / a { b / c } }', 1)
    """
    if len({" ".join(text.split()) for text in texts}) == 1:
        return texts[0], 0
    kept = [without_free_signs(text) for text in texts]
    left_out = sum(len(text.split()) - len(words) for text, words in zip(texts, kept, strict=True))
    return group(map(" ".join, kept)), left_out


def without_free_signs(text: str) -> list[str]:
    """Return the words of a text except for signs of alternatives that are not inside braces."""
    words, depth = [], 0
    for word in text.split():
        if depth or not SIGN.fullmatch(word):
            words.append(word)
        depth = max(0, depth + word.count(OPEN) - word.count(CLOSE))
    return words
