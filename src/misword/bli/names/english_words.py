"""How English writes a word: in lower case, with a capital, as a name, as an abbreviation.

The words are from SCOWL (Spell Checker Oriented Word Lists, version 2020.12.07, by Kevin Atkinson
and others; LICENSE.scowl beside the data), whose lists have levels from 10 (the most common words)
to 95. `tools/make_names.py` makes the data file.
"""

from __future__ import annotations

import lzma
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple

DATA = "english_words.txt.xz"
ABSENT = 99  # the level of a word that is not in a list


class Levels(NamedTuple):
    """The lowest level at which a word is in each kind of list; `ABSENT` if it is in none.

    `common` are the lists of words in lower case, `capitalised` those of words with a capital
    (nationalities, languages, places, persons), `name` the lists of proper names, and
    `abbreviation` those of abbreviations.
    """

    common: int = ABSENT
    capitalised: int = ABSENT
    name: int = ABSENT
    abbreviation: int = ABSENT

    @property
    def is_listed(self) -> bool:
        """Whether the word is in any list."""
        return min(self) < ABSENT

    @property
    def with_capital(self) -> int:
        """The lowest level with a capital, as a name or not."""
        return min(self.capitalised, self.name)


NOT_LISTED = Levels()


def levels_of(word: str) -> Levels:
    """Return the levels of an English word, written in any case.

    >>> levels_of("london").common == ABSENT, levels_of("River").common, levels_of("rose").name
    (True, 10, 50)
    """
    return english_words().get(word.lower(), NOT_LISTED)


@cache
def english_words() -> Mapping[str, Levels]:
    """Return the levels of all listed words, by the word in lower case."""
    data = (files("misword.bli.names") / DATA).read_bytes()
    words: dict[str, Levels] = {}
    for line in lzma.decompress(data).decode("utf-8").splitlines():
        numbers, _, listed = line.partition("\t")
        levels = Levels(*(ABSENT if n == "-" else int(n) for n in numbers.split()))
        words |= dict.fromkeys(listed.split(), levels)
    return words
