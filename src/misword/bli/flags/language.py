"""Words that are more at home in the other language."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.bli.auditing.lexicon import AuditedLexicon, Column, Resource, ranks_of
from misword.bli.flags import Flag, Flagged
from misword.embed.vectors.vocabulary import Vocabulary

TIMES = 10  # a word of the other language is so many times more frequent there
MUCH, MORE = 0.8, 0.6


@dataclass(frozen=True, slots=True)
class Language(Flag):
    """Words that the vectors of the other language have, and those of their own have not.

    Also words whose rank is ten times better in the other language. The probabilities are 0.8 and
    0.6.

    Known problems: needs the vectors of both languages. Names and recent loanwords are found too.

    Example: `misword audit gold.txt --source-lang en --target-lang de --source-vectors en.vec
    --target-vectors de.vec --flags language`
    """

    name: ClassVar[str] = "language"
    title: ClassVar[str] = "wrong language"
    family: ClassVar[str] = "language"
    reads: ClassVar[tuple[Resource, ...]] = ("target vectors",)

    def missing(self, lexicon: AuditedLexicon) -> str:
        """Return why the flag cannot be given: both vectors are needed."""
        return lexicon.missing("source vectors") or lexicon.missing("target vectors")

    def look(self, lexicon: AuditedLexicon) -> Iterator[Flagged]:
        """Compare the ranks of each word in both languages."""
        found: dict[int, list[tuple[float, str]]] = {}
        for column, other in zip(lexicon.columns, reversed(lexicon.columns), strict=True):
            if column.vocabulary is None or other.vocabulary is None:
                continue
            for number, probability, text in _foreign(column, column.vocabulary, other.vocabulary):
                found.setdefault(number, []).append((probability, f"{text} in {other.lang}"))
        for number, several in sorted(found.items()):
            yield Flagged(number, max(several)[0], "; ".join(text for _, text in several))


def _foreign(
    column: Column, own: Vocabulary, other: Vocabulary
) -> Iterator[tuple[int, float, str]]:
    """Yield the words of a column that the other vocabulary has, and its own has not or rarely."""
    ranks, others = ranks_of(own, column.words), ranks_of(other, column.words)
    absent: NDArray[np.bool_] = (ranks == 0) & (others > 0)
    rarer: NDArray[np.bool_] = (ranks > TIMES * others) & (others > 0)
    for number in np.flatnonzero(absent | rarer).tolist():
        rank = f"rank {ranks[number]:,}" if ranks[number] else "none"
        text = f"{column.words[number]!r}: {rank} in {column.lang}, rank {others[number]:,}"
        yield number, MUCH if absent[number] else MORE, text
