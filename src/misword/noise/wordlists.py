"""Lists of candidate words of channels, and checks of the options that channels share."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final

import numpy as np

from misword.core.errors import InputError, OptionError
from misword.core.parts import Settings
from misword.embed import frequencies
from misword.noise.arrays import Ints


def check_numbers(**options: float) -> None:
    """Raise an error if an option is below 1; `most` may be 0, which means all candidates."""
    for name, value in options.items():
        if not value >= (name != "most"):
            raise OptionError(f"{name} is {value:g}", fix="use 1 or more")


# Lists of candidate words: the words of the corpus, of a language, a dictionary or a file.

CORPUS, CMUDICT = "corpus", "cmudict"
WORDFREQ: Final = "wordfreq"
JOINERS = frozenset("'’-")


def is_word(text: str) -> bool:
    """Return whether a text begins with a letter and has no digits, signs or punctuation.

    Apostrophes and hyphens are allowed after the first letter.

    >>> [is_word(text) for text in ("l'été", "o'clock", "3rd", "...", "'s")]
    [True, True, False, False, False]
    """
    allowed = (c.isalpha() or c in JOINERS or unicodedata.category(c)[0] == "M" for c in text)
    return text[:1].isalpha() and all(allowed)


def check(source: str, lang: str) -> None:
    """Raise an error if a list is not installed, not a file, or of another language."""
    if source == WORDFREQ:
        frequencies.check_frequencies(WORDFREQ, lang)
    elif source == CMUDICT and lang not in ("", "en"):
        raise OptionError(f"cmudict is English, the language is {lang!r}", fix="use wordfreq")
    elif source not in (CORPUS, CMUDICT) and not os.path.isfile(source):
        raise InputError(
            "no such list of words",
            where=source,
            fix=f"name a file with a word on each line, or use {CORPUS}, {WORDFREQ} or {CMUDICT}",
        )


def settings(source: str, lang: str) -> Settings:
    """Return the setting of a signature that names a list."""
    if source == WORDFREQ:
        return (("vocabulary", frequencies.frequency_settings(WORDFREQ, lang)[0][1]),)
    if source == CMUDICT:
        from misword.text.phonemizers.cmudict import DATA

        return (("vocabulary", DATA.partition("/")[0]),)
    return (("vocabulary", CORPUS if source == CORPUS else f"file-{file_digest(source)}"),)


def load(source: str, lang: str, size: int, corpus: Sequence[str]) -> list[str]:
    """Return the distinct words of a list in lower case.

    `wordfreq` gives the `size` most frequent words of the language; the list `corpus` gives the
    words of the argument `corpus`.
    """
    if source == CORPUS:
        return sorted(set(corpus))
    if source == CMUDICT:
        from misword.text.phonemizers.cmudict import dictionary

        return [word for word in dictionary() if is_word(word)]
    if source == WORDFREQ:
        shares = frequencies.load_frequencies(WORDFREQ, lang, {}).shares
        listed = sorted(shares, key=lambda word: (-shares[word], word))
        return [word for word in listed if is_word(word)][:size]
    try:
        lines = Path(source).read_text(encoding="utf-8").split("\n")
    except UnicodeDecodeError:
        raise InputError("not UTF-8", where=source, fix="convert it to UTF-8") from None
    words = dict.fromkeys(line.strip().lower() for line in lines)
    return [word for word in words if word]


def number_words(words: Sequence[str], vocabulary: list[str]) -> tuple[list[str], Ints]:
    """Return the vocabulary followed by the other words, and the number of each word in it.

    A text that is not a word (see `is_word`) is not added; its number is -1.

    >>> number_words(["b", "c", "2"], ["a", "b"])
    (['a', 'b', 'c'], array([ 1,  2, -1]))
    """
    numbers = {word: number for number, word in enumerate(vocabulary)}
    for word in words:
        if is_word(word):
            numbers.setdefault(word, len(numbers))
    return list(numbers), np.array([numbers.get(word, -1) for word in words], np.int64)


def file_digest(path: str) -> str:
    """Return the beginning of the hash of a file."""
    return sha256(Path(path).read_bytes()).hexdigest()[:16]
