"""Flags: what may be wrong with a pair of a lexicon, or what a reader of rates should know of it.

Each flag is a part. It yields the pairs it is about, each with a probability and the evidence. A
flag that follows from a rule has the probability 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, NamedTuple

from misword.bli.auditing.lexicon import AuditedLexicon, Resource
from misword.core.parts import Part
from misword.core.parts.registry import Entry, Registry

HERE = "misword.bli.flags"


class Flagged(NamedTuple):
    """A pair of a lexicon, by its number from 0, with a flag's probability and evidence."""

    pair: int
    probability: float
    evidence: str


class Flag(Part):
    """A flag. `family` is what it is about: `content`, `language`, `writing` or `evaluation`.

    `reads` are the resources without which the flag cannot be given; one of several is enough.

    Example: `misword audit gold.txt --source-lang en --target-lang de --flags proper-noun`
    """

    __slots__ = ()

    reads: ClassVar[tuple[Resource, ...]] = ()

    def missing(self, lexicon: AuditedLexicon) -> str:
        """Return why the flag cannot be given; empty if it can."""
        reasons = [lexicon.missing(resource) for resource in self.reads]
        return "" if not all(reasons) or not reasons else " or ".join(dict.fromkeys(reasons))

    def look(self, lexicon: AuditedLexicon) -> Iterator[Flagged]:
        """Yield the pairs that the flag is about."""
        raise NotImplementedError


# In the order in which they are given and listed.
FLAGS: Registry[Flag] = Registry(
    "flags",
    {
        "proper-noun": Entry(f"{HERE}.content:ProperNounFlag"),
        "not-a-word": Entry(f"{HERE}.content:NotAWordFlag"),
        "script": Entry(f"{HERE}.writing:ScriptFlag"),
        "language": Entry(f"{HERE}.writing:LanguageFlag"),
        "abbreviation": Entry(f"{HERE}.content:AbbreviationFlag"),
        "identical": Entry(f"{HERE}.content:IdenticalFlag"),
        "multi-word": Entry(f"{HERE}.evaluation:MultiWordFlag"),
        "case": Entry(f"{HERE}.writing:CaseFlag"),
        "duplicate": Entry(f"{HERE}.writing:DuplicateFlag"),
        "inflected": Entry(f"{HERE}.evaluation:InflectedFlag"),
        "out-of-vocabulary": Entry(f"{HERE}.evaluation:OutOfVocabularyFlag"),
        "training-pair": Entry(f"{HERE}.evaluation:TrainingPairFlag"),
        "training-headword": Entry(f"{HERE}.evaluation:TrainingHeadwordFlag"),
        "missing-form": Entry(f"{HERE}.evaluation:MissingFormFlag"),
        "missing-synonym": Entry(f"{HERE}.evaluation:MissingSynonymFlag"),
    },
)
