"""Ids that several shards have, found in bounded memory.

Each shard has a sorted file of the hashes of its ids, eight bytes for each. Ranges of hashes are
read from all files, one range after the other, so that memory does not grow with the corpus. Equal
hashes can be those of different ids, so the ids themselves are then compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from misword.asr.sharded.work import Hashes, id_hashes
from misword.core.engines import Work
from misword.io.shards.corpora import read_corpora
from misword.io.shards.listing import ShardTask
from misword.io.shards.roles import ShardReading

AT_ONCE = 1 << 22  # hashes in memory, about
EIGHT = 8  # bytes of a hash
EXAMINED = 20  # equal hashes whose ids are compared at a time
SHOWN = 3  # ids in a message


class HashFiles:
    """The hashes of the ids of each shard, in files of a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tasks: list[int] = []
        self.size = 0

    def add(self, task: int, hashes: Hashes) -> None:
        """Store the sorted hashes of a shard."""
        hashes.tofile(self._path(task))
        self.tasks.append(task)
        self.size += len(hashes)

    def doubled(self) -> Iterator[Hashes]:
        """Yield the hashes that occur more than once, range by range, in ascending order."""
        ranges = max(1, -(-self.size // AT_ONCE))
        edges = [number * (1 << 64) // ranges for number in range(1, ranges)]
        bounds = np.array(edges, np.uint64)
        places = {task: self._places(task, bounds) for task in self.tasks}
        for number in range(ranges if places else 0):
            merged = np.concatenate(
                [self._read(task, *at[number : number + 2]) for task, at in places.items()]
            )
            merged.sort()
            yield np.unique(merged[1:][merged[1:] == merged[:-1]])

    def tasks_with(self, hashes: Hashes) -> list[int]:
        """Return the tasks whose shard has one of the hashes."""
        return [task for task in sorted(self.tasks) if self._has(task, hashes)]

    def _has(self, task: int, hashes: Hashes) -> bool:
        stored = self._mapped(task)
        at = np.minimum(np.searchsorted(stored, hashes), len(stored) - 1)
        return bool((stored[at] == hashes).any())

    def _places(self, task: int, bounds: Hashes) -> list[int]:
        """Return where ranges of hashes begin and end in the file of a shard."""
        stored = self._mapped(task)
        return [0, *np.searchsorted(stored, bounds).tolist(), len(stored)]

    def _read(self, task: int, start: int, end: int) -> Hashes:
        """Read some hashes; those of a mapped file would all stay in memory."""
        offset = start * EIGHT
        return np.fromfile(self._path(task), np.uint64, end - start, offset=offset)

    def _mapped(self, task: int) -> Hashes:
        return np.memmap(self._path(task), np.uint64, "r")

    def _path(self, task: int) -> Path:
        return self.folder / f"{task}.hashes"


@dataclass(frozen=True, slots=True)
class FindIds(Work[ShardTask, list[str]]):
    """Finds the ids of a shard that have one of some hashes; doubled ones are listed twice."""

    reading: ShardReading
    hashes: Hashes

    def start(self) -> Callable[[ShardTask], list[str]]:
        """Return the function that reads a shard."""
        return self._find

    def _find(self, task: ShardTask) -> list[str]:
        found: list[str] = []
        for batch in read_corpora(task, self.reading):
            ids = batch.corpus.references["utt"]
            found += ids.filter(np.isin(id_hashes(ids), self.hashes)).to_list()
        return found


def describe_doubled(ids: Sequence[tuple[str, Sequence[str]]], total: int) -> str:
    """Return a sentence on doubled ids; `ids` has some with the shards that have them."""
    shown = "; ".join(f"{utt!r} in {' and '.join(shards)}" for utt, shards in ids[:SHOWN])
    more = f" and {total - len(ids[:SHOWN]):,} more" if total > len(ids[:SHOWN]) else ""
    return f"ids are there twice: {shown}{more}"
