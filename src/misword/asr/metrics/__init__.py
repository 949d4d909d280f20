"""Metrics: statistics per pair that add up, and the rate that follows from their sums."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from misword.core.context import Context
from misword.core.errors import MiswordError
from misword.core.registry import Entry, Registry
from misword.stat.resampling import Statistics
from misword.stat.scores import Measure

if TYPE_CHECKING:
    from misword.asr.pairs import Pairs

HERE = "misword.asr.metrics"


class Metric(Measure, Protocol):
    """A measure (its statistics' names, terms and rate) that can be taken of pairs of texts.

    `wants` is what must be in the context: `lang`, `vectors` or nothing.

    A metric may have more: `heeds` names what it looks at in the context if it is there,
    `notes(context)` what to know of its numbers, `fitted` is true where they depend on all
    references (shards of such scores do not add up), `operations` where it needs the alignment's
    steps, `kept` where `--cache` spares it work, `means` names statistics whose mean is shown, not
    their sum.
    """

    @property
    def wants(self) -> str:
        """`lang`, `vectors` or nothing."""
        ...

    def check(self, context: Context) -> None:
        """Refuse, before any work, what cannot be measured: no vectors, a missing package."""
        ...

    def settings(self, context: Context) -> tuple[tuple[str, str], ...]:
        """What decides the number, as its signature has it."""
        ...

    def measure(self, pairs: Pairs) -> Statistics:
        """One row of statistics per pair."""
        ...


def checked(label: str, metric: Metric, context: Context) -> None:
    """Check a metric; an error says whose it is."""
    with labelled(label):
        metric.check(context)


@contextmanager
def labelled(label: str) -> Iterator[None]:
    """An error within this context says whose it is."""
    try:
        yield
    except MiswordError as error:
        what = f"{label}: {error.what}"
        raise type(error)(what, where=error.where, fix=error.fix) from error.__cause__


METRICS: Registry[Metric] = Registry(
    "metrics",
    {
        "bertscore": Entry(f"{HERE}.bertscore:BERTScore"),
        "cer": Entry(f"{HERE}.cer:CER"),
        "dposer": Entry(f"{HERE}.poser:DPOSER"),
        "ember": Entry(f"{HERE}.ember:EmbER"),
        "lcer": Entry(f"{HERE}.ler:LCER"),
        "ler": Entry(f"{HERE}.ler:LER"),
        "mer": Entry(f"{HERE}.mer:MER"),
        "per": Entry(f"{HERE}.per:PER"),
        "semdist": Entry(f"{HERE}.semdist:SemDist"),
        "uposer": Entry(f"{HERE}.poser:UPOSER"),
        "wer": Entry(f"{HERE}.wer:WER"),
        "wer-e": Entry(f"{HERE}.wer_e:WERE"),
        "wer-s": Entry(f"{HERE}.wer_s:WERS"),
        "wil": Entry(f"{HERE}.wil:WIL"),
    },
)
