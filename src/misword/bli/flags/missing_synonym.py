"""Translations that another dictionary has and the lexicon has not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from misword.bli.auditing.gaps import missing_synonyms
from misword.bli.auditing.lexicon import AuditedLexicon, Resource
from misword.bli.flags import Flag, Flagged

SHOWN = 5  # words that the evidence names


@dataclass(frozen=True, slots=True)
class MissingSynonym(Flag):
    """Headwords for which another dictionary knows more translations.

    A system that answers with one of them is counted as wrong. Translations of several words are
    left out; with target vectors, so are words without a vector.

    Example: `misword audit en-de.txt --source-lang en --target-lang de --dictionaries other.tsv
    --flags missing-synonym`
    Reference: Y. Kementchedjhieva et al., Lost in evaluation, EMNLP 2019
    """

    name: ClassVar[str] = "missing-synonym"
    title: ClassVar[str] = "missing synonym"
    family: ClassVar[str] = "evaluation"
    cites: ClassVar[tuple[str, ...]] = ("kementchedjhieva2019",)
    reads: ClassVar[tuple[Resource, ...]] = ("dictionaries",)

    def look(self, lexicon: AuditedLexicon) -> Iterator[Flagged]:
        """Flag the first pair of each headword with a gap."""
        gaps = missing_synonyms(lexicon)
        for word, pairs in lexicon.lexicon.headwords.items():
            if found := gaps.get(word):
                named = [f"{other} ({', '.join(names)})" for other, names in found.items()]
                more = f" and {len(named) - SHOWN} more" if len(named) > SHOWN else ""
                yield Flagged(pairs[0], 1.0, f"missing: {', '.join(named[:SHOWN])}{more}")
