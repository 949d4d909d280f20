"""Gather the words of a file of vectors, pass their numbers on, count what cannot be used."""

from __future__ import annotations

from enum import StrEnum
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import InputError
from misword.io.files.sources import counted, place
from misword.io.vectors import Found

SHOWN = 5
BAD_SHARE = 0.01
PATIENCE = 10_000  # so many faults end a hopeless reading early


class Fault(StrEnum):
    """Why a line cannot be used."""

    WIDTH = "wrong width"
    NUMBER = "not a finite number"
    WORD = "no word"
    UTF8 = "not UTF-8"


class Collector:
    """What was found so far; the numbers go straight to `rows`.

    `unit` is what places in the file count: lines, or entries where there are no lines.
    """

    def __init__(self, shown: str, rows: BinaryIO, dimension: int, unit: str) -> None:
        self._good = self._bad = 0
        self._shown, self._rows, self._dimension, self._unit = shown, rows, dimension, unit
        self._texts: list[bytes] = []
        self._lengths: list[NDArray[np.int64]] = []
        self._places: list[NDArray[np.int64]] = []
        self._faults: dict[Fault, list[int]] = {}

    @property
    def seen(self) -> int:
        """Lines, or entries, so far."""
        return self._good + self._bad

    def add(
        self,
        text: NDArray[np.uint8],
        lengths: NDArray[np.int64],
        values: NDArray[np.float32],
        places: NDArray[np.int64],
    ) -> None:
        """Take in words (`text`, one after the other) with their numbers and places."""
        sound = well_formed(text, lengths)
        finite = np.isfinite(values.sum(axis=1, dtype=np.float64))
        keep = sound & finite & (lengths > 0)
        if not keep.all():
            self._refuse(Fault.WORD, places[lengths == 0])
            self._refuse(Fault.UTF8, places[~sound])
            self._refuse(Fault.NUMBER, places[sound & ~finite & (lengths > 0)])
            starts = np.cumsum(lengths) - lengths
            text = gather(text, starts[keep], lengths[keep])
            lengths, values, places = lengths[keep], values[keep], places[keep]
        self._good += len(places)
        self._rows.write(np.ascontiguousarray(values, "<f4").data)
        self._texts.append(text.tobytes())
        self._lengths.append(lengths)
        self._places.append(places)
        if self._bad > max(PATIENCE, self._good):
            self._give_up_if_hopeless()

    def refuse(self, fault: Fault, at: int) -> None:
        """Leave out what stands at this place."""
        places = self._faults.setdefault(fault, [])
        places.append(at)
        self._bad += 1

    def _refuse(self, fault: Fault, places: NDArray[np.int64]) -> None:
        for at in places.tolist():
            self.refuse(fault, at)

    def finish(self) -> Found:
        """Everything, if enough of it is good."""
        self._give_up_if_hopeless()
        lengths = np.concatenate([np.zeros(1, np.int64), *self._lengths])
        places = np.concatenate([np.zeros(0, np.int64), *self._places])
        if not len(places):
            raise InputError("there are no words", where=self._shown, fix="get or make it again")
        return Found(
            dimension=self._dimension,
            rows=len(places),
            text=b"".join(self._texts),
            offsets=np.cumsum(lengths),
            places=places,
            unit=self._unit,
            notes=tuple(
                f"{counted(len(at), self._unit)} left out, {fault} ({listed(at, self._unit)})"
                for fault in Fault
                if (at := self._faults.get(fault))
            ),
        )

    def _give_up_if_hopeless(self) -> None:
        if self._bad <= BAD_SHARE * self.seen:
            return
        first, fault = min((min(places), fault) for fault, places in self._faults.items())
        raise InputError(
            f"{fault}, and {self._bad} of {self.seen} {self._unit}s like this cannot be used",
            where=place(self._shown, first, self._unit),
            fix="these may not be word vectors, or of another format; else get the file again",
        )


def listed(places: list[int], unit: str) -> str:
    """The first few places.

    >>> listed([3, 9], "line"), listed([3], "line")
    ('lines 3, 9', 'line 3')
    """
    first = ", ".join(map(str, sorted(places)[:SHOWN]))
    return f"{unit}{'s' * (len(places) > 1)} {first}{', ...' * (len(places) > SHOWN)}"


def gather(
    text: NDArray[np.uint8], starts: NDArray[np.int64], lengths: NDArray[np.int64]
) -> NDArray[np.uint8]:
    """Stretches of a text, one after the other."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    return text[np.arange(total) + np.repeat(starts - ends + lengths, lengths)]


def well_formed(text: NDArray[np.uint8], lengths: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which words are UTF-8.

    The words together are, and none begins inside a character: then all are.
    """
    starts = np.cumsum(lengths) - lengths
    filled = lengths > 0
    sound = np.ones(len(lengths), np.bool_)
    try:
        text.tobytes().decode()
        if not ((text[starts[filled]] & 0xC0) == 0x80).any():
            return sound
    except UnicodeDecodeError:
        pass
    data = text.tobytes()
    for i, (start, length) in enumerate(zip(starts.tolist(), lengths.tolist(), strict=True)):
        try:
            data[start : start + length].decode()
        except UnicodeDecodeError:
            sound[i] = False
    return sound
