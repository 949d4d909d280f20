"""Trainings without a lexicon from several starts: the best start, and whether it succeeded.

Without a lexicon the quality of a mapping cannot be measured, but a failed training can be
detected: it brings words no nearer to each other than self-learning from a random rotation does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from misword.bli.arrays import Float32Array
from misword.bli.mapping import FAILED, Record
from misword.bli.methods import MappingMatrices, State, TrainingRun
from misword.bli.methods.procrustes import nearest_orthogonal, rotation, times_matrix
from misword.bli.search.induction import Induced, induce, induced_pairs
from misword.bli.spaces import Space, unit_rows
from misword.core.errors import OptionError
from misword.core.workers import one_blas_thread

# Trains one start, given its number and its run; returns the matrices and their objective.
OneStart = Callable[[int, TrainingRun], tuple[MappingMatrices, float]]
# Names of a state that are about all starts; the names of the current start's state are others.
OVER_STARTS = ("start", "chance", "greatest", "kept_source", "kept_target")
# The keep probabilities of self-learning from a random rotation, and iterations with each.
KEEP, TURNS_EACH = (0.1, 0.2, 0.4, 0.8, 1.0), 4


@dataclass(frozen=True, slots=True)
class Starts:
    """How starts are judged, by their objective.

    The objective of a rotation is the mean, over the words of both sides, of the cosine of a word
    with its nearest word of the other side. Chance is the objective of a random rotation after a
    short self-learning. `count`: the greatest number of starts. A start is good if its objective is
    above chance by at least the share `margin` of what is missing to 1. Both are computed on the
    `words` most frequent words; `csls` is the number of neighbours in the hubness term.
    """

    count: int
    margin: float
    words: int
    csls: int

    def check(self) -> None:
        """Raise an error if an option is out of its range."""
        if self.count < 1 or not self.margin >= 0:
            raise OptionError(
                f"{self.count} starts, margin {self.margin}", fix="use one start or more"
            )

    def best(
        self, source: Space, target: Space, run: TrainingRun, train: OneStart
    ) -> MappingMatrices:
        """Train until a start is good; returns the start with the greatest objective.

        The trace has the `objective` of each start, and that by `chance`. A state has, beside that
        of the current start, its number `start`, `chance`, and of the best start the objective
        (`greatest`) and both matrices (`kept_...`).
        """
        state = run.saved_state() or self._initial_state(source, target, run)
        while state["start"] < self.count:
            over_starts = {name: state[name] for name in OVER_STARTS}
            matrices, objective = train(state["start"], StartRun(run, state))
            if objective > state["greatest"]:
                over_starts |= _kept(objective, matrices)
            record = {
                "start": state["start"], "objective": objective, "chance": state["chance"],
            }  # fmt: skip
            run.report(record, matrices.source, matrices.target)
            state = {**over_starts, "start": state["start"] + 1}
            if self.is_good(record):
                break
            run.save(state)
        return MappingMatrices(np.asarray(state["kept_source"]), np.asarray(state["kept_target"]))

    def is_good(self, record: Record) -> bool:
        """Whether the objective of a start is well above chance."""
        chance = record["chance"]
        return record["objective"] >= chance + self.margin * (1 - chance)

    def _initial_state(self, source: Space, target: Space, run: TrainingRun) -> State:
        chance = self.chance(source, target, run.seed, run.workers)
        identity = np.eye(source.dimension, dtype=np.float32)
        return {"start": 0, "chance": chance} | _kept(-1.0, MappingMatrices(identity, identity))

    def chance(
        self, source: Space, target: Space, seed: int = 0, workers: int | None = None
    ) -> float:
        """Return the objective after a short self-learning from a random rotation."""
        normal = np.random.default_rng(seed).standard_normal((source.dimension,) * 2)
        with one_blas_thread():
            matrix = nearest_orthogonal(normal).astype(np.float32)
        for iteration, keep in enumerate(np.repeat(KEEP, TURNS_EACH).tolist()):
            induced = self._induce(source, target, matrix, workers, keep, iteration)
            matrix = rotation(source, target, induced_pairs(induced, "union"))
        return self.objective(source, target, matrix, workers)

    def objective(
        self, source: Space, target: Space, matrix: Float32Array, workers: int | None = None
    ) -> float:
        """Return the objective of a rotation of the source."""
        return self._induce(source, target, matrix, workers).objective

    def _induce(
        self,
        source: Space,
        target: Space,
        matrix: Float32Array,
        workers: int | None,
        keep: float = 1.0,
        iteration: int = 0,
    ) -> Induced:
        x, z = (unit_rows(space.rows[: self.words], space.steps) for space in (source, target))
        return induce(
            times_matrix(x, matrix, workers), z, csls=self.csls, keep=keep, iteration=iteration,
            workers=workers,
        )  # fmt: skip


def judged_starts(trace: Sequence[Record]) -> list[Record]:
    """Return the records of a trace that compare the objective of a start with chance."""
    return [record for record in trace if "chance" in record]


def failure_note(starts: Sequence[Record], advice: str) -> str:
    """Return the note that all starts of a training failed."""
    best = max(starts, key=lambda record: record["objective"])
    return (
        f"{FAILED} in all its starts ({len(starts)}), do not use the mapping: the mean "
        f"cosine of a word with its nearest translation is {best['objective']:.3f}, by chance "
        f"{best['chance']:.3f}; {advice}"
    )


def _start_seed(seed: int, start: int) -> int:
    """Return the seed of a start; that of the first is the seed of the training."""
    if not start:
        return seed
    return int(np.random.SeedSequence([seed, start]).generate_state(1)[0])


def _kept(objective: float, matrices: MappingMatrices) -> State:
    return {
        "greatest": objective, "kept_source": matrices.source, "kept_target": matrices.target,
    }  # fmt: skip


@dataclass(slots=True, eq=False)
class StartRun:
    """The run of one start: its own seed, its number in all records.

    `state` is the state of the whole training. The part that is about all starts is saved together
    with each state of this start; the rest is the state in which this start was interrupted.
    """

    run: TrainingRun
    state: State
    seed: int = field(init=False)
    workers: int | None = field(init=False)

    def __post_init__(self) -> None:
        self.seed, self.workers = _start_seed(self.run.seed, self.state["start"]), self.run.workers

    @property
    def has_validation(self) -> bool:
        """Whether there is a validation lexicon."""
        return self.run.has_validation

    def saved_state(self) -> State | None:
        """Return the state in which this start was interrupted."""
        own = {name: value for name, value in self.state.items() if name not in OVER_STARTS}
        return own or None

    def report(self, record: Record, source: Float32Array, target: Float32Array) -> float | None:
        """Report an iteration with the number of the start."""
        return self.run.report({"start": self.state["start"], **record}, source, target)

    def save(self, state: State) -> None:
        """Save a state of this start together with the state over all starts."""
        self.run.save({**{name: self.state[name] for name in OVER_STARTS}, **state})
