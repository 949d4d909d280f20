"""Entries of several words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from misword.bli.auditing.lexicon import AuditedLexicon
from misword.bli.flags import Flag, Flagged

SEVERAL = re.compile(r"\w[\s_]+\w")


@dataclass(frozen=True, slots=True)
class MultiWord(Flag):
    """Entries of several words, which have no word vector.

    Denisová and Rychlý build evaluation sets without them. Words that are joined by a hyphen are
    one word.

    Example: `misword audit gold.tsv --source-lang et --target-lang sk --flags multi-word`
    """

    name: ClassVar[str] = "multi-word"
    title: ClassVar[str] = "several words"
    family: ClassVar[str] = "evaluation"
    cites: ClassVar[tuple[str, ...]] = ("denisova2023",)

    def look(self, lexicon: AuditedLexicon) -> Iterator[Flagged]:
        """Look for spaces and underscores inside the words."""
        for number, pair in enumerate(lexicon.pairs):
            if several := [word for word in pair if SEVERAL.search(word)]:
                yield Flagged(number, 1.0, ", ".join(map(repr, several)))
