"""Learning a reranker by cross-fitting.

The pairs of a training lexicon are nearer to each other in the mapping that was learnt from them
than other pairs are. A model of right candidates must not learn from such examples. The headwords
are therefore divided into folds; the candidates of each fold come from a mapping that was learnt
without the pairs of its headwords. The model then sees right candidates as they are for new words.

Headwords whose translations all lack a vector count too: none of their candidates is right, as for
such words in use.

Reference: D. H. Wolpert, Stacked generalization, Neural Networks 5, 1992.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from misword.bli.arrays import Float32Array, RowNumbers, RowPairs
from misword.bli.methods import MappingMatrices
from misword.bli.reranking.features import (
    CANDIDATES,
    FEATURES,
    NO_SPELLING,
    CandidateLists,
    feature_blocks,
)
from misword.bli.reranking.model import (
    ALL,
    WITHOUT_SPELLING,
    Features,
    ListModel,
    Reranker,
    RightFlags,
)
from misword.bli.seeds import find_or_lower
from misword.bli.spaces import Space, scale_to_unit
from misword.core.errors import InputError
from misword.core.progress import progress
from misword.io.lexicons import Lexicon

FOLDS = 2
STRENGTH = 1.0  # of the penalty of weights
FEWEST_RIGHT = 50  # pairs, from which weights can be learnt

# From headwords (rows of the source) whose pairs must not be used: the unit vectors of both
# vocabularies in a common space.
MapWithout = Callable[[RowNumbers], tuple[Float32Array, Float32Array]]


@dataclass(frozen=True, slots=True, eq=False)
class Headwords:
    """Headwords of a lexicon that have a vector, and their pairs of which both words have one.

    `rows` are rows of the source, each once; `pairs` are pairs of rows. `name` and `digest` are
    those of the lexicon.
    """

    rows: RowNumbers
    pairs: RowPairs
    name: str = "memory"
    digest: str = ""

    @classmethod
    def of(cls, lexicon: Lexicon, source: Space, target: Space) -> Headwords:
        """Look up the words of a lexicon; raise an error if too few pairs have vectors."""
        left = _rows_with_vector(source, lexicon.source)
        right = _rows_with_vector(target, lexicon.target)
        both = (left >= 0) & (right >= 0)
        pairs = np.unique(np.column_stack([left[both], right[both]]), axis=0)
        if len(pairs) < FEWEST_RIGHT:
            raise _too_few(lexicon.name, f"only {len(pairs)} of its pairs have vectors")
        return cls(np.unique(left[left >= 0]), pairs, lexicon.name, lexicon.digest)

    @property
    def note(self) -> str:
        """How many headwords the reranker learns from."""
        answerable = len(np.unique(self.pairs[:, 0]))
        return (
            f"{self.name}: the reranker learns from {len(self.rows):,} headwords; {answerable:,} "
            "have a translation with a vector"
        )

    def folds(self, count: int, seed: int) -> Iterator[RowNumbers]:
        """Yield the headwords in folds of about equal size, drawn at random."""
        order = np.random.default_rng(seed).permutation(len(self.rows))
        for number in range(count):
            yield np.sort(self.rows[order[number::count]])

    def right(self, lists: CandidateLists) -> RightFlags:
        """Return which candidates are translations of their headword in the lexicon."""
        size = max(int(lists.ids.max(initial=0)), int(self.pairs[:, 1].max(initial=0))) + 1
        gold = self.pairs[:, 0] * size + self.pairs[:, 1]
        return np.isin(lists.queries[:, None] * size + lists.ids, gold)


def learn_reranker(
    headwords: Headwords,
    map_without: MapWithout,
    words: tuple[Sequence[str], Sequence[str]],
    *,
    folds: int = FOLDS,
    candidates: int = CANDIDATES,
    strength: float = STRENGTH,
    seed: int = 0,
    workers: int | None = None,
) -> Reranker:
    """Learn from all headwords; `map_without` gives the mapping for each fold.

    `words` are both vocabularies. Raises an error if too few candidates are right.
    """
    features: list[Features] = []
    right: list[RightFlags] = []
    with progress("learning the reranker", folds) as step:
        for fold in headwords.folds(folds, seed):
            source, target = map_without(fold)
            lists = CandidateLists.find(fold, source, target, candidates, workers)
            features += feature_blocks(lists, *words, workers)
            right.append(headwords.right(lists))
            step(1)
    all_features, all_right = np.concatenate(features), np.concatenate(right)
    if (found := int(all_right.sum())) < FEWEST_RIGHT:
        raise _too_few(headwords.name, f"only {found} of its pairs are among the candidates")
    models = {
        name: _fit(names, all_features, all_right, strength)
        for name, names in ((ALL, FEATURES), (WITHOUT_SPELLING, NO_SPELLING))
    }
    size = len(headwords.rows)
    return Reranker(candidates, size, folds, strength, headwords.digest[:16], models)


def cross_fit(
    headwords: Headwords,
    spaces: tuple[Space, Space],
    seeds: RowPairs,
    train: Callable[[RowPairs], MappingMatrices],
    seed: int = 0,
    workers: int | None = None,
) -> Reranker:
    """Learn a reranker; `train` learns a mapping of both spaces from some of the pairs `seeds`."""
    source, target = spaces

    def map_without(fold: RowNumbers) -> tuple[Float32Array, Float32Array]:
        matrices = train(seeds[~np.isin(seeds[:, 0], fold)])
        mapped = source.rows @ matrices.source, target.rows @ matrices.target
        for rows in mapped:
            scale_to_unit(rows)
        return mapped

    words = source.words, target.words
    return learn_reranker(headwords, map_without, words, seed=seed, workers=workers)


def _fit(
    names: tuple[str, ...], features: Features, right: RightFlags, strength: float
) -> ListModel:
    """Fit a model that has only some of the features."""
    columns = [FEATURES.index(name) for name in names]
    return ListModel.fit(names, features[..., columns], right, strength)


def _rows_with_vector(space: Space, words: Sequence[str]) -> RowNumbers:
    """Return the row of each word; -1 if it has none, or if its vector is zero."""
    rows = find_or_lower(space, words)
    rows[(rows >= 0) & ~space.rows[rows].any(axis=1)] = -1
    return rows


def _too_few(name: str, what: str) -> InputError:
    return InputError(
        f"{what}: too few to learn a reranker from",
        where=name,
        fix=f"take a lexicon of which {FEWEST_RIGHT} pairs are found, or leave out --rerank",
    )
