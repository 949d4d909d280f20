"""Notes of shards, added up to those of a run."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from misword.asr.checking.quick_notes import encoding_notes
from misword.asr.checking.script_notes import script_notes
from misword.asr.metrics import Metric
from misword.asr.pairs import Pairs
from misword.asr.suspicious.flags import FlagCounts
from misword.core.formatting import counted

COUNT = re.compile(r"\d[\d,]*")


@dataclass(frozen=True, slots=True)
class RunNotes:
    """What the user is told about the utterances of a shard.

    `plain` are sentences that hold once for all shards. `counts` are sentences whose numbers add
    up: "3 of 100 utterances are left out". `flags` counts hypotheses that look made up or stuck,
    `lacking` the utterances without a hypothesis of each system, `left_out` those that were not
    scored for it.
    """

    plain: tuple[str, ...] = ()
    counts: tuple[str, ...] = ()
    flags: FlagCounts = field(default_factory=FlagCounts)
    lacking: dict[str, int] = field(default_factory=dict)
    left_out: int = 0

    @classmethod
    def of(cls, pairs: Pairs, metrics: Iterable[Metric], plain: Sequence[str]) -> RunNotes:
        """Look at some pairs; `plain` are notes about the metrics."""
        quick = (*plain, *encoding_notes(pairs), *script_notes(pairs, metrics))
        return cls(quick, pairs.notes, FlagCounts.of(pairs))

    def __add__(self, other: RunNotes) -> RunNotes:
        names = dict.fromkeys([*self.lacking, *other.lacking])
        return RunNotes(
            tuple(dict.fromkeys([*self.plain, *other.plain])),
            add_up([*self.counts, *other.counts]),
            self.flags + other.flags,
            {name: self.lacking.get(name, 0) + other.lacking.get(name, 0) for name in names},
            self.left_out + other.left_out,
        )

    def stored(self) -> dict[str, Any]:
        """Return the notes as JSON can store them."""
        flags = [dict(self.flags.flags), self.flags.flagged, self.flags.hypotheses]
        return {
            "plain": list(self.plain),
            "counts": list(self.counts),
            "flags": flags,
            "lacking": self.lacking,
            "left_out": self.left_out,
        }

    @classmethod
    def restored(cls, stored: dict[str, Any]) -> RunNotes:
        """Return the notes that `stored` returned."""
        flags, flagged, hypotheses = stored["flags"]
        return cls(
            tuple(stored["plain"]),
            tuple(stored["counts"]),
            FlagCounts(Counter(flags), flagged, hypotheses),
            dict(stored["lacking"]),
            int(stored["left_out"]),
        )

    def sentences(self) -> list[str]:
        """Return all notes."""
        notes = [*sorted(self.plain), *self.counts]
        if self.left_out:
            notes.append(f"{counted(self.left_out, 'utterance')} left out for want of a hypothesis")
        for name, count in self.lacking.items():
            if not self.left_out:
                notes.append(
                    f"{name}: {counted(count, 'utterance')} without a hypothesis; their words "
                    "count as deletions"
                )
        return [*notes, *self.flags.notes(advice="")]


def add_up(sentences: Iterable[str]) -> tuple[str, ...]:
    """Add up the numbers of sentences that differ in nothing else.

    >>> add_up(["1 of 2 left out", "2 of 1,000 left out"])
    ('3 of 1,002 left out',)
    """
    totals: dict[str, list[int]] = {}
    for sentence in sentences:
        numbers = [int(found.replace(",", "")) for found in COUNT.findall(sentence)]
        form = COUNT.sub("\0", sentence)
        before = totals.get(form, [0] * len(numbers))
        totals[form] = [a + b for a, b in zip(before, numbers, strict=True)]
    return tuple(_filled(form, numbers) for form, numbers in totals.items())


def _filled(form: str, numbers: Sequence[int]) -> str:
    texts = (f"{number:,}" for number in numbers)
    return re.sub("\0", lambda _: next(texts), form)
