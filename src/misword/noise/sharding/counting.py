"""What is known of a corpus before errors are drawn: its words, and a sample of its rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from misword.core.engines import Work
from misword.io.shards.listing import Shard
from misword.io.shards.local_copies import local_file
from misword.io.shards.roles import ShardReading
from misword.io.shards.texts import TextPart, TextShard
from misword.noise.corruption.text_block import TextBlock, encode_rows
from misword.noise.sharding.row_random import Keys, id_keys, number_keys

if TYPE_CHECKING:
    import polars as pl

SAMPLE_ROWS = 1 << 15
WITH_IDS = -1


@dataclass(frozen=True, slots=True)
class TextTask:
    """A shard of texts; `first_row` is the number of rows in the shards before it, without ids."""

    shard: Shard
    first_row: int = 0


@dataclass(frozen=True, slots=True)
class RowCounting(Work[TextTask, int]):
    """Counts the rows of shards without ids; the count of a shard with ids is `WITH_IDS`."""

    reading: ShardReading

    def start(self) -> Callable[[TextTask], int]:
        """Return the function that counts the rows of a shard."""
        return self._count

    def _count(self, task: TextTask) -> int:
        with local_file(task.shard) as path:
            rows = TextShard(path, task.shard, self.reading).count_rows()
        return WITH_IDS if rows is None else rows


@dataclass(slots=True, eq=False)
class TextFacts:
    """The number of rows, how often each token is there, and the rows with the smallest keys.

    `sample` has the texts of these rows by rising key; equal keys are sorted by text.
    """

    rows: int = 0
    words: Counter[str] = field(default_factory=Counter)
    keys: Keys = field(default_factory=lambda: np.zeros(0, np.uint64))
    sample: list[str] = field(default_factory=list)

    def add(self, other: TextFacts) -> None:
        """Add the facts of other rows."""
        self.rows += other.rows
        self.words.update(other.words)
        self._add_sample(other.keys, other.sample)

    def add_rows(self, texts: pl.Series, keys: Keys) -> None:
        """Add rows."""
        self.rows += len(texts)
        tokens = encode_rows(texts.str.join("\0").item().encode(), len(texts))
        by_id = np.bincount(tokens.ids, minlength=len(tokens.vocabulary))
        for token, count in zip(tokens.vocabulary[:], by_id.tolist(), strict=True):
            self.words[token] += count
        smallest = np.flatnonzero(keys <= self._bound(keys))
        self._add_sample(keys[smallest], texts.gather(smallest).to_list())

    def block(self) -> TextBlock:
        """Return the sample as a block of text."""
        return TextBlock.of("\0".join(self.sample).encode(), len(self.sample))

    def _bound(self, keys: Keys) -> np.uint64:
        """Return a key that no row of the sample exceeds once rows with `keys` are added."""
        largest = np.uint64(2**64 - 1)
        if len(self.keys) == SAMPLE_ROWS:
            largest = self.keys[-1]
        if len(keys) > SAMPLE_ROWS:
            largest = min(largest, np.partition(keys, SAMPLE_ROWS - 1)[SAMPLE_ROWS - 1])
        return largest

    def _add_sample(self, keys: Keys, texts: list[str]) -> None:
        joined = [*zip(self.keys.tolist(), self.sample, strict=True)]
        joined += zip(keys.tolist(), texts, strict=True)
        joined.sort()
        del joined[SAMPLE_ROWS:]
        self.keys = np.array([key for key, _ in joined], np.uint64)
        self.sample = [text for _, text in joined]


@dataclass(frozen=True, slots=True)
class WordCounting(Work[TextTask, TextFacts]):
    """Counts the words of shards, and takes their share of the sample."""

    reading: ShardReading

    def start(self) -> Callable[[TextTask], TextFacts]:
        """Return the function that counts the words of a shard."""
        return self._count

    def _count(self, task: TextTask) -> TextFacts:
        facts = TextFacts()
        with local_file(task.shard) as path:
            for part in TextShard(path, task.shard, self.reading).parts():
                facts.add_rows(part.texts, row_keys(part, task.first_row + facts.rows))
        return facts


def row_keys(part: TextPart, rows_before: int) -> Keys:
    """Return the keys of some rows: of their ids, or of their numbers in all shards."""
    if part.ids is not None:
        return id_keys(part.ids)
    return number_keys(rows_before, len(part.texts))
