"""Read the lists of spellings in the folder `spellings`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import NamedTuple

Pair = tuple[str, str]


class Spellings(NamedTuple):
    """The variants of a language: whole words by variant, and letters replaced in any word."""

    words: dict[str, str]
    letters: dict[str, str]

    def replace_letters(self, word: str) -> str:
        """Return a word with the letters that are replaced anywhere."""
        return _pattern(tuple(self.letters)).sub(lambda match: self.letters[match[0]], word)


@cache
def read_spellings(lang: str) -> Spellings:
    """Return the variants of a language; empty if there is no list for it."""
    file = files("misword.text.writing") / "spellings" / f"{lang}.txt"
    return parse_spellings(file.read_text("utf-8")) if file.is_file() else Spellings({}, {})


def parse_spellings(text: str) -> Spellings:
    """Return the variants that a list describes.

    A line in brackets has the endings of the words below it, `[re=er res=ers]`; `[our=or: - s]`
    stands for `[our=or ours=ors]`, and `-` is the empty ending. Each word below is a stem, or two
    stems with `=` between; every stem is combined with every ending. Below `[anywhere]`, each pair
    stands for letters that are replaced wherever they occur in a word.

    >>> parse_spellings("[re=er res=ers] \\n cent").words
    {'centre': 'center', 'centres': 'centers'}
    """
    spellings = Spellings({}, {})
    endings: list[Pair] | None = []
    for line in text.splitlines():
        if line.startswith("["):
            header = line.strip().strip("[]")
            endings = None if header == "anywhere" else list(_endings(header))
        elif not line.startswith("#"):
            for first, second in map(_pair, line.split()):
                if endings is None:
                    spellings.letters[first] = second
                for end, other_end in endings or ():
                    spellings.words[first + end] = second + other_end
    return spellings


def _endings(header: str) -> Iterator[Pair]:
    """Yield the pairs of endings that a line in brackets describes."""
    start, _, rest = header.rpartition(":")
    first, second = _pair(start)
    for end, other_end in map(_pair, rest.replace("-", "=").split()):
        yield first + end, second + other_end


def _pair(text: str) -> Pair:
    """Return the two sides of `a=b`; a text without `=` has two equal sides."""
    first, equals, second = text.partition("=")
    return first, second if equals else first


@cache
def _pattern(texts: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern of any of the texts, the longest first."""
    return re.compile("|".join(sorted(texts, key=len, reverse=True)))
