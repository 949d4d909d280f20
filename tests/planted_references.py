"""References with planted errors: words replaced by confusions that recognisers really make."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from misword.alignment.several_references import word_key
from misword.asr.references.candidates import Heard


class Planted(NamedTuple):
    """Texts with planted errors, and the spans of words of each text that are wrong."""

    texts: list[str]
    spans: list[list[tuple[int, int]]]


def confusions(heard: Heard) -> dict[str, Counter[str]]:
    """Return for each word the words that systems have in its place; empty for left out."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for step in heard.steps:
        words = heard.texts[step.row].words[step.start : step.end]
        if len(words) <= 1 and len(step.text.split()) <= 1:
            found[word_key(words[0]) if words else ""][step.text] += 1
    return found


def plant(texts: Sequence[str], heard: Heard, rate: float, seed: int) -> Planted:
    """Plant errors into a share of the words: mostly confusions, some left out, some added."""
    draw = Random(seed)
    known = confusions(heard)
    inserted = [word for word, n in known[""].items() for _ in range(n) if len(word) > 1]
    every = [word for text in texts for word in text.split()]
    planted, spans = [], []
    for text in texts:
        words: list[str] = []
        places: list[tuple[int, int]] = []
        for word in text.split():
            if draw.random() >= rate:
                words.append(word)
                continue
            kind, at = draw.random(), len(words)
            others = known.get(word_key(word), Counter())
            choices = [
                o for o, n in others.items() for _ in range(n) if word_key(o) != word_key(word)
            ]
            if kind < 0.12:
                places.append((at, at))  # the word is left out
            elif kind < 0.2 and inserted:
                words += [word, draw.choice(inserted)]
                places.append((at + 1, at + 2))
            else:
                other = draw.choice(choices) if choices and kind < 0.92 else draw.choice(every)
                words += [other] if other else []
                places.append((at, at + bool(other)))
        planted.append(" ".join(words))
        spans.append(places)
    return Planted(planted, spans)


def is_planted(start: int, end: int, places: Sequence[tuple[int, int]]) -> bool:
    """Return whether a span of words meets one that was planted."""
    return any(
        start < high and low < end if start < end and low < high else start <= high and low <= end
        for low, high in places
    )
