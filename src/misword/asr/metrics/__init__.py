"""Metrics: statistics per pair of texts that add up, and the rate that follows from their sums."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

from misword.asr.pairs import Pairs
from misword.core.context import Context
from misword.core.errors import MiswordError
from misword.core.parts import Part
from misword.core.parts.registry import Registry
from misword.core.types import Statistics
from misword.stat.measure import Measure


class Metric(Measure):
    """A measure of pairs of texts: a part that computes statistics for each pair.

    A metric defines `statistics`, `measure`, `rate` and `reference`, and overrides other members of
    `Measure` and `Part` where it needs to. `operations` is true for a metric that needs the
    steps of the alignment and not only their counts: such metrics are measured first, so that
    metrics that need only the counts reuse their alignment. `of_recordings` is true for a metric
    whose pairs are whole recordings, with the speakers and times of words (`asr/speakers.py`);
    `of_words` is false if it compares their times alone.
    """

    __slots__ = ()

    operations: ClassVar[bool] = False
    of_recordings: ClassVar[bool] = False
    of_words: ClassVar[bool] = True

    @property
    def fitted(self) -> bool:
        """Whether the numbers depend on all references, so that scores of shards do not add up."""
        return False

    @property
    def fit_passes(self) -> int:
        """The number of passes over references in which a fitted metric learns (`embed.fitting`).

        0 for a fitted metric that needs all references at once.
        """
        return 0

    def collect(self, texts: Sequence[str], sums: Sequence[Any], context: Context) -> Any:
        """Return the sum of some references for the pass after those that gave `sums`."""
        raise NotImplementedError

    def measure(self, pairs: Pairs) -> Statistics:
        """Compute one row of statistics per pair."""
        raise NotImplementedError

    def notes(self, context: Context) -> tuple[str, ...]:
        """Sentences for the user about the numbers of this metric in a context."""
        return ()


def statistics_of(metric: Metric, pairs: Pairs) -> Statistics:
    """Return the statistics of all pairs, computed once for each metric.

    A blend and the metrics that it blends share them.
    """
    return pairs.once(("measured", metric), lambda: metric.measure(pairs))


@contextmanager
def labelled(label: str) -> Iterator[None]:
    """Put the label of a metric before the message of errors that are raised in this context."""
    try:
        yield
    except MiswordError as error:
        what = f"{label}: {error.what}"
        raise type(error)(what, where=error.where, fix=error.fix) from error.__cause__


METRICS: Registry[Metric] = Registry("metrics", __name__)


# What fitted metrics learnt from the references of all shards, in the context of a worker.


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
    """Return what a metric learnt from all shards; None if it learns from the texts in memory."""
    learnt: LearntReferences | None = context.opened.get(_key(metric))
    return learnt


def _key(metric: Part) -> str:
    return f"references of {metric!r}"
