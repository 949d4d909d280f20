"""Words whose case is not that of their column."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from misword.bli.auditing.lexicon import AuditedLexicon, Column, ranks_of
from misword.bli.flags import Flag, Flagged

RARE = 0.05  # a share of capitals or capital letters up to which they are exceptions
FEWEST = 20  # words of a column that has a usual case
ODD, KNOWN = 0.6, 0.9


@dataclass(frozen=True, slots=True)
class Case(Flag):
    """Capitals in a column of lower case, and words that the vectors have in lower case.

    Word vectors are case-sensitive: a gold word with another case than the vectors cannot be found.
    The probability is 0.9 if the vectors have the word in lower case only, or another pair differs
    in case only, and 0.6 for a capital in a column where fewer than one word of twenty has one.

    Example: `misword audit gold.txt --source-lang en --target-lang de --flags case`
    """

    name: ClassVar[str] = "case"
    title: ClassVar[str] = "case"
    family: ClassVar[str] = "writing"

    def look(self, lexicon: AuditedLexicon) -> Iterator[Flagged]:
        """Look at the case of both columns, and at pairs that differ in case."""
        found: dict[int, list[tuple[float, str]]] = {}
        for column in lexicon.columns:
            for number, probability, text in _odd_words(column):
                found.setdefault(number, []).append((probability, text))
        first: dict[tuple[str, str], int] = {}
        for number, (source, target) in enumerate(lexicon.pairs):
            before = first.setdefault((source.lower(), target.lower()), number)
            if before != number:
                text = f"differs from line {lexicon.lexicon.lines[before]} in case only"
                found.setdefault(number, []).append((KNOWN, text))
        for number, several in sorted(found.items()):
            yield Flagged(number, max(several)[0], "; ".join(text for _, text in several))


def _odd_words(column: Column) -> Iterator[tuple[int, float, str]]:
    """Yield the words that are not written as the rest of the column, or as the vectors."""
    changed = [(number, word) for number, word in enumerate(column.words) if word != word.lower()]
    if not changed:
        return
    exceptions = len(changed) <= RARE * len(column.words) and len(column.words) >= FEWEST
    words = [word for _, word in changed]
    in_lower_case_only = [False] * len(changed)
    if column.vocabulary is not None:
        lower = ranks_of(column.vocabulary, [word.lower() for word in words]) > 0
        in_lower_case_only = (lower & (ranks_of(column.vocabulary, words) == 0)).tolist()
    for (number, word), only_lower in zip(changed, in_lower_case_only, strict=True):
        if only_lower:
            yield number, KNOWN, f"the vectors have {word.lower()!r}, not {word!r}"
        elif exceptions:
            yield number, ODD, f"{word!r} in a column of lower case"
