"""The rows of a draft: a headword, its candidates, and the verdict of a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from misword.bli.open_mapping import OpenMapping
from misword.bli.retrievers import RETRIEVERS
from misword.bli.translate import Translations

Verdict = Literal["", "accept", "reject", "other"]
VERDICTS: tuple[Verdict, ...] = ("accept", "reject", "other")
BACK = "csls"  # the retriever of back-translations


@dataclass(frozen=True, slots=True)
class Candidate:
    """A possible translation of a headword.

    `score` is that of the retriever, a probability if the mapping has a reranker; None for a
    translation that was judged earlier and is no candidate now. `back` is the best translation of
    the candidate in the other direction.
    """

    word: str
    score: float | None
    back: str


@dataclass(frozen=True, slots=True)
class Headword:
    """A row of a draft.

    `rank` is the place of the word in the vectors, from 1, 0 if it is not there; files of vectors
    have the most frequent words first. `pos`, `lemma` and `name` (the probability that the word is
    a proper noun) are empty or None if they are not known. `verdict` is about the first candidate:
    `accept`, `reject`, or `other` if the words in `other` are the translations; with `accept`,
    `other` has further translations.
    """

    word: str
    rank: int
    candidates: tuple[Candidate, ...]
    pos: str = ""
    lemma: str = ""
    name: float | None = None
    verdict: Verdict = ""
    other: tuple[str, ...] = ()

    @property
    def target(self) -> str:
        """The first candidate; empty if there is none."""
        return self.candidates[0].word if self.candidates else ""

    @property
    def is_mutual(self) -> bool:
        """Whether the first candidate is translated back to the headword."""
        return bool(self.candidates) and self.candidates[0].back == self.word

    @property
    def translations(self) -> tuple[str, ...]:
        """The translations that a person accepted, each once."""
        first = (self.target,) if self.verdict == "accept" else ()
        accepted = (*first, *self.other) if self.verdict in ("accept", "other") else ()
        return tuple(dict.fromkeys(accepted))

    def with_target(self, target: str, backs: Mapping[str, str]) -> Headword:
        """Return the row with another first candidate; the others keep their order."""
        known = [one for one in self.candidates if one.word == target]
        first = known[0] if known else Candidate(target, None, backs.get(target, ""))
        others = [one for one in self.candidates if one.word != target]
        return replace(self, candidates=(first, *others))


def draft_headwords(
    mapping: OpenMapping, found: Translations, workers: int | None = None
) -> list[Headword]:
    """Return a row for each word, in the order of the words."""
    backs = back_translations(mapping, found, workers)
    ranks = (mapping.source.vocabulary.find(found.words) + 1).tolist()
    ids, scores = found.neighbors.ids.tolist(), found.neighbors.scores.tolist()
    rows = []
    for word, row, rank in zip(found.words, found.rows.tolist(), ranks, strict=True):
        candidates = (
            Candidate(found.target[id_], round(score, 6), backs[id_])
            for id_, score in zip(ids[row], scores[row], strict=True)
        )
        rows.append(Headword(word, rank, tuple(candidates) if row >= 0 else ()))
    return rows


def back_translations(
    mapping: OpenMapping, found: Translations, workers: int | None = None
) -> dict[int, str]:
    """Return the best translation of each candidate in the other direction, by its row number."""
    ids = np.unique(found.neighbors.ids)
    best = mapping.swap().nearest(ids, RETRIEVERS.create(BACK), 1, workers).ids[:, 0]
    words = mapping.source.vocabulary
    return {id_: words[row] for id_, row in zip(ids.tolist(), best.tolist(), strict=True)}


def by_trust(rows: Sequence[Headword], *, probabilities: bool) -> list[Headword]:
    """Return the rows that can be trusted most first; words without a candidate are last.

    Probabilities are compared as they are. Scores of other retrievers are no measure of trust of
    their own: rows whose back-translation is the headword come first, each group by its scores.
    """

    def distrust(row: Headword) -> tuple[bool, bool, float]:
        if not row.candidates:
            return True, True, 0.0
        return False, not (probabilities or row.is_mutual), -_best_score(row)

    return sorted(rows, key=distrust)


def _best_score(row: Headword) -> float:
    return max((one.score for one in row.candidates if one.score is not None), default=0.0)
