"""What the family `numbers` reads a whole text as."""

from __future__ import annotations

from misword.text.writing.numbers.family import Numbers


def keys(text: str, lang: str = "en") -> set[str]:
    """Return the keys of the readings that span all words of a text."""
    words = tuple(text.split())
    readings = Numbers().readings(words, lang)
    return {reading.key for reading in readings if (reading.start, reading.end) == (0, len(words))}


def same(left: str, right: str, lang: str = "en") -> bool:
    """Whether two texts can be read as the same number."""
    return not keys(left, lang).isdisjoint(keys(right, lang))
