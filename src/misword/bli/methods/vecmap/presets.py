"""The presets of VecMap: supervised, semi-supervised, from identical words, unsupervised."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from misword.bli.arrays import Float32Array, RowPairs
from misword.bli.mapping import Record
from misword.bli.methods import MappingMatrices, Seeding, TrainingRun
from misword.bli.methods.linear import cross_product, root_powers
from misword.bli.methods.starts import Starts, failure_note, judged_starts
from misword.bli.methods.vecmap.self_learning import LearningState, SelfLearning
from misword.bli.methods.vecmap.steps import MultiStepMapping
from misword.bli.search.induction import induce, induced_pairs
from misword.bli.spaces import Space, normalize_rows, unit_rows
from misword.core.context import Context
from misword.core.errors import InputError, OptionError

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
    corpora), all starts may fail. A good objective is no proof: look at some translations, or
    measure with `--valid`.

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
        return Starts(self.starts, self.margin, self.length.cutoff, self.csls)

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
