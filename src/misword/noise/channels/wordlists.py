"""Lists of words that can be heard: a corpus' own, a language's, a dictionary's, or a file's."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import InputError, OptionError
from misword.embed import frequencies

OWN, DICTIONARY = "corpus", "cmudict"
FREQUENT: Final = "wordfreq"
JOINTS = frozenset("'’-")


def is_word(text: str) -> bool:
    """Letters, with their marks, and what may join them: no digits, signs or punctuation.

    >>> [is_word(text) for text in ("l'été", "o'clock", "3rd", "...", "'s")]
    [True, True, False, False, False]
    """
    inside = (c.isalpha() or c in JOINTS or unicodedata.category(c)[0] == "M" for c in text)
    return text[:1].isalpha() and all(inside)


def check(source: str, lang: str) -> None:
    """Refuse a list that is not there."""
    if source == FREQUENT:
        frequencies.check(FREQUENT, lang)
    elif source == DICTIONARY and lang not in ("", "en"):
        raise OptionError(f"cmudict is English, the language is {lang!r}", fix="use wordfreq")
    elif source not in (OWN, DICTIONARY) and not Path(source).is_file():
        raise InputError(
            "no such list of words",
            where=source,
            fix=f"name a file with a word on each line, or use {OWN}, {FREQUENT} or {DICTIONARY}",
        )


def settings(source: str, lang: str) -> tuple[tuple[str, str], ...]:
    """Which list, for a signature."""
    if source == FREQUENT:
        return (("vocabulary", frequencies.settings(FREQUENT, lang)[0][1]),)
    if source == DICTIONARY:
        from misword.text.phonemizers.cmudict import DATA

        return (("vocabulary", DATA.partition("/")[0]),)
    return (("vocabulary", OWN if source == OWN else f"file-{_digest(source)}"),)


def load(source: str, lang: str, size: int, corpus: Sequence[str]) -> list[str]:
    """Distinct words in lower case; of a language's list the first `size`, the most frequent."""
    if source == OWN:
        return sorted(set(corpus))
    if source == DICTIONARY:
        from misword.text.phonemizers.cmudict import dictionary

        return [word for word in dictionary() if is_word(word)]
    if source == FREQUENT:
        shares = frequencies.load(FREQUENT, lang, ()).shares
        listed = sorted(shares, key=lambda word: (-shares[word], word))
        return [word for word in listed if is_word(word)][:size]
    try:
        lines = Path(source).read_text(encoding="utf-8").split("\n")
    except UnicodeDecodeError:
        raise InputError("not UTF-8", where=source, fix="convert it to UTF-8") from None
    words = dict.fromkeys(line.strip().lower() for line in lines)
    return [word for word in words if word]


def numbered(said: Sequence[str], heard: list[str]) -> tuple[list[str], NDArray[np.int64]]:
    """The heard words and then all others that are said; the number of each said word in it.

    What does not look like a word is left out, and has -1.

    >>> numbered(["b", "c", "2"], ["a", "b"])
    (['a', 'b', 'c'], array([ 1,  2, -1]))
    """
    numbers = {word: number for number, word in enumerate(heard)}
    for word in said:
        if is_word(word):
            numbers.setdefault(word, len(numbers))
    return list(numbers), np.array([numbers.get(word, -1) for word in said], np.int64)


def _digest(path: str) -> str:
    return sha256(Path(path).read_bytes()).hexdigest()[:16]
