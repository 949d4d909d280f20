"""The core, the surrounding punctuation and the letter case of a token.

A token is a run of characters between white space. Its core is the word that channels take: without
the punctuation around it, in lower case, in Unicode's composed form (NFC). When the core of a token
is replaced, the token keeps its punctuation and its case.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from typing import NamedTuple

APOSTROPHES = "'’"
QUOTES = frozenset("'’‘\"“”«»‹›`")
CASES = LOWER, TITLE, UPPER = tuple(range(3))


class WordShape(NamedTuple):
    """The number of bytes before the core of a token and in the core, its case, and the core."""

    before: int
    size: int
    case: int
    core: str


def word_shape(token: str) -> WordShape:
    """Cut a token into punctuation and core.

    An apostrophe at the end belongs to the core, unless the token begins with a quotation mark.

    >>> word_shape("Syria,").core, word_shape("(NASA").case == UPPER
    ('syria', True)
    >>> word_shape("qu'").core, word_shape("'no'").core
    ("qu'", 'no')
    >>> word_shape("--")
    WordShape(before=0, size=0, case=0, core='')
    """
    start, end = 0, len(token)
    while start < end and not _in_core(token[start]):
        start += 1
    while start < end and not _in_core(token[end - 1]):
        end -= 1
    if start == end:
        return WordShape(0, 0, LOWER, "")
    if token[end : end + 1] in tuple(APOSTROPHES) and QUOTES.isdisjoint(token[:start]):
        end += 1
    inner = token[start:end]
    core = unicodedata.normalize("NFC", inner).lower()
    return WordShape(len(token[:start].encode()), len(inner.encode()), letter_case(inner), core)


def letter_case(word: str) -> int:
    """Return `UPPER` for a word in capitals, `TITLE` for one that begins with one, else `LOWER`.

    >>> [letter_case(word) for word in ("cat", "Cat", "CAT", "I", "iPod")]
    [0, 1, 2, 1, 0]
    """
    letters = [c for c in word if c.isalpha()]
    if len(letters) > 1 and all(c.isupper() for c in letters):
        return UPPER
    return TITLE if word[:1].isupper() and word[1:] == word[1:].lower() else LOWER


def case_forms(word: str) -> Iterator[str]:
    """Yield a word in the cases `LOWER`, `TITLE` and `UPPER`.

    >>> list(case_forms("d'or"))
    ["d'or", "D'or", "D'OR"]
    """
    yield word
    yield word[:1].upper() + word[1:]
    yield word.upper()


def distinct_cores(tokens: Iterable[str]) -> list[str]:
    """Return the distinct cores of tokens, sorted; a token without letter or digit has none."""
    return sorted({word_shape(token).core for token in tokens} - {""})


def _in_core(character: str) -> bool:
    return character.isalnum() or unicodedata.category(character)[0] == "M"
