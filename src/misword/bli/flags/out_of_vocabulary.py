"""Words without a vector."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from misword.bli.auditing.lexicon import AuditedLexicon, Resource
from misword.bli.flags import Flag, Flagged


@dataclass(frozen=True, slots=True)
class OutOfVocabulary(Flag):
    """Words that the vectors do not have, or not among the words that were read.

    The table `pairs` has the rank of each word that they have.

    Example: `misword audit gold.txt --source-lang en --target-lang de --source-vectors en.vec
    --target-vectors de.vec --flags out-of-vocabulary`
    """

    name: ClassVar[str] = "out-of-vocabulary"
    title: ClassVar[str] = "out of vocabulary"
    family: ClassVar[str] = "evaluation"
    cites: ClassVar[tuple[str, ...]] = ("denisova2023",)
    reads: ClassVar[tuple[Resource, ...]] = ("source vectors", "target vectors")

    def look(self, lexicon: AuditedLexicon) -> Iterator[Flagged]:
        """Look up both columns in their vectors."""
        texts: dict[int, list[str]] = {}
        for column in lexicon.columns:
            if column.ranks is None or column.vocabulary is None:
                continue
            size = len(column.vocabulary)
            for number in (column.ranks == 0).nonzero()[0].tolist():
                word = column.words[number]
                texts.setdefault(number, []).append(f"{word!r} is not among {size:,} words")
        for number, found in sorted(texts.items()):
            yield Flagged(number, 1.0, "; ".join(found))
