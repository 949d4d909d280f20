"""The candidates of the words that the paper and its notebook name."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from misword.noise.channels.specs import create_channel
from misword.noise.error_model import CandidateTable
from studies.voleti2019 import published
from studies.voleti2019.materials import noise_context

SYRIA = "syria"
# The channel as the notebook has it, and as Algorithm 1 and Equation 1 have it.
NOTEBOOK, PRINTED = "voleti", "voleti:most=0,kernel=paper"


class Candidate(NamedTuple):
    """A candidate of a word: its rank, its probability and its phonological distance."""

    word: str
    rank: int
    probability: float
    distance: float


@cache
def candidate_table(channel: str) -> CandidateTable:
    """Return the candidates of the words that the paper names, with GloVe vectors."""
    words = [SYRIA, *(said for said, _ in substitutions())]
    return create_channel(channel).error_model(words, noise_context()).candidates


def candidates_of(channel: str, word: str) -> list[Candidate]:
    """Return the candidates of a word, the most probable first."""
    found = candidate_table(channel)
    row = list(found.words).index(word)
    entries = range(int(found.offsets[row]), int(found.offsets[row + 1]))
    return [
        Candidate(
            found.vocabulary[int(found.ids[entry])],
            rank,
            float(found.probability[entry]),
            float(found.phonological[entry]),
        )
        for rank, entry in enumerate(entries, start=1)
    ]


def substitutions() -> list[tuple[str, str]]:
    """Return the words of Table 1 that were substituted, and their substitutes.

    >>> substitutions()[:3]
    [('holds', 'helps'), ('over', 'every'), ('syria', 'sharia')]
    """
    pairs = []
    for original, corrupted in published.TABLE_1:
        sides = ([w.strip(".").lower() for w in text.split()] for text in (original, corrupted))
        pairs += [(said, heard) for said, heard in zip(*sides, strict=True) if said != heard]
    return pairs
