"""Words as they are written, divided into the bare word, its punctuation marks and its capitals."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple
from unicodedata import category

# Names of punctuation marks and their characters in several scripts. Apostrophes are part of words.
CHARACTERS = {
    "comma": ",،、，",
    "period": ".。।．",
    "question": "?؟？;",
    "exclamation": "!！",
    "colon": ":：",
    "semicolon": ";؛；",
    "dash": "–—―",
}
OTHER = "other"  # quotation marks, brackets, dots that leave something open
MARKS = (*CHARACTERS, OTHER)
CAPITALS = ("first_letter", "all_letters", "mixed")
NAME_OF = {character: name for name, characters in CHARACTERS.items() for character in characters}
# Unicode calls these punctuation, but they are read aloud, or are part of a word that was cut off.
READ = "%&@#*/\\§¶†‡‰"
UNCOUNTED = "'’‘-‐‑_"  # stand around words, and belong to their spelling


class WrittenWord(NamedTuple):
    """A word as it is written.

    `core` is the word without punctuation around it, empty if it has no other character; `before`
    and `after` are that punctuation. `marks` are the names of the marks.
    """

    before: str
    core: str
    after: str
    marks: frozenset[str]

    @property
    def bare(self) -> str:
        """The word without punctuation and capitals."""
        return self.core.casefold()

    @property
    def capitals(self) -> str:
        """How the word is capitalised: `first_letter`, `all_letters`, `mixed`; empty if it is not.

        >>> [divide(word).capitals for word in ("Anna", "IBM", "iPhone", "I", "we")]
        ['first_letter', 'all_letters', 'mixed', 'first_letter', '']
        """
        letters = [c for c in self.core if c.lower() != c.upper()]
        upper = [c for c in letters if c != c.lower()]
        if not upper:
            return ""
        if len(upper) == 1 and letters[0] == upper[0]:
            return "first_letter"
        return "all_letters" if len(upper) == len(letters) else "mixed"


def divide(word: str) -> WrittenWord:
    """Divide a word into its core and the punctuation around it.

    >>> divide("(Yes,").core, sorted(divide("(Yes,").marks)
    ('Yes', ['comma', 'other'])
    >>> divide("$3.5").core, divide("don't").core, divide("5%.").core, divide("--").core
    ('$3.5', "don't", '5%', '')
    """
    if word.isalnum():
        return WrittenWord("", word, "", frozenset())
    first, last = 0, len(word)
    while first < last and _is_around(word[first]):
        first += 1
    while last > first and _is_around(word[last - 1]):
        last -= 1
    before, core, after = word[:first], word[first:last], word[last:]
    return WrittenWord(before, core, after, _marks(before, core) | _marks(after, core))


def bare(word: str) -> str:
    """Return a word without punctuation around it and without capitals.

    >>> bare("Yes,")
    'yes'
    """
    return word.casefold() if word.isalnum() else divide(word).bare


@cache
def _is_around(character: str) -> bool:
    return category(character)[0] == "P" and character not in READ


def _marks(punctuation: str, core: str) -> frozenset[str]:
    """Return the names of the marks in punctuation on one side of a core."""
    if not core and punctuation and not punctuation.strip("-‐‑"):
        return frozenset({"dash"})  # between two words
    if len(punctuation) > 1 and ".." in punctuation:
        punctuation = punctuation.replace(".", "…")
    return frozenset(NAME_OF.get(c, OTHER) for c in punctuation if c not in UNCOUNTED)
