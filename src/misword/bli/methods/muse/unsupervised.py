"""MUSE without a lexicon: adversarial training, then refinement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from misword.bli.arrays import Float32Array, RowPairs
from misword.bli.mapping import Record
from misword.bli.methods import MappingMatrices, Method, Seeding, State, TrainingRun
from misword.bli.methods.linear import nearest_orthogonal
from misword.bli.methods.muse.adversary import AdversarialOptions, AdversarialTraining
from misword.bli.methods.muse.refinement import (
    Direction,
    RefinementOptions,
    agreement,
    chance_agreement,
    refine,
)
from misword.bli.spaces import Space
from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.parts.contract import Requirement
from misword.core.parts.option_checks import check_at_least, check_between

INSTALL = "pip install 'misword[neural]'"
# Values of `phase` in saved states.
ADVERSARIAL, REFINEMENT = "game", "refinement"


@dataclass(frozen=True, slots=True)
class MuseU(Method):
    """Adversarial training instead of a lexicon, then refinement as in `muse-s`.

    A discriminator learns to distinguish mapped source vectors from target vectors; the mapping
    learns to make them indistinguishable.

    An epoch has `steps` steps of the mapping. After each epoch the criterion is computed: the mean
    cosine over the CSLS translations of the `selection` most frequent words, or hit@1 if there is a
    validation lexicon. The best mapping is refined. The training ends after `patience` epochs
    without improvement.

    Then the dictionaries of both directions are compared: the share of frequent words that are each
    other's translation must be at least `margin` times that of a random rotation, refined in the
    same way. If it is less, the training is repeated from another random start, with at most
    `starts` starts. The trace has the `agreement` of each start, and that of the random rotation
    (`chance`). The result is the start with the greatest agreement.

    Other options: `discriminator_steps` for each step of the mapping, on `batch` words of each
    language among the `frequent` most frequent; `hidden` units in each layer of the discriminator,
    with `slope` below zero and `dropout` of its input; `smoothing` of its labels; `rate`, the
    learning rate, multiplied by `decay` after each epoch and by `shrink` after epochs without
    improvement; `beta`, the strength of the update that keeps the mapping nearly orthogonal.

    Known problems: adversarial training is unstable. Between languages, or vectors, that are not
    much alike, all starts may fail, and the mapping is then useless: if the last `agreement` in the
    trace is near `chance`, nothing was learnt; use `vecmap-u`, `muse-i` or a lexicon. The released
    defaults, `hidden=2048,epochs=5,steps=31250`, are for a graphics card; the defaults here are for
    a processor, where a step with 2,048 units costs seven times as much as one with 512.

    Example: `misword map en.vec fr.vec --method muse-u -o en-fr.map`

    Reference: Conneau et al. 2018, Word Translation Without Parallel Data, ICLR.
    """

    name: ClassVar[str] = "muse-u"
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
    starts: int = 3
    margin: float = 1.5
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
            patience=1,
        )  # fmt: skip
        check_between(
            self, dropout=(0, 0.99), smoothing=(0, 0.49), slope=(0, 1), beta=(0, 0.5),
            rate=(1e-6, 1e6), decay=(1e-6, 1), shrink=(1e-6, 1),
        )  # fmt: skip
        self._refinement.check()
        if self.starts < 1 or self.margin < 0:
            raise OptionError(
                f"{self.starts} starts, margin {self.margin}", fix="use one start or more"
            )
        Method.check(self, context)

    def notes(self, trace: Sequence[Record]) -> tuple[str, ...]:
        """Return a warning if no start is better than a random rotation."""
        starts = [record for record in trace if "agreement" in record]
        best = max(starts, key=lambda record: record["agreement"])
        if best["agreement"] >= self.margin * best["chance"]:
            return ()
        return (
            f"all {len(starts)} starts failed, the mapping is worth nothing: both directions agree "
            f"on {100 * best['agreement']:.1f} % of words, a random rotation on "
            f"{100 * best['chance']:.1f} %; use vecmap-u, muse-i or a lexicon",
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

    def train(
        self, source: Space, target: Space, seeds: RowPairs, run: TrainingRun
    ) -> MappingMatrices:
        """Rotate the source; the matrix of the target is the identity.

        A state has, beside that of the current phase, the number of the `start`, the `phase`, the
        agreement by `chance`, and of the best start the agreement (`share`) and matrix (`kept`).
        """
        identity = np.eye(target.dimension, dtype=np.float32)
        state = run.saved_state()
        if state is None:
            chance = chance_agreement(source, target, self._refinement, run.seed, run.workers)
            state = {
                "start": 0, "phase": ADVERSARIAL, "chance": chance, "share": -1.0, "kept": identity,
            }  # fmt: skip
        while state["start"] < self.starts:
            matrix = self._one_start(source, target, run, state)
            share = agreement(source, target, matrix, self._refinement, run.workers)
            if share > state["share"]:
                state = {**_over_starts(state), "share": share, "kept": matrix}
            record = {"start": state["start"], "agreement": share, "chance": state["chance"]}
            run.report(record, matrix, identity)
            if share >= self.margin * state["chance"]:
                break
            state = {**_over_starts(state), "start": state["start"] + 1, "phase": ADVERSARIAL}
            run.save(state)
        return MappingMatrices(np.asarray(state["kept"]), identity)

    def _one_start(
        self, source: Space, target: Space, run: TrainingRun, state: State
    ) -> Float32Array:
        """Run one start, adversarial training and refinement, from where the state is."""
        over_starts = _over_starts(state)
        if state["phase"] == ADVERSARIAL:
            training = AdversarialTraining(
                source, target, self._adversarial, state["start"],
                StartRun(run, {**over_starts, "phase": ADVERSARIAL}),
            )  # fmt: skip
            trained = training.train(state if "epoch" in state else None)
            # The result is only nearly orthogonal: its cosines could not be compared.
            first = nearest_orthogonal(trained.astype(np.float64)).astype(np.float32)
            saved = None
        else:
            first, saved = state["matrix"], state
        within_start = StartRun(run, {**over_starts, "phase": REFINEMENT})
        return refine(source, target, first, 0, self._refinement, within_start, saved)


def _over_starts(state: State) -> State:
    """Return the part of a state that is about all starts, without that of the current phase."""
    return {name: state[name] for name in ("start", "phase", "chance", "share", "kept")}


@dataclass(slots=True, eq=False)
class StartRun:
    """Wraps a run and tags its records with the number of the start.

    A state that the current phase saves is saved together with `over_starts`. The caller has read
    the saved state, so that this run has none.
    """

    run: TrainingRun
    over_starts: State
    seed: int = field(init=False)
    workers: int | None = field(init=False)

    def __post_init__(self) -> None:
        self.seed, self.workers = self.run.seed, self.run.workers

    def saved_state(self) -> State | None:
        """Return None: the caller passes the saved state itself."""
        return None

    def report(self, record: Record, source: Float32Array, target: Float32Array) -> float | None:
        """Report an iteration with the number of the start."""
        return self.run.report({"start": self.over_starts["start"], **record}, source, target)

    def save(self, state: State) -> None:
        """Save a state of the current phase together with the state over all starts."""
        self.run.save({**self.over_starts, **state})
