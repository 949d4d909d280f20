"""Pairs of the same word."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from misword.bli.auditing.lexicon import AuditedLexicon
from misword.bli.flags import Flag, Flagged


@dataclass(frozen=True, slots=True)
class Identical(Flag):
    """Pairs whose two words are the same string, in any case.

    A method that starts from identical strings (`vecmap-i`, `muse-i`) was given such pairs.

    Example: `misword audit gold.txt --source-lang en --target-lang de --flags identical`
    """

    name: ClassVar[str] = "identical"
    title: ClassVar[str] = "identical words"
    family: ClassVar[str] = "content"

    def look(self, lexicon: AuditedLexicon) -> Iterator[Flagged]:
        """Compare the words of each pair."""
        for number, (source, target) in enumerate(lexicon.pairs):
            if source.casefold() == target.casefold():
                text = "same word" if source == target else "same word in another case"
                yield Flagged(number, 1.0, text)
