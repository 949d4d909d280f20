"""VecMap (Artetxe et al. 2018): supervised, semi-supervised and unsupervised."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from misword.bli.arrays import Float32Array, Float64Array, RowPairs
from misword.bli.mapping import Record
from misword.bli.methods import MappingMatrices, Method, Seeding, TrainingRun
from misword.bli.methods.procrustes import (
    cross_product,
    decompose,
    root_powers,
    rotation,
    times_matrix,
)
from misword.bli.methods.starts import Starts, failure_note, judged_starts
from misword.bli.search.induction import Induced, induce, induced_pairs
from misword.bli.search.products import Estimates
from misword.bli.spaces import Space, normalize_rows, unit_rows
from misword.core.context import Context
from misword.core.errors import InputError, OptionError
from misword.core.parts import Settings, check_at_least

# The multi-step framework of Artetxe et al. 2018a: from a dictionary to two matrices.


@dataclass(frozen=True, slots=True)
class MultiStepMapping(Method):
    """Base class of all presets of VecMap: the steps of the framework and their options.

    `normalize`: normalisation before all other steps (step 0). `whiten`: make the components of the
    dictionary's vectors uncorrelated (step 1). `source_reweight`, `target_reweight`: the power of
    the singular values by which each side's components are multiplied (step 3). `dewhiten`: the
    power of the inverse of the whitening that is applied to each side (step 4): 1 restores the
    variances, 0 leaves the components whitened, 0.5 is between. It has no effect without `whiten`.
    """

    normalize: str = "unit+center+unit"
    whiten: bool = True
    source_reweight: float = 0.5
    target_reweight: float = 0.5
    dewhiten: float = 1.0

    def check(self, context: Context) -> None:
        """Raise an error if a normalisation step does not exist or a power is out of range."""
        Method.check(self, context)
        for name in ("source_reweight", "target_reweight", "dewhiten"):
            if not 0 <= getattr(self, name) <= 10:
                raise OptionError(f"{name} is {getattr(self, name)}", fix="use a power such as 0.5")

    def fit(self, source: Space, target: Space, dictionary: RowPairs) -> MappingMatrices:
        """Compute the two matrices for a dictionary, in closed form.

        X and Z are the source and the target vectors of the dictionary's pairs, as in the paper.
        """
        x, z = source.rows, target.rows
        identity = np.eye(source.dimension)

        # Step 1: whitening. The covariance of each side's dictionary vectors becomes the identity.
        whiten_x, whiten_z, dewhiten_x, dewhiten_z = [identity] * 4
        if self.whiten:
            own_x, own_z = dictionary[:, [0, 0]], dictionary[:, [1, 1]]
            whiten_x, dewhiten_x = root_powers(cross_product(x, x, own_x), -1, self.dewhiten)
            whiten_z, dewhiten_z = root_powers(cross_product(z, z, own_z), -1, self.dewhiten)

        # Step 2: orthogonal mapping of both sides, U S V^T being the SVD of the whitened X^T Z.
        u, s, v = decompose(whiten_x.T @ cross_product(x, z, dictionary) @ whiten_z)
        map_x, map_z = whiten_x @ u, whiten_z @ v

        # Step 3: re-weighting of each component by its cross-correlation S.
        map_x, map_z = map_x * s**self.source_reweight, map_z * s**self.target_reweight

        # Step 4: de-whitening. Each side gets back a power of its variances, in the new directions.
        if self.dewhiten:
            map_x = map_x @ (u.T @ dewhiten_x @ u)
            map_z = map_z @ (v.T @ dewhiten_z @ v)
        return MappingMatrices(_single(map_x), _single(map_z))


def _single(matrix: Float64Array) -> Float32Array:
    return np.ascontiguousarray(matrix, np.float32)


# VecMap's robust self-learning (Artetxe et al. 2018b, section 3.3).
#
# Each iteration computes the mapping that is best for the current dictionary, and induces the next
# dictionary from that mapping.


@dataclass(frozen=True, slots=True)
class Schedule:
    """The two options that decide how long self-learning takes: words and iterations."""

    cutoff: int
    patience: int


SCHEDULES = {"short": Schedule(4_000, 5), "released": Schedule(20_000, 50)}
LARGE_SHARE = 0.5  # a cutoff above this share of the smaller vocabulary has rare words


@dataclass(frozen=True, slots=True)
class LearningState:
    """The state between two iterations: everything that decides how the training goes on.

    `pairs` is the current dictionary, `turn` the number of the next iteration, `improved` the last
    iteration that improved the objective or raised the keep probability, `best` the greatest
    objective, `keep` the keep probability of the last iteration. A saved state has these names.
    """

    pairs: RowPairs
    turn: int = 1
    improved: int = 0
    best: float = -100.0
    keep: float = 1.0


@dataclass(frozen=True, slots=True)
class SelfLearning(MultiStepMapping):
    """Base class of the presets with self-learning.

    `cutoff`: the number of most frequent words of each side that dictionaries are induced from.
    `schedule` decides `cutoff` and `patience` where they are not given: `short` is 4,000 words and
    5 iterations, `released` is 20,000 words and 50 iterations, as in the released code.
    `csls`: the number of neighbours in the hubness term, 0 for plain cosines. `keep`: the
    probability that a pair of words is kept in dictionary induction at first. After `patience`
    iterations in which the objective grew by less than `threshold`, the probability is multiplied
    by `growth`; at 1 the training ends instead. `direction`: dictionaries of the best target of
    each source word (`forward`), of the best source of each target word (`backward`), or of both
    (`union`).
    """

    schedule: Literal["short", "released"] = "short"
    cutoff: int | None = None
    csls: int = 10
    keep: float = 0.1
    growth: float = 2.0
    patience: int | None = None
    threshold: float = 1e-6
    direction: Literal["forward", "backward", "union"] = "union"

    def check(self, context: Context) -> None:
        """Raise an error if the training could not start or would not end with these options."""
        MultiStepMapping.check(self, context)
        check_at_least(self, csls=0)
        check_at_least(self.chosen_schedule, cutoff=2, patience=1)
        if not 0 < self.keep <= 1:
            raise OptionError(f"keep is {self.keep}", fix="use a probability such as 0.1")
        if self.growth <= 1 or not self.threshold > 0:
            raise OptionError(
                f"growth is {self.growth}, threshold {self.threshold}: it would not end",
                fix="use a growth above 1 and a threshold above 0",
            )

    def settings(self, context: Context) -> Settings:
        """Return the options, with the cutoff and the patience that the schedule decides."""
        values = dict(MultiStepMapping.settings(self, context))
        schedule = self.chosen_schedule
        values |= {"cutoff": str(schedule.cutoff), "patience": str(schedule.patience)}
        del values["schedule"]
        return tuple(values.items())

    @property
    def chosen_schedule(self) -> Schedule:
        """The cutoff and the patience: as given, else of the schedule."""
        usual = SCHEDULES[self.schedule]
        return Schedule(
            usual.cutoff if self.cutoff is None else self.cutoff,
            usual.patience if self.patience is None else self.patience,
        )

    def notes_before(self, source: Space, target: Space) -> tuple[str, ...]:
        """Return a note if rare words take part in the dictionaries."""
        size, cutoff = min(len(source), len(target)), self.chosen_schedule.cutoff
        if cutoff <= LARGE_SHARE * size:
            return ()
        return (
            f"dictionaries are induced from {min(cutoff, size):,} of {size:,} words: if rare words "
            "have poor vectors, the mapping is better with fewer (cutoff=4000)",
        )

    def self_learn(
        self, source: Space, target: Space, dictionary: RowPairs, run: TrainingRun
    ) -> MappingMatrices:
        """Return the mapping for the dictionary that self-learning ends with."""
        state = self.learn_dictionary(source, target, dictionary, run)
        return self.map_by_dictionary(source, target, state, run)

    def learn_dictionary(
        self, source: Space, target: Space, dictionary: RowPairs, run: TrainingRun
    ) -> LearningState:
        """Iterate from an initial dictionary until the objective no longer improves."""
        words = self.chosen_schedule.cutoff
        x, z = (unit_rows(space.rows[:words], space.steps) for space in (source, target))
        identity = np.eye(target.dimension, dtype=np.float32)
        saved = run.saved_state()
        estimates: Estimates | None = None
        state = LearningState(**saved) if saved else LearningState(dictionary, keep=self.keep)
        while (keep := self._keep_probability(state)) is not None:
            # Step 1: the orthogonal mapping that is optimal for the dictionary.
            matrix = rotation(source, target, state.pairs)

            # Step 2: the dictionary that is induced from the mapping, with dropout of pairs.
            induced = induce(
                times_matrix(x, matrix, run.workers), z, csls=self.csls, keep=keep, seed=run.seed,
                iteration=state.turn, workers=run.workers, earlier=estimates,
            )  # fmt: skip
            estimates = induced.estimates

            # Step 3: convergence criterion.
            record = {"iteration": state.turn, "objective": induced.objective, "keep": keep}
            run.report(record, matrix, identity)
            state = self._advance(state, induced, keep)
            run.save({name: getattr(state, name) for name in LearningState.__slots__})
        return state

    def map_by_dictionary(
        self, source: Space, target: Space, state: LearningState, run: TrainingRun
    ) -> MappingMatrices:
        """Apply all steps to the last dictionary (re-weighting is section 3.4 of the paper)."""
        matrices = self.fit(source, target, state.pairs)
        record: Record = {"iteration": state.turn, "pairs": len(state.pairs)}
        run.report(record, matrices.source, matrices.target)
        return matrices

    def _keep_probability(self, state: LearningState) -> float | None:
        """Return the keep probability of the next iteration, None if the training has converged."""
        if state.turn - state.improved <= self.chosen_schedule.patience:
            return state.keep
        return None if state.keep >= 1 else min(1.0, self.growth * state.keep)

    def _advance(self, state: LearningState, induced: Induced, keep: float) -> LearningState:
        """Return the state after an iteration."""
        better = induced.objective - state.best >= self.threshold
        return LearningState(
            induced_pairs(induced, self.direction),
            state.turn + 1,
            # The waiting time starts again with each new keep probability.
            state.turn if better or keep != state.keep else state.improved,
            induced.objective if better else state.best,
            keep,
        )


# The presets of VecMap: supervised, semi-supervised, from identical words, unsupervised.

NUMERAL = re.compile("[0-9]+")


@dataclass(frozen=True, slots=True)
class VecMapS(MultiStepMapping):
    """VecMap from a lexicon: whitening, rotation, re-weighting, de-whitening, once.

    Re-weighting gives more weight to components on which the two languages agree. The settings of
    other papers: `normalize=unit+center,source_reweight=0,target_reweight=1` (Artetxe 2018a),
    `whiten=false,source_reweight=0,target_reweight=0` (Artetxe 2016: plain Procrustes).

    Known problems: with fewer pairs than dimensions, directions in which the pairs have no length
    are dropped; `vecmap-semi` is made for small lexicons.

    Example: `misword map en.vec fr.vec --method vecmap-s --lexicon train.txt -o en-fr.map`

    Reference: Artetxe, Labaka, Agirre 2018, Generalizing and improving bilingual word embedding
    mappings with a multi-step framework of linear transformations (AAAI).
    """

    name: ClassVar[str] = "vecmap-s"
    title: ClassVar[str] = "VecMap, supervised"
    cites: ClassVar[tuple[str, ...]] = ("artetxe2018aaai",)
    seeding: ClassVar[Seeding] = "lexicon"

    def train(
        self, source: Space, target: Space, seeds: RowPairs, run: TrainingRun
    ) -> MappingMatrices:
        """Apply the steps once, with the lexicon as dictionary."""
        matrices = self.fit(source, target, seeds)
        run.report({"iteration": 1, "pairs": len(seeds)}, matrices.source, matrices.target)
        return matrices


@dataclass(frozen=True, slots=True)
class VecMapSemi(SelfLearning):
    """VecMap from a small lexicon: self-learning that starts from these pairs.

    The lexicon is only the initial dictionary: later dictionaries need not contain its pairs.
    Artetxe 2017:
    `whiten=false,source_reweight=0,target_reweight=0,direction=forward,csls=0,keep=1,patience=1`.

    Known problems: with thousands of pairs `vecmap-s` is as good at a fraction of the time.

    Example: `misword map en.vec fr.vec --method vecmap-semi --lexicon 25.txt -o en-fr.map`

    Reference: Artetxe, Labaka, Agirre 2017, Learning bilingual word embeddings with (almost) no
    bilingual data (ACL), for starting from few pairs; 2018 (ACL) for everything else.
    """

    name: ClassVar[str] = "vecmap-semi"
    title: ClassVar[str] = "VecMap, semi-supervised"
    cites: ClassVar[tuple[str, ...]] = ("artetxe2017", "artetxe2018acl")
    seeding: ClassVar[Seeding] = "lexicon"

    def train(
        self, source: Space, target: Space, seeds: RowPairs, run: TrainingRun
    ) -> MappingMatrices:
        """Start self-learning from the lexicon."""
        return self.self_learn(source, target, seeds, run)


@dataclass(frozen=True, slots=True)
class VecMapI(SelfLearning):
    """VecMap from the tokens that both vocabularies have: names, numbers, loan words.

    `tokens=numerals` takes only tokens of digits, which mean the same in all languages.

    Known problems: languages in different scripts share few tokens; false friends count as pairs.

    Example: `misword map en.vec fr.vec --method vecmap-i -o en-fr.map`

    Reference: Artetxe, Labaka, Agirre 2017 (ACL), 2018 (ACL).
    """

    name: ClassVar[str] = "vecmap-i"
    title: ClassVar[str] = "VecMap, identical words"
    cites: ClassVar[tuple[str, ...]] = ("artetxe2017", "artetxe2018acl")
    seeding: ClassVar[Seeding] = "identical"

    tokens: Literal["all", "numerals"] = "all"

    def train(
        self, source: Space, target: Space, seeds: RowPairs, run: TrainingRun
    ) -> MappingMatrices:
        """Start self-learning from the shared tokens."""
        if self.tokens == "numerals":
            words = source.words
            digits = [NUMERAL.fullmatch(words[row]) is not None for row in seeds[:, 0].tolist()]
            seeds = seeds[np.array(digits)]
            if not len(seeds):
                raise InputError(
                    "no token of digits is in both vocabularies",
                    where=f"{source.name}, {target.name}",
                    fix="use tokens=all, or vecmap-u",
                )
        return self.self_learn(source, target, seeds, run)


@dataclass(frozen=True, slots=True)
class VecMapU(SelfLearning):
    """VecMap without a lexicon: it starts from words with similar similarity distributions.

    Each of the `start` most frequent words of a language is described by the sorted list of its
    similarities to the others. The words of the two languages with the nearest lists make the
    initial dictionary. Most of its pairs are wrong; self-learning with dropout corrects them.

    Then the `objective`, the mean cosine of a word with its nearest translation, is compared with
    that of a random rotation after a short self-learning (`chance` in the trace). If it is not
    above chance by the share `margin` of what is missing to 1, self-learning is repeated with other
    random numbers, with at most `starts` starts. If all starts fail, a note says so.

    Known problems: where the spaces have different shapes (distant languages, other domains, small
    corpora), all starts may fail. A good objective does not prove success: look at some
    translations, or measure with `--valid`.

    Example: `misword map en.vec fr.vec --method vecmap-u -o en-fr.map`

    Reference: Artetxe, Labaka, Agirre 2018, A robust self-learning method for fully unsupervised
    cross-lingual mappings of word embeddings (ACL).
    """

    name: ClassVar[str] = "vecmap-u"
    title: ClassVar[str] = "VecMap, unsupervised"
    cites: ClassVar[tuple[str, ...]] = ("artetxe2018acl",)
    seeding: ClassVar[Seeding] = "none"

    start: int = 4000
    starts: int = 3
    margin: float = 0.1

    def check(self, context: Context) -> None:
        """Raise an error also if there are too few words for the initial dictionary."""
        SelfLearning.check(self, context)
        self._starts.check()
        if self.start < 2:
            raise OptionError(f"start is {self.start}", fix="use some thousand words")

    def notes(self, trace: Sequence[Record]) -> tuple[str, ...]:
        """Return a warning if no start is better than a random rotation."""
        starts = judged_starts(trace)
        if self._starts.is_good(starts[-1]):
            return ()
        return (failure_note(starts, "use vecmap-i or a lexicon"),)

    @property
    def _starts(self) -> Starts:
        return Starts(self.starts, self.margin, self.chosen_schedule.cutoff, self.csls)

    def train(
        self, source: Space, target: Space, seeds: RowPairs, run: TrainingRun
    ) -> MappingMatrices:
        """Start self-learning from the unsupervised initial dictionary, again if it fails."""

        def one_start(number: int, start_run: TrainingRun) -> tuple[MappingMatrices, float]:
            state = self.learn_once(source, target, start_run)
            return self.map_by_dictionary(source, target, state, start_run), state.best

        return self._starts.best(source, target, run, one_start)

    def learn_once(self, source: Space, target: Space, run: TrainingRun) -> LearningState:
        """Run self-learning once; returns its last state."""
        dictionary = np.empty((0, 2), np.int64)
        if run.saved_state() is None:
            dictionary = self._initial_dictionary(source, target, run.workers)
        return self.learn_dictionary(source, target, dictionary, run)

    def _initial_dictionary(self, source: Space, target: Space, workers: int | None) -> RowPairs:
        count = min(self.start, len(source), len(target))
        x, z = (similarity_distributions(space, count) for space in (source, target))
        return induced_pairs(induce(x, z, csls=self.csls, workers=workers), self.direction)


def similarity_distributions(space: Space, count: int) -> Float32Array:
    """Return for each of the first words its sorted similarities to the others, normalised.

    Artetxe et al. 2018b, section 3.2. The square root of the similarity matrix X X^T is computed as
    X (X^T X)^(-1/2) X^T, which needs no decomposition of a large matrix.
    """
    rows = space.rows[:count]
    each_with_itself = np.column_stack([np.arange(count)] * 2)
    (inverse_root,) = root_powers(cross_product(rows, rows, each_with_itself), -1)
    similarities = rows @ inverse_root.astype(np.float32) @ rows.T
    similarities.sort(axis=1)
    normalize_rows(similarities, space.steps)
    return unit_rows(similarities, space.steps)
