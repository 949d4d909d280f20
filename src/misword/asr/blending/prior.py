"""The blend that weights are drawn to while they are learnt."""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np

from misword.asr.blending.blend_file import BLENDS, Blend, read_blend
from misword.asr.blending.judgements import Vector
from misword.asr.metrics import METRICS
from misword.asr.metrics.blend import BlendedRate
from misword.core.errors import OptionError

# The metrics that are blended if none are named, and no prior.
DEFAULT_METRICS = ("cer", "per:cost=features", "semdist", "bertscore")


@dataclass(frozen=True, slots=True)
class StartingWeights:
    """The weights of a blend by the specs of its metrics; empty without a prior."""

    weights: dict[str, float]

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that are blended if none are named."""
        return tuple(self.weights) or DEFAULT_METRICS

    def weights_of(self, metrics: tuple[str, ...]) -> Vector:
        """Return the weights of some metrics, 0 for those that the prior does not have."""
        found = np.array([self.weights.get(spec, 0.0) for spec in metrics])
        if not found.any():
            raise OptionError(
                "the prior has none of these metrics",
                fix=f"blend some of its own: --metrics {','.join(self.weights)}",
            )
        return found


def find_prior(prior: str | os.PathLike[str] | None) -> StartingWeights:
    """Return the weights of `people`, of `people:size=small` or of the file of a blend."""
    if prior is None:
        return StartingWeights({})
    blend = _find_blend(os.fspath(prior))
    return StartingWeights({part.spec: part.weight for part in blend.metrics})


def _find_blend(name: str) -> Blend:
    if name.partition(":")[0] in BLENDS:
        metric = METRICS.create(name)
        assert isinstance(metric, BlendedRate)
        return metric.weights()
    return read_blend(name)
