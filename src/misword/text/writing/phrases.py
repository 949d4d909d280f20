"""Lists of words and classes of phrases, written as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from misword.text.writing import Phrase

PhraseClass = tuple[Phrase, ...]


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


def phrase_set(text: str) -> frozenset[Phrase]:
    """Return the phrases of a text, which are separated by `/`."""
    return frozenset(tuple(phrase.split()) for phrase in text.split("/"))


def parse_classes(text: str) -> list[PhraseClass]:
    """Return the classes of a text: one a line, its phrases separated by ` / `.

    >>> parse_classes("gonna / going to")
    [(('gonna',), ('going', 'to'))]
    """
    return [
        tuple(tuple(phrase.split()) for phrase in line.split(" / "))
        for line in text.splitlines()
        if line.strip()
    ]


def known_classes(
    classes: Iterable[Iterable[Phrase]], words: frozenset[str]
) -> Iterator[PhraseClass]:
    """Yield each class with those of its phrases whose words all occur, if these are two or more.

    >>> list(known_classes(parse_classes("gonna / going to / gon na"), frozenset(["gonna"])))
    []
    """
    for phrases in classes:
        known = tuple(
            phrase for phrase in dict.fromkeys(phrases) if all(w in words for w in phrase)
        )
        if len(known) > 1:
            yield known
