"""Senses of headwords: candidates that mean the same are one sense.

Two candidates belong to one sense if they have the same part of speech and their vectors are
similar. Senses are numbered by their best candidate.

Known problems: word vectors give words that are used alike similar vectors, such as *père* and
*mari*, although their meanings differ; so only very similar candidates share a sense, and many
senses have one candidate. On 868 headwords with FreeDict's senses, no lower limit found more
candidates of two senses than the flat list (bench/draft.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from misword.bli.drafting.headwords import WordFacts
from misword.bli.drafting.rows import Candidate, Headword
from misword.bli.open_mapping import MappedSide
from misword.core.progress import progress

SIMILAR = 0.9  # the mean cosine of the vectors of two groups from which they are one sense
APART = 10.0  # the distance of candidates with different parts of speech


def sense_numbers(vectors: NDArray[np.float32], tags: Sequence[str]) -> list[int]:
    """Return the number of the sense of each candidate, from 1 in the order of the candidates.

    `vectors` have length one; `tags` are parts of speech, empty where one is not known, and then
    they do not count.

    >>> vectors = np.array([[1, 0], [0, 1], [0.95, 0.31], [1, 0]], np.float32)
    >>> sense_numbers(vectors, ["NOUN", "NOUN", "NOUN", "VERB"])
    [1, 2, 1, 3]
    """
    if len(vectors) < 2:
        return [1] * len(vectors)
    distances = 1 - vectors.astype(np.float64) @ vectors.T
    known = np.array([bool(tag) for tag in tags])
    differ = np.array([[one != other for other in tags] for one in tags])
    distances[differ & known[:, None] & known[None, :]] = APART
    np.fill_diagonal(distances, 0)
    tree = linkage(squareform(np.maximum(distances, 0), checks=False), "average")
    # Rounding keeps candidates whose similarity is exactly the limit together.
    groups = fcluster(tree, 1 - SIMILAR + 1e-6, "distance").tolist()
    order = {group: number for number, group in enumerate(dict.fromkeys(groups), 1)}
    return [order[group] for group in groups]


def add_senses(rows: Sequence[Headword], target: MappedSide, lang: str) -> list[Headword]:
    """Return the rows with candidates by sense, and their parts of speech."""
    words = list(dict.fromkeys(one.word for row in rows for one in row.candidates))
    tags = WordFacts.of(lang, words).tags
    places = dict(zip(words, target.find(words).tolist(), strict=True))
    found = []
    with progress("grouping by sense", len(rows)) as step:
        for row in rows:
            found.append(replace(row, candidates=_by_sense(row.candidates, target, tags, places)))
            step(1)
    return found


def _by_sense(
    candidates: Sequence[Candidate],
    target: MappedSide,
    tags: Mapping[str, str],
    places: Mapping[str, int],
) -> tuple[Candidate, ...]:
    """Return candidates by sense; one without a vector, which a person wrote, is a sense alone."""
    ids = np.array([places[one.word] for one in candidates], np.int64)
    vectors = target.unit_vectors[ids]
    vectors[ids < 0] = 0
    pos = [tags.get(one.word, "") for one in candidates]
    found = zip(candidates, pos, sense_numbers(vectors, pos), strict=True)
    numbered = [replace(one, pos=tag, sense=number) for one, tag, number in found]
    return tuple(sorted(numbered, key=lambda one: one.sense))
