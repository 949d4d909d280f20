"""A training that records every state it saves, and can resume from any."""

from __future__ import annotations

from typing import Any

from misword.bli.map import Training
from misword.core.signature import Signature

State = dict[str, Any]


class RecordedTraining(Training):
    """States are kept in memory instead of a file."""

    def __init__(self, state: State | None = None, seed: int = 0, workers: int = 1) -> None:
        super().__init__(Signature("test", ()), seed, workers)
        self.initial, self.states = state, list[State]()

    def saved_state(self) -> State | None:
        return self.initial

    def save(self, state: State) -> None:
        self.states.append(state)
