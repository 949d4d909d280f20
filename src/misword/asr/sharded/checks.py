"""Checks of the options of a run over shards, before any shard is read."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any

from misword.asr.metrics import METRICS, Metric, labelled
from misword.asr.presets import Preset
from misword.asr.scoring_options import combine
from misword.core.context import Context
from misword.core.errors import OptionError

# The arguments of `misword.score` that say how texts are compared.
COMPARING = ("preset", "metrics", "normalize", "rules", "alternatives", "forgive")
ALONE = "score without --engine"


def context_of(arguments: Mapping[str, Any], threads: int | None = None) -> Context:
    """Return the context of arguments of `misword.score`."""
    names = ("lang", "vectors", "max_words", "vector_format")
    cache = bool(arguments.get("cache", False))
    return Context.of(*(arguments.get(name) for name in names), cache=cache, workers=threads)


def comparing(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments for `combine`."""
    return {name: arguments[name] for name in COMPARING if name in arguments}


def check_arguments(arguments: Mapping[str, Any]) -> dict[str, Metric]:
    """Return the metrics by label; raise if an option has no meaning for shards."""
    if not isinstance(arguments.get("vectors"), str | PathLike | None):
        raise OptionError(
            "vectors in memory cannot be sent to workers", fix="give the path of their file"
        )
    context = context_of(arguments)
    options = combine(context, **comparing(arguments))
    if type(options.preset).join is not Preset.join:
        raise OptionError(
            f"--preset {options.preset.name} joins utterances, which may be in different shards",
            fix=ALONE,
        )
    created = METRICS.create_all(options.metrics)
    if not created:
        raise OptionError("no metric is named", fix=f"known: {', '.join(METRICS.names())}")
    for label, metric in created.items():
        with labelled(label):
            metric.check(context)
            if metric.fitted and not metric.fit_passes:
                raise OptionError(
                    "it learns from all references at once",
                    fix=f"leave the metric out, or {ALONE}",
                )
    return created
