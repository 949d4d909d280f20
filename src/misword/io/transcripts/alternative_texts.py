"""Texts with alternatives, written with the signs that references use: `{ a / b }`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from misword.core.errors import InputError

if TYPE_CHECKING:
    import polars as pl

OPEN, DIVIDE, CLOSE, NOTHING = "{", "/", "}", "@"


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
    words = text.split()
    return OPEN not in text and CLOSE not in text and not {DIVIDE, NOTHING}.intersection(words)


def either_texts(columns: Sequence[pl.Series], ids: pl.Series) -> pl.Series:
    """Return a column of texts in which each row accepts the text of any of the columns."""
    import polars as pl

    rows = zip(*columns, strict=True)
    texts = [either_text(row, utt) for row, utt in zip(rows, ids, strict=True)]
    return pl.Series("text", texts, pl.String)


def either_text(texts: Sequence[str], utt: str) -> str:
    """Return whole texts as alternatives; the texts may have alternatives of their own.

    Raises if a slash or `@` outside of the alternatives of a text would be read as a sign.
    """
    first = texts[0].split()
    if all(text.split() == first for text in texts):
        return texts[0]
    for text in texts:
        if sign := free_sign(text):
            raise InputError(
                f"{sign!r} as a word of its own in one of several references",
                where=f"utterance {utt!r}",
                fix="remove it or write it out: it is a sign of alternatives, as in { a / @ }",
            )
    return group(texts)


def free_sign(text: str) -> str:
    """Return the first slash or `@` that is a word and not inside braces, or an empty text.

    >>> free_sign("and / or"), free_sign("{ and / or } and/or")
    ('/', '')
    """
    depth = 0
    for word in text.split():
        if depth == 0 and word in (DIVIDE, NOTHING):
            return word
        depth = max(0, depth + word.count(OPEN) - word.count(CLOSE))
    return ""
