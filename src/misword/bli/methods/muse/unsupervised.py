"""MUSE without a lexicon: adversarial training, then refinement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from misword.bli.arrays import Float32Array, RowPairs
from misword.bli.mapping import Record
from misword.bli.methods import MappingMatrices, Method, Seeding, TrainingRun
from misword.bli.methods.linear import nearest_orthogonal, rotation
from misword.bli.methods.muse.adversary import AdversarialOptions, AdversarialTraining
from misword.bli.methods.muse.refinement import Direction, RefinementOptions, refine
from misword.bli.methods.starts import Starts, failure_note, judged_starts
from misword.bli.methods.vecmap.presets import VecMapU
from misword.bli.spaces import Space
from misword.core.context import Context
from misword.core.parts.contract import Requirement
from misword.core.parts.option_checks import check_at_least, check_between

INSTALL = "pip install 'misword[neural]'"
# Starts are judged on the most frequent words, normalised.
JUDGED_WORDS, NORMALIZE = 4_000, "unit+center+unit"


@dataclass(frozen=True, slots=True)
class MuseU(Method):
    """Adversarial training instead of a lexicon, then refinement as in `muse-s`.

    A discriminator learns to distinguish mapped source vectors from target vectors; the mapping
    learns to make them indistinguishable.

    An epoch has `steps` steps of the mapping. After each epoch the criterion is computed: the mean
    cosine over the CSLS translations of the `selection` most frequent words, or hit@1 if there is a
    validation lexicon. The best mapping is refined. The training ends after `patience` epochs
    without improvement.

    Then the mean cosine of a word with its nearest translation (`objective` in the trace) is
    compared with that of a random rotation after a short self-learning (`chance`). If it is not
    above chance by the share `margin` of what is missing to 1, the training is repeated from
    another random start, with at most `starts` starts. If all fail, `fallback=self-learning`
    refines a rotation that the self-learning of `vecmap-u` finds, and a note says so;
    `fallback=none` is MUSE alone. The result is the start with the greatest objective.

    Other options: `discriminator_steps` for each step of the mapping, on `batch` words of each
    language among the `frequent` most frequent; `hidden` units in each layer of the discriminator,
    with `slope` below zero and `dropout` of its input; `smoothing` of its labels; `rate`, the
    learning rate, multiplied by `decay` after each epoch and by `shrink` after epochs without
    improvement; `beta`, the strength of the update that keeps the mapping nearly orthogonal.

    Known problems: adversarial training is unstable. Between languages, or vectors, that are not
    much alike, all starts may fail: `vecmap-u` finds a mapping more often, in less time. The
    released defaults, `hidden=2048,epochs=5,steps=31250`, are for a graphics card; the defaults
    here are for a processor, where a step with 2,048 units costs seven times as much as with 512.

    Example: `misword map en.vec fr.vec --method muse-u -o en-fr.map`

    Reference: Conneau et al. 2018, Word Translation Without Parallel Data, ICLR.
    """

    name: ClassVar[str] = "muse-u"
    revision: ClassVar[int] = 2
    title: ClassVar[str] = "MUSE, unsupervised"
    cites: ClassVar[tuple[str, ...]] = ("conneau2018",)
    seeding: ClassVar[Seeding] = "none"

    epochs: int = 12
    steps: int = 1000
    batch: int = 32
    discriminator_steps: int = 5
    hidden: int = 512
    slope: float = 0.2
    dropout: float = 0.1
    smoothing: float = 0.1
    frequent: int = 75_000
    rate: float = 0.1
    decay: float = 0.98
    shrink: float = 0.5
    beta: float = 0.001
    patience: int = 3
    starts: int = 2
    margin: float = 0.1
    fallback: Literal["self-learning", "none"] = "self-learning"
    refinements: int = 5
    rank: int = 15_000
    csls: int = 10
    dictionary: Direction = "S2T"
    selection: int = 10_000
    normalize: str = "none"

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """PyTorch, for any language."""
        return Requirement(("torch",), INSTALL)

    def check(self, context: Context) -> None:
        """Raise an error if an option is out of its range or PyTorch is not installed."""
        check_at_least(
            self, epochs=0, steps=1, batch=1, discriminator_steps=1, hidden=1, frequent=1,
            patience=1, starts=1,
        )  # fmt: skip
        check_between(
            self, dropout=(0, 0.99), smoothing=(0, 0.49), slope=(0, 1), beta=(0, 0.5),
            rate=(1e-6, 1e6), decay=(1e-6, 1), shrink=(1e-6, 1),
        )  # fmt: skip
        self._refinement.check()
        self._starts.check()
        Method.check(self, context)

    def notes(self, trace: Sequence[Record]) -> tuple[str, ...]:
        """Return a warning if adversarial training is no better than a random rotation."""
        starts = judged_starts(trace)
        if not self._starts.is_good(starts[-1]):
            return (failure_note(starts, "use vecmap-i, muse-i or a lexicon"),)
        if starts[-1]["start"] < self.starts:
            return ()
        return (
            f"adversarial training failed in all its starts ({self.starts}): the mapping is "
            "refined from a rotation by the self-learning of vecmap-u",
        )

    @property
    def _adversarial(self) -> AdversarialOptions:
        return AdversarialOptions(
            epochs=self.epochs, steps=self.steps, batch=self.batch,
            discriminator_steps=self.discriminator_steps, hidden=self.hidden, slope=self.slope,
            dropout=self.dropout, smoothing=self.smoothing, frequent=self.frequent,
            learning_rate=self.rate, decay=self.decay, shrink=self.shrink, beta=self.beta,
            patience=self.patience, csls=self.csls, selection=self.selection,
        )  # fmt: skip

    @property
    def _refinement(self) -> RefinementOptions:
        return RefinementOptions(
            self.refinements, self.rank, self.csls, self.dictionary, self.selection
        )

    @property
    def _starts(self) -> Starts:
        count = self.starts + (self.fallback != "none")
        return Starts(count, self.margin, JUDGED_WORDS, self.csls)

    def train(
        self, source: Space, target: Space, seeds: RowPairs, run: TrainingRun
    ) -> MappingMatrices:
        """Rotate the source; the matrix of the target is the identity."""
        left, right = source.normalized(NORMALIZE), target.normalized(NORMALIZE)
        identity = np.eye(target.dimension, dtype=np.float32)

        def one_start(number: int, start_run: TrainingRun) -> tuple[MappingMatrices, float]:
            saved = start_run.saved_state()
            refined = saved if saved and "refinement" in saved else None
            if refined:
                first = refined["matrix"]
            elif number < self.starts:
                first = self._adversarial_rotation(source, target, number, start_run)
            else:
                first = rotation(left, right, VecMapU().learn_once(left, right, start_run).pairs)
            matrix = refine(source, target, first, 0, self._refinement, start_run, refined)
            objective = self._starts.objective(left, right, matrix, start_run.workers)
            return MappingMatrices(matrix, identity), objective

        return self._starts.best(left, right, run, one_start)

    def _adversarial_rotation(
        self, source: Space, target: Space, number: int, run: TrainingRun
    ) -> Float32Array:
        training = AdversarialTraining(source, target, self._adversarial, number, run)
        # The result is only nearly orthogonal: its cosines could not be compared.
        trained = training.train(run.saved_state()).astype(np.float64)
        return nearest_orthogonal(trained).astype(np.float32)
