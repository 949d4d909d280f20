"""Lines that differ from earlier lines in a few words only."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

GRAM = 3  # words of an n-gram
LONG = 8  # words of a line that is looked at
ALIKE = 0.7  # the least share of common n-grams
MOST_LINES = 20  # an n-gram in more lines is a phrase that many sentences have


def near_doubles(lines: Sequence[Sequence[str]]) -> Iterator[tuple[int, int]]:
    """Yield an earlier and a later line that share most of their n-grams and are not equal.

    Each later line is yielded once. Similarity is the Jaccard index of the sets of word trigrams.

    >>> words = "a b c d e f g h i j k l".split()
    >>> list(near_doubles([words, ["x"], [*words[:11], "m"]]))
    [(0, 2)]
    """
    places: dict[int, list[int]] = defaultdict(list)
    sizes: list[int] = []
    for row, words in enumerate(lines):
        grams = _grams(words) if len(words) >= LONG else set()
        sizes.append(len(grams))
        common: Counter[int] = Counter()
        for gram in grams:
            earlier = places[gram]
            if len(earlier) < MOST_LINES:
                common.update(earlier)
                earlier.append(row)
        if not common:
            continue
        other, count = max(common.items(), key=lambda item: (item[1], -item[0]))
        union = sizes[row] + sizes[other] - count
        if count >= ALIKE * union and list(lines[other]) != list(words):
            yield other, row


def _grams(words: Sequence[str]) -> set[int]:
    """Return hashes of the n-grams of words."""
    return {hash(tuple(words[start : start + GRAM])) for start in range(len(words) - GRAM + 1)}
