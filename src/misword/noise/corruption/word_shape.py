"""Words as they stand in a text and as channels know them: the core, what surrounds it, its case.

A word is what stands between white space. Its core is what a channel hears: without the punctuation
around it, in lower case, in Unicode's composed form. A word that is replaced keeps its punctuation
and its case.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from typing import NamedTuple

APOSTROPHES = "'’"
QUOTES = frozenset("'’‘\"“”«»‹›`")
LOWER, TITLE, UPPER = range(3)


class Shape(NamedTuple):
    """A token cut up: bytes before the core, bytes of the core, its case, and the core itself."""

    before: int
    size: int
    case: int
    core: str


def shape(token: str) -> Shape:
    """Cut a token. An apostrophe that ends it belongs to the core, unless the token is in quotes.

    >>> shape("Syria,").core, shape("(NASA").case == UPPER, shape("qu'").core, shape("'no'").core
    ('syria', True, "qu'", 'no')
    >>> shape("--")
    Shape(before=0, size=0, case=0, core='')
    """
    start, end = 0, len(token)
    while start < end and not _belongs(token[start]):
        start += 1
    while start < end and not _belongs(token[end - 1]):
        end -= 1
    if start == end:
        return Shape(0, 0, LOWER, "")
    if token[end : end + 1] in tuple(APOSTROPHES) and QUOTES.isdisjoint(token[:start]):
        end += 1
    inner = token[start:end]
    core = unicodedata.normalize("NFC", inner).lower()
    return Shape(len(token[:start].encode()), len(inner.encode()), case_of(inner), core)


def case_of(word: str) -> int:
    """Whether a word is written in capitals, begins with one, or neither.

    >>> [case_of(word) for word in ("cat", "Cat", "CAT", "I", "iPod")]
    [0, 1, 2, 1, 0]
    """
    letters = [c for c in word if c.isalpha()]
    if len(letters) > 1 and all(c.isupper() for c in letters):
        return UPPER
    return TITLE if word[:1].isupper() and word[1:] == word[1:].lower() else LOWER


def forms(word: str) -> Iterator[str]:
    """A word in each of the three cases.

    >>> list(forms("d'or"))
    ["d'or", "D'or", "D'OR"]
    """
    yield word
    yield word[:1].upper() + word[1:]
    yield word.upper()


def cores(tokens: Iterable[str]) -> list[str]:
    """The distinct cores of tokens, sorted; what has no letter and no digit has none."""
    return sorted({shape(token).core for token in tokens} - {""})


def _belongs(character: str) -> bool:
    return character.isalnum() or unicodedata.category(character)[0] == "M"
