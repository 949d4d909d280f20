"""Invented spellings: words of no list that a recogniser writes for words that it does not know.

Recognisers that write letters or pieces of words write *tumas* for *dumas*. Which parts of the
spelling change, and into what, is counted in misheard words whose substitute is in no list. An
invented spelling of another word has one such change; its probability is in proportion to the rate
of the change at its part.

Reference: E. Brill, R. C. Moore, An improved error model for noisy channel spelling correction,
ACL 2000 (changes of parts of words).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING

from misword.alignment.similar_words import changes

if TYPE_CHECKING:
    from misword.noise.aligned_corpus import Span

BEGIN = "^"  # before the first letter
LONGEST_PART, MOST_PARTS = 3, 2
PRIOR_USES = 2.0  # added to the number of times that a part was said
PRIOR_SPANS = 10.0  # misheard words by which the shares of invented spellings are smoothed
MOST_SPELLINGS = 24  # of a word
MOST_WORDS = 200_000  # invented spellings of all words
LEAST_SHARE = 0.005  # words with a smaller share of invented spellings have none
# Classes of words by their Zipf frequency: the name of each is its upper limit.
CLASSES = {"2": 2.0, "3": 3.0, "4": 4.0, "5": 5.0, "9": float("inf")}
Rates = Mapping[str, Mapping[str, float]]


def class_of(zipf: float) -> str:
    """Return the class of a Zipf frequency.

    >>> class_of(1.5), class_of(6.0)
    ('2', '9')
    """
    return next(name for name, limit in CLASSES.items() if zipf < limit)


def changed_parts(said: str, heard: str) -> list[tuple[str, str]]:
    """Return the parts of a word that are spelt in another way, with the other spelling.

    An insertion belongs to the letter before it. The list is empty if the words have too little in
    common.

    >>> changed_parts("dumas", "tumas"), changed_parts("ruling", "rulling")
    ([('d', 't')], [('l', 'll')])
    >>> changed_parts("cat", "table")
    []
    """
    most = len(said) / 2
    said, heard = BEGIN + said, BEGIN + heard
    parts = []
    for start, end, other_start, other_end in changes(said, heard):
        if start == end:  # nothing was said: the letter before belongs to it
            start, other_start = start - 1, other_start - 1
        parts.append((said[start:end], heard[other_start:other_end]))
    short = all(max(map(len, part)) <= LONGEST_PART for part in parts)
    few = len(parts) <= MOST_PARTS and sum(len(part) for part, _ in parts) <= most
    return parts if short and few else []


def is_invented(said: str, heard: str, listed: Collection[str]) -> bool:
    """Return whether a word is in no list and is spelt nearly as what was said."""
    return heard not in listed and bool(changed_parts(said, heard))


def spelling_rates(spans: Iterable[tuple[Span, float]], listed: Collection[str]) -> Rates:
    """Return how often each part of a misheard word has each other spelling.

    `spans` have weights; `listed` are the words that are not invented.
    """
    counts: dict[str, dict[str, float]] = {}
    uses: dict[str, float] = {}
    for span, weight in spans:
        if len(span.said) != 1 or len(span.heard) != 1:
            continue
        (said,), (heard,) = span.said, span.heard
        for part, _, _ in _parts_of(BEGIN + said):
            uses[part] = uses.get(part, 0.0) + weight
        if is_invented(said, heard, listed):
            for part, other in changed_parts(said, heard):
                row = counts.setdefault(part, {})
                row[other] = row.get(other, 0.0) + weight
    return {
        part: {
            other: round(count / (uses.get(part, 0.0) + PRIOR_USES), 6)
            for other, count in sorted(row.items())
        }
        for part, row in sorted(counts.items())
    }


def invented_shares(
    spans: Iterable[Span], zipf: Mapping[str, float], listed: Collection[str]
) -> dict[str, float]:
    """Return the share of invented spellings among misheard single words, for each class."""
    total, invented = dict.fromkeys(CLASSES, PRIOR_SPANS), dict.fromkeys(CLASSES, 0.0)
    for span in spans:
        if len(span.said) == 1 and span.said[0] in zipf:
            name = class_of(zipf[span.said[0]])
            total[name] += 1
            if len(span.heard) == 1:
                invented[name] += is_invented(span.said[0], span.heard[0], listed)
    return {name: round(invented[name] / total[name], 6) for name in CLASSES}


def invented_spellings(word: str, rates: Rates, taken: Collection[str]) -> dict[str, float]:
    """Return the most probable invented spellings of a word that are not taken.

    Their probabilities add up to at most 1: the rest is that of the spellings that are left out.

    >>> invented_spellings("dumas", {"d": {"t": 0.1}, "u": {"oo": 0.1}}, {"doomas"})
    {'tumas': 0.5}
    """
    weights: dict[str, float] = {}
    said = BEGIN + word
    for part, start, end in _parts_of(said):
        for other, rate in rates.get(part, {}).items():
            spelt = (said[:start] + other + said[end:]).removeprefix(BEGIN)
            if len(spelt) > 1 and BEGIN not in spelt:
                weights[spelt] = weights.get(spelt, 0.0) + rate
    total = sum(weights.values())
    free = sorted(
        (spelt for spelt in weights if spelt not in taken), key=lambda s: (-weights[s], s)
    )
    return {spelt: weights[spelt] / total for spelt in free[:MOST_SPELLINGS]}


def _parts_of(said: str) -> Iterable[tuple[str, int, int]]:
    for start in range(len(said)):
        for end in range(start + 1, min(start + LONGEST_PART, len(said)) + 1):
            yield said[start:end], start, end
