"""A mapping with regularised statistics and weighted pairs: misword's own supervised preset."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np

from misword.bli.arrays import Float32Array, Float64Array, RowPairs
from misword.bli.methods import MappingMatrices, Method, Seeding, TrainingRun
from misword.bli.methods.misword_presets import held_out_hits
from misword.bli.methods.procrustes import cross_product, decompose, mapped_units, root_powers
from misword.bli.reranking.features import TransliteratedWords
from misword.bli.retrievers.csls import CSLS
from misword.bli.search.induction import induce
from misword.bli.search.products import with_vectors
from misword.bli.spaces import Space
from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.parts import check_at_least, check_between
from misword.core.workers import one_blas_thread

RIDGES = (0.1, 0.3, 1.0, 3.0)  # that are tried by cross-validation
FEWEST_FOR_CHOICE = 100  # source words; with fewer the ridge is `USUAL_RIDGE`
USUAL_RIDGE = 1.0
LEAST_COSINE = 0.05  # pairs with a smaller cosine have the weight of this one
# Words of similar spelling are looked for among the candidates of the most frequent words.
SPELLED_WORDS, SPELLED_CANDIDATES, FEWEST_LETTERS = 30_000, 10, 4


@dataclass(frozen=True, slots=True, eq=False)
class Dictionary:
    """Pairs of rows, and a weight for each pair."""

    pairs: RowPairs
    weights: Float64Array

    @classmethod
    def of(cls, pairs: RowPairs) -> Dictionary:
        """Weigh pairs so that those of one source word have the weight 1 together.

        >>> Dictionary.of(np.array([[7, 1], [7, 2], [8, 3]])).weights.tolist()
        [0.5, 0.5, 1.0]
        """
        _, word, counts = np.unique(pairs[:, 0], return_inverse=True, return_counts=True)
        return cls(pairs, 1 / counts[word])

    def joined(self, pairs: RowPairs, weight: float) -> Dictionary:
        """Return these pairs and others, which all have one weight."""
        return Dictionary(
            np.concatenate([self.pairs, pairs]),
            np.concatenate([self.weights, np.full(len(pairs), weight)]),
        )


@dataclass(frozen=True, slots=True)
class MiswordR(Method):
    """VecMap's steps with ridge, weighted pairs, and confident pairs of its own.

    This preset is misword's own: no paper describes it. It differs from `vecmap-s` in four points.
    Whitening and de-whitening add a ridge to the covariances: `ridge` times their mean variance, so
    that directions in which the lexicon has little variance are not blown up. Without a number,
    cross-validation on the lexicon with `folds` folds chooses 0.1, 0.3, 1 or 3. De-whitening
    restores only the power `dewhiten` of the standard deviations. The pairs of one source word
    share the weight of one pair, and after the first mapping each pair is weighted by the cosine of
    its words, so that wrong or unusual pairs count less. In each of the `rounds`, pairs of words
    that are each other's nearest by CSLS, both among the `words` most frequent and not in the
    lexicon, are added with the weight `trust`. So are, of the 30,000 most frequent words of each
    side, a word and the most similarly spelled of its ten best candidates, if their similarity is
    at least `alike`: one minus the edit distance of the transliterated words divided by the length
    of the longer one. `spelling=false` leaves these out.

    Known problems: `words` greater than some thousand adds wrong pairs where the vectors of rarer
    words are poor. On two spaces that are nearly turned copies of each other, `procrustes` may be
    as good.

    Example: `misword map en.vec fr.vec --method misword-r --lexicon train.txt -o en-fr.map`

    Reference: Artetxe, Labaka, Agirre 2018 (AAAI) for the steps; Vinod 1976 for ridge in canonical
    correlation analysis.
    """

    name: ClassVar[str] = "misword-r"
    title: ClassVar[str] = "misword, regularised"
    seeding: ClassVar[Seeding] = "lexicon"

    normalize: str = "unit+center+unit"
    ridge: float | None = None
    dewhiten: float = 0.25
    reweight: float = 0.5
    rounds: int = 1
    words: int = 5000
    trust: float = 0.5
    spelling: bool = True
    alike: float = 0.75
    folds: int = 3

    def check(self, context: Context) -> None:
        """Raise an error if an option is out of its range."""
        Method.check(self, context)
        check_at_least(self, rounds=0, words=1, folds=2)
        check_between(self, dewhiten=(0, 1), reweight=(0, 10), trust=(0, 1), alike=(0, 1))
        if self.ridge is not None and not 0 < self.ridge <= 1000:
            raise OptionError(f"ridge is {self.ridge}", fix="use a number above 0, such as 0.3")

    def train(
        self, source: Space, target: Space, seeds: RowPairs, run: TrainingRun
    ) -> MappingMatrices:
        """Choose the ridge; then map, weigh, and add pairs in rounds."""
        ridge = self._chosen_ridge(source, target, seeds, run)
        method = replace(self, ridge=ridge)
        made, iteration = method.fit(source, target, seeds, run.workers), 0
        given = dictionary = Dictionary.of(seeds)
        while True:
            run.report(
                {"iteration": iteration, "pairs": len(dictionary.pairs), "ridge": ridge},
                made.source, made.target,
            )  # fmt: skip
            if iteration == self.rounds:
                return made
            iteration += 1
            added = self._confident_pairs(source, target, made, seeds, run.workers)
            if self.spelling:
                alike = self._spelled_alike(source, target, made, seeds, run.workers)
                added = np.unique(np.concatenate([added, alike]), axis=0)
            dictionary = given.joined(added, self.trust)
            made = method.weighted(source, target, dictionary, made, run.workers)

    def fit(
        self, source: Space, target: Space, pairs: RowPairs, workers: int | None = None
    ) -> MappingMatrices:
        """Map by pairs, then by the same pairs weighted by their cosines."""
        dictionary = Dictionary.of(pairs)
        first = self.steps(source, target, dictionary)
        return self.weighted(source, target, dictionary, first, workers)

    def weighted(
        self,
        source: Space,
        target: Space,
        dictionary: Dictionary,
        made: MappingMatrices,
        workers: int | None = None,
    ) -> MappingMatrices:
        """Map by pairs whose weights are multiplied by the cosines of an earlier mapping."""
        left, right = dictionary.pairs.T
        x = mapped_units(source.rows[left], made.source, workers)
        z = mapped_units(target.rows[right], made.target, workers)
        cosines = np.einsum("ij,ij->i", x, z, dtype=np.float64)
        weights = dictionary.weights * np.maximum(cosines, LEAST_COSINE)
        return self.steps(source, target, Dictionary(dictionary.pairs, weights))

    def steps(self, source: Space, target: Space, dictionary: Dictionary) -> MappingMatrices:
        """Compute the two matrices for a dictionary: VecMap's steps with ridge, in closed form."""
        pairs, weights = dictionary.pairs, dictionary.weights / dictionary.weights.sum()
        x, z = source.rows, target.rows
        with one_blas_thread():
            whiten_x, dewhiten_x = self._powers(x, pairs[:, [0, 0]], weights)
            whiten_z, dewhiten_z = self._powers(z, pairs[:, [1, 1]], weights)
            product = cross_product(x, z, pairs, weights)
            u, s, v = decompose(whiten_x.T @ product @ whiten_z)
            scale = s**self.reweight
            map_x = whiten_x @ u * scale @ (u.T @ dewhiten_x @ u)
            map_z = whiten_z @ v * scale @ (v.T @ dewhiten_z @ v)
        return MappingMatrices(map_x.astype(np.float32), map_z.astype(np.float32))

    def _powers(
        self, rows: Float32Array, pairs: RowPairs, weights: Float64Array
    ) -> tuple[Float64Array, ...]:
        """Return the matrices of whitening and of de-whitening of one side."""
        covariance = cross_product(rows, rows, pairs, weights)
        ridge = USUAL_RIDGE if self.ridge is None else self.ridge
        covariance += ridge * np.trace(covariance) / len(covariance) * np.eye(len(covariance))
        return root_powers(covariance, -1, self.dewhiten)

    def _chosen_ridge(
        self, source: Space, target: Space, seeds: RowPairs, run: TrainingRun
    ) -> float:
        """Return the ridge that finds most held-out translations; of equal ones the greatest."""
        if self.ridge is not None:
            return self.ridge
        if len(np.unique(seeds[:, 0])) < FEWEST_FOR_CHOICE:
            return USUAL_RIDGE
        hits = {
            ridge: int(
                held_out_hits(
                    partial(replace(self, ridge=ridge).fit, source, target, workers=run.workers),
                    source, target, seeds, self.folds, run.seed, run.workers,
                ).sum()
            )
            for ridge in RIDGES
        }  # fmt: skip
        return max(RIDGES, key=lambda ridge: (hits[ridge], ridge))

    def _confident_pairs(
        self,
        source: Space,
        target: Space,
        made: MappingMatrices,
        seeds: RowPairs,
        workers: int | None,
    ) -> RowPairs:
        """Return the words that are each other's nearest, without those of the lexicon."""
        x = mapped_units(source.rows[: self.words], made.source, workers)
        z = mapped_units(target.rows[: self.words], made.target, workers)
        induced = induce(x, z, workers=workers)
        rows = np.flatnonzero(induced.forward >= 0)
        rows = rows[induced.backward[induced.forward[rows]] == rows]
        pairs = np.column_stack([rows, induced.forward[rows]])
        known = np.isin(pairs[:, 0], seeds[:, 0]) | np.isin(pairs[:, 1], seeds[:, 1])
        return pairs[~known]

    def _spelled_alike(
        self,
        source: Space,
        target: Space,
        made: MappingMatrices,
        seeds: RowPairs,
        workers: int | None,
    ) -> RowPairs:
        """Return words and their most similarly spelled candidates, without those of the lexicon.

        Of equally similar candidates the better one by CSLS is taken.
        """
        x = mapped_units(source.rows[:SPELLED_WORDS], made.source, workers)
        z = mapped_units(target.rows[:SPELLED_WORDS], made.target, workers)
        queries = np.setdiff1d(with_vectors(x), seeds[:, 0])
        ids = CSLS().retrieve(queries, x, z, SPELLED_CANDIDATES, workers).ids
        if not ids.size:
            return np.empty((0, 2), np.int64)
        spellings = TransliteratedWords.of(source.words, target.words, queries, ids)
        similarities = spellings.similarities(workers)
        similarities[np.isin(ids, seeds[:, 1])] = -1
        similarities[spellings.lengths[spellings.queries] < FEWEST_LETTERS] = -1
        best = similarities.argmax(axis=1)[:, None]
        alike = np.take_along_axis(similarities, best, axis=1)[:, 0] >= self.alike
        return np.column_stack([queries, np.take_along_axis(ids, best, axis=1)[:, 0]])[alike]
