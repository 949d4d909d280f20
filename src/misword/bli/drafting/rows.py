"""The rows of a draft: a headword, its candidates by sense, and the verdict of a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from misword.io.dictionaries.entries import Example

Verdict = Literal["", "accept", "reject", "other"]
NAME = 0.5  # the probability from which a headword counts as a name
VERDICTS: tuple[Verdict, ...] = ("accept", "reject", "other")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A possible translation of a headword.

    `score` is that of the retriever, a probability if the mapping has a reranker; None for a
    translation that was judged earlier and is not a candidate now. `back` is the best translation
    of the candidate in the other direction. `sense` is the number of the meaning of the headword
    that the candidate has. `forms` are the inflected forms of the candidate that were found, if it
    is a lemma that stands for them.
    """

    word: str
    score: float | None
    back: str
    sense: int = 1
    pos: str = ""
    forms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Headword:
    """A row of a draft.

    `rank` is the place of the word in the vectors, from 1, 0 if it is not there; files of vectors
    have the most frequent words first. `pos`, `lemma` and `name` (the probability that the word is
    a proper noun) are empty or None if they are not known. `verdict` is about the first candidate:
    `accept`, `reject`, or `other` if the words in `other` are the translations; with `accept`,
    `other` has further translations.

    `forms` are the words of the vectors that are forms of the headword and have no row of their
    own. `known` says that the word or one of its forms is in the training lexicon. `examples` are
    sentences, each with the number of its sense. `frequency` is the number of occurrences of the
    headword and its forms in the corpus of the user, 0 without one.
    """

    word: str
    rank: int
    candidates: tuple[Candidate, ...]
    pos: str = ""
    lemma: str = ""
    name: float | None = None
    verdict: Verdict = ""
    other: tuple[str, ...] = ()
    forms: tuple[str, ...] = ()
    known: bool = False
    examples: tuple[tuple[int, Example], ...] = ()
    frequency: int = 0
    reviewer: str = ""

    @property
    def target(self) -> str:
        """The first candidate; empty if there is none."""
        return self.candidates[0].word if self.candidates else ""

    @property
    def is_mutual(self) -> bool:
        """Whether the first candidate is translated back to the headword."""
        return bool(self.candidates) and self.candidates[0].back == self.word

    @property
    def is_name(self) -> bool:
        """Whether the headword is probably a proper noun."""
        return self.name is not None and self.name >= NAME

    @property
    def translations(self) -> tuple[str, ...]:
        """The translations that a person accepted, each once."""
        return accepted_translations(self.target, self.verdict, self.other)

    @property
    def best_score(self) -> float:
        """The highest score of a candidate, 0 if none has one."""
        return max((one.score for one in self.candidates if one.score is not None), default=0.0)

    def with_target(self, target: str, backs: Mapping[str, str]) -> Headword:
        """Return the row with another first candidate; the others keep their order."""
        known = [one for one in self.candidates if one.word == target]
        first = known[0] if known else Candidate(target, None, backs.get(target, ""))
        others = [one for one in self.candidates if one.word != target]
        return replace(self, candidates=(first, *others))


def accepted_translations(target: str, verdict: Verdict, other: Sequence[str]) -> tuple[str, ...]:
    """Return the translations that a verdict accepts, each once."""
    first = (target,) if verdict == "accept" else ()
    accepted = (*first, *other) if verdict in ("accept", "other") else ()
    return tuple(dict.fromkeys(accepted))
