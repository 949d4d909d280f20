"""Pairs that are in the lexicon more than once."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from misword.bli.auditing.lexicon import AuditedLexicon
from misword.bli.flags import Flag, Flagged


@dataclass(frozen=True, slots=True)
class Doubled(Flag):
    """Pairs that are in the file more than once, or again in another Unicode form.

    A doubled pair counts once in every rate, so nothing is to be left out.

    Example: `misword audit gold.txt --source-lang en --target-lang de --flags doubled`
    """

    name: ClassVar[str] = "doubled"
    title: ClassVar[str] = "doubled"
    family: ClassVar[str] = "writing"

    def look(self, lexicon: AuditedLexicon) -> Iterator[Flagged]:
        """Yield the pairs with copies, and those that differ from an earlier one in form only."""
        lines = lexicon.lexicon.lines
        first: dict[tuple[str, ...], int] = {}
        for number, pair in enumerate(lexicon.pairs):
            texts = []
            if copies := lexicon.lexicon.copies.get(number):
                texts.append(f"also in {'lines' if len(copies) > 1 else 'line'} {_listed(copies)}")
            before = first.setdefault(tuple(map(_composed, pair)), number)
            if before != number:
                texts.append(f"line {lines[before]} in another Unicode form")
            if texts:
                yield Flagged(number, 1.0, "; ".join(texts))


def _composed(word: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", word).split())


def _listed(lines: tuple[int, ...]) -> str:
    return ", ".join(map(str, lines))
