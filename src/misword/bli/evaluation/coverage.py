"""How much of a gold lexicon the vocabularies of a mapping have."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from misword.bli.evaluation.gold_ranks import Answers
from misword.bli.open_mapping import Bridge, End
from misword.io.files.sources import counted

SHOWN = 3


@dataclass(frozen=True, slots=True)
class Coverage:
    """Counts for one mapping: `N` gold pairs of `H` headwords, as Denisová calls them.

    `source_known` are headwords with a vector, `target_known` different translations with one,
    `pairs_known` pairs of which both words have one, `answerable` headwords that have such a pair.
    `source_beyond` and `target_beyond` are words that have no vector here, but are in the file
    beyond the number of words that was read; None where that cannot be told. `lower` counts the
    words of either side that have a vector in lower case only. `seen` says that the mapping was
    trained (`lexicon`) or validated (`valid`) on these very pairs.
    """

    mapping: str
    pairs: int
    headwords: int
    source_known: int
    targets: int
    target_known: int
    pairs_known: int
    answerable: int
    source_beyond: int | None
    target_beyond: int | None
    source_words: int
    target_words: int
    lower: int
    seen: str
    examples: tuple[str, ...] = ()

    @classmethod
    def of(cls, bridge: Bridge, answers: Answers) -> Coverage:
        """Count, and look for the missing words in the files of vectors."""
        lexicon = answers.lexicon
        targets = list(dict.fromkeys(lexicon.target))
        beyond = [_beyond(bridge.source, list(lexicon.headwords)), _beyond(bridge.target, targets)]
        words = sorted(beyond[0] or ()) or sorted(beyond[1] or ())
        return cls(
            bridge.name,
            len(lexicon),
            len(answers.known),
            int(answers.known.sum()),
            len(targets),
            int(np.count_nonzero(bridge.target.find(targets) >= 0)),
            int(answers.reachable.sum()),
            len(set(answers.heads[answers.reachable].tolist())),
            None if beyond[0] is None else len(beyond[0]),
            None if beyond[1] is None else len(beyond[1]),
            len(bridge.source),
            len(bridge.target),
            _lower(bridge.source, list(lexicon.headwords)) + _lower(bridge.target, targets),
            bridge.seen.get(lexicon.digest[:16], ""),
            tuple(words[:SHOWN]),
        )

    def row(self) -> dict[str, int | str | None]:
        """As a row of a table."""
        return {name: value for name, value in asdict(self).items() if name != "examples"}

    @property
    def notes(self) -> tuple[str, ...]:
        """What is out of the vocabularies, and what lies beyond the words that were read."""
        notes = []
        if self.seen:
            doing = {"lexicon": "trained", "valid": "validated"}[self.seen]
            notes.append(
                f"{self.mapping} was {doing} on this very lexicon: its rates say nothing about "
                "other words"
            )
        missing = self.headwords - self.source_known
        if missing:
            notes.append(
                f"{self.mapping}: {missing:,} of {self.headwords:,} headwords are out of the "
                f"vocabulary of {self.source_words:,} words; {self.answerable:,} have a pair of "
                "which both words are known"
            )
        if self.lower:
            notes.append(
                f"{self.mapping}: {counted(self.lower, 'word')} of the lexicon have a vector in "
                "lower case only: --lower takes all of it in lower case"
            )
        beyond = [(self.source_beyond, "headword"), (self.target_beyond, "translation")]
        told = [counted(number, what) for number, what in beyond if number]
        if told:
            notes.append(
                f"{self.mapping}: {' and '.join(told)} are in the files of vectors, but beyond the "
                f"first {self.source_words:,} and {self.target_words:,} words, which were read "
                f"(--max-words); among them {', '.join(map(repr, self.examples))}"
            )
        if None in (self.source_beyond, self.target_beyond):
            notes.append(
                f"{self.mapping}: more gold words may lie beyond --max-words; this format of "
                "vectors cannot be looked through"
            )
        return tuple(notes)


def _beyond(end: End, words: list[str]) -> set[str] | None:
    return end.beyond([word for word in words if word])


def _lower(end: End, words: list[str]) -> int:
    """How many words that have no vector have one in lower case."""
    missing = [word.lower() for word, at in zip(words, end.find(words), strict=True) if at < 0]
    return int(np.count_nonzero(end.find(missing) >= 0)) if missing else 0
