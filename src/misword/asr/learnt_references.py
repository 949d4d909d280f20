"""What fitted metrics learnt from the references of all shards, in the context of a worker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from misword.core.context import Context
from misword.core.parts.contract import Part


@dataclass(frozen=True, slots=True)
class LearntReferences:
    """The sums of the passes of a metric (`embed.fitting`) over all references.

    `digest` identifies the references in the signature.
    """

    sums: tuple[Any, ...]
    digest: str

    def keep(self, metric: Part, context: Context) -> None:
        """Let a metric use the sums in a context."""
        context.opened[_key(metric)] = self


def learnt_references(metric: Part, context: Context) -> LearntReferences | None:
    """Return what a metric learnt from all shards; None if it learns from the texts at hand."""
    learnt: LearntReferences | None = context.opened.get(_key(metric))
    return learnt


def _key(metric: Part) -> str:
    return f"references of {metric!r}"
