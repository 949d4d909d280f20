"""What misword reads a number as, and which pairs of texts it forgives."""

from __future__ import annotations

from collections.abc import Sequence

import misword
from misword.text.writing.numbers.family import Numbers


def keys(text: str, lang: str = "en") -> set[str]:
    """Return the keys of the readings that span all words of a text."""
    words = tuple(text.split())
    readings = Numbers().readings(words, lang)
    return {reading.key for reading in readings if (reading.start, reading.end) == (0, len(words))}


def same(left: str, right: str, lang: str = "en") -> bool:
    """Whether two texts can be read as the same number."""
    return not keys(left, lang).isdisjoint(keys(right, lang))


def forgiven(pairs: Sequence[tuple[str, str]], lang: str) -> list[bool]:
    """Whether each pair of texts has no error if differences of writing are forgiven."""
    lefts, rights = ([pair[side] for pair in pairs] for side in (0, 1))
    scores = misword.score(lefts, rights, metrics="wer", forgive="writing", lang=lang)
    counts = scores.table.select("wer.substitutions", "wer.insertions", "wer.deletions")
    return [count == 0 for count in counts.sum_horizontal().to_list()]
