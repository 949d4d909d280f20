"""MUSE without any lexicon: a rotation that a discriminator cannot see, then refined."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import ClassVar, Literal

import numpy as np

from misword.bli.methods import Matrix, Pairs, Run, State, Trained
from misword.bli.methods.linear import orthogonal
from misword.bli.methods.muse.adversary import Game, Rules
from misword.bli.methods.muse.refinement import Direction, Refinement, agreement, chance, refine
from misword.bli.spaces import Space, steps_of
from misword.core.errors import OptionError
from misword.core.part import options_of
from misword.core.requirements import Requirement

INSTALL = "pip install 'misword[neural]'"


@dataclass(frozen=True, slots=True)
class MuseU:
    """A game of two networks in place of a lexicon, then refined as `muse-s` refines.

    A discriminator learns to tell mapped source vectors from target vectors, the mapping learns to
    deceive it.

    An epoch has `steps` steps of the mapping. After each, the mean cosine over the CSLS
    translations of the `selection` most frequent words is taken; the best mapping by it goes on to
    refinement, and after `patience` epochs without a better one the game ends.

    Then both directions' dictionaries are compared: the share of frequent words that are each
    other's translation must be `margin` times the share that a random rotation comes to, refined
    in the same way. Where it is not, the start was a bad one: the game is played again from another
    seed, `starts` times at most. The trace has each start's `agreement`, beside that of the random
    rotation (`chance`). The start that agrees best is taken.

    Known problems: games are lost. Between languages, or vectors, that are not much alike all
    starts may fail, and the mapping is then worth nothing: where the last `agreement` in the trace
    is near `chance`, nothing was learnt; use `vecmap-u`, `muse-i` or a lexicon. The released
    defaults, `hidden=2048,epochs=5,steps=31250`, are for a graphics card; here they are for a
    processor, where a step with 2,048 units costs seven times as much as one with 512.

    Example: `misword map en.vec fr.vec --method muse-u -o en-fr.map`

    Reference: Conneau et al. 2018, Word Translation Without Parallel Data, ICLR.
    """

    name: ClassVar[str] = "muse-u"
    seeding: ClassVar[Literal["lexicon", "identical", "none"]] = "none"

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
        """What must be installed, for any language."""
        return Requirement(("torch",), INSTALL)

    def check(self) -> None:
        """PyTorch must be there, and the options must fit."""
        steps_of(self.normalize)
        self._rules.check()
        self._refinement.check()
        if self.starts < 1 or self.margin < 0:
            raise OptionError(
                f"{self.starts} starts, margin {self.margin}", fix="use one start or more"
            )
        self.requirement("").check(self.name)

    def settings(self) -> tuple[tuple[str, str], ...]:
        """All options."""
        return options_of(self)

    def notes(self, trace: Sequence[Mapping[str, float | int]]) -> tuple[str, ...]:
        """That nothing was learnt, where it was not."""
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
    def _rules(self) -> Rules:
        return Rules(**{part.name: getattr(self, part.name) for part in fields(Rules)})

    @property
    def _refinement(self) -> Refinement:
        return Refinement(**{part.name: getattr(self, part.name) for part in fields(Refinement)})

    def train(self, source: Space, target: Space, seeds: Pairs, run: Run) -> Trained:
        """Turn the source; the target stays where it is."""
        stays = np.eye(target.dimension, dtype=np.float32)
        state = run.resume()
        if state is None:
            by_chance = chance(source, target, self._refinement, run.seed, run.workers)
            state = {"start": 0, "phase": "game", "chance": by_chance, "share": -1.0, "kept": stays}
        while state["start"] < self.starts:
            matrix = self._play(source, target, run, state)
            share = agreement(source, target, matrix, self._refinement, run.workers)
            if share > state["share"]:
                state = {**_outer(state), "share": share, "kept": matrix}
            record = {"start": state["start"], "agreement": share, "chance": state["chance"]}
            run.step(record, matrix, stays)
            if share >= self.margin * state["chance"]:
                break
            state = {**_outer(state), "start": state["start"] + 1, "phase": "game"}
            run.save(state)
        return Trained(np.asarray(state["kept"]), stays)

    def _play(self, source: Space, target: Space, run: Run, state: State) -> Matrix:
        """One start: the game, then refinement; goes on where the state is."""
        within = Within(run, {**_outer(state), "phase": "game"})
        if state["phase"] == "game":
            game = Game(source, target, self._rules, state["start"], within)
            played = game.play(state if "epoch" in state else None)
            # The game only comes near an orthogonal matrix: its cosines would not compare.
            first, resumed = orthogonal(played.astype(np.float64)).astype(np.float32), None
        else:
            first, resumed = state["matrix"], state
        within = Within(run, {**_outer(state), "phase": "refinement"})
        return refine(source, target, first, 0, self._refinement, within, resumed)


def _outer(state: State) -> State:
    """What of a state is about the starts, not about what goes on within one."""
    return {name: state[name] for name in ("start", "phase", "chance", "share", "kept")}


@dataclass(slots=True, eq=False)
class Within:
    """A run within a run: its states are saved with what is around, its records say the start."""

    run: Run
    around: State
    seed: int = field(init=False)
    workers: int | None = field(init=False)

    def __post_init__(self) -> None:
        self.seed, self.workers = self.run.seed, self.run.workers

    def resume(self) -> State | None:
        """Whoever is around has the state."""
        return None

    def step(self, record: dict[str, float | int], source: Matrix, target: Matrix) -> float | None:
        """Tell it with the number of the start."""
        return self.run.step({"start": self.around["start"], **record}, source, target)

    def save(self, state: State) -> None:
        """Save it with what is around."""
        self.run.save({**self.around, **state})
