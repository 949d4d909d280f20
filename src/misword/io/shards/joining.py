"""References and hypotheses in aligned files: file k of each side has the same utterances.

Rows are joined by id, or by position if no file has ids. Rows wait in memory until all files have
given their row of the utterance: a few if the files have the same order, up to the whole shard if
they do not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from misword.core.errors import MismatchError
from misword.io.shards.listing import Shard
from misword.io.shards.local_copies import local_file
from misword.io.shards.roles import ColumnRoles, ShardReading
from misword.io.shards.tables import shard_format, table_parts
from misword.io.transcripts.pairing import Transcript

if TYPE_CHECKING:
    import polars as pl

# The references of some utterances, the hypotheses of each system, and whether they have ids.
Matched = tuple[Transcript, list[Transcript], bool]


def joined_files(files: Sequence[Shard], reading: ShardReading) -> Iterator[Matched]:
    """Yield the utterances of aligned files; at the end those that some files lack."""
    with ExitStack() as stack:
        sides = [
            Side.open(shard, reading, stack, is_reference=not at) for at, shard in enumerate(files)
        ]
        while unread := [side for side in sides if not side.ended]:
            min(unread, key=lambda side: side.rows).advance()
            if all(side.waiting is not None for side in sides):
                yield from _matched(sides)
        ours, *theirs = (side.transcript(side.waiting) for side in sides)
        if any(len(side.frame) for side in (ours, *theirs)):
            yield ours, theirs, sides[0].has_ids


def _matched(sides: Sequence[Side]) -> Iterator[Matched]:
    """Yield the utterances that all sides have, and take them away from the rows that wait."""
    _refuse_mixed(sides)
    frames = [frame for side in sides if (frame := side.waiting) is not None]
    ready = frames[0].select("utt")
    for frame in frames[1:]:
        ready = ready.join(frame.select("utt"), on="utt", how="semi", maintain_order="left")
    if not len(ready):
        return
    for side, frame in zip(sides, frames, strict=True):
        side.waiting = frame.join(ready, on="utt", how="anti", maintain_order="left")
    taken = [frame.join(ready, on="utt", how="semi", maintain_order="left") for frame in frames]
    ours, *theirs = (side.transcript(frame) for side, frame in zip(sides, taken, strict=True))
    yield ours, theirs, sides[0].has_ids


def _refuse_mixed(sides: Sequence[Side]) -> None:
    """Raise if some files have ids and others have none."""
    with_ids, without = ([s for s in sides if s.has_ids is has] for has in (True, False))
    if with_ids and without:
        shown = without[0].shard.shown
        raise MismatchError(
            f"{with_ids[0].shard.shown} has ids and {shown} has none",
            where=shown,
            fix="name the column of the ids with --id-column, or --id-column none",
        )


@dataclass(slots=True, eq=False)
class Side:
    """One of the aligned files: its rows to come, and those that wait for other files."""

    shard: Shard
    format: str
    roles: ColumnRoles
    parts: Iterator[Transcript]
    waiting: pl.DataFrame | None = None
    rows: int = 0
    ended: bool = False

    @classmethod
    def open(
        cls, shard: Shard, reading: ShardReading, stack: ExitStack, *, is_reference: bool
    ) -> Side:
        """Open a file; `stack` closes it."""
        spec = reading.format
        if not is_reference:
            spec = reading.hypothesis_format or spec
        part = shard_format(shard, spec)
        roles = ColumnRoles(reading, "reference" if is_reference else "hypothesis")
        tables = table_parts(stack.enter_context(local_file(shard)), shard, part, roles.pick)

        def transcripts() -> Iterator[Transcript]:
            rows = 0
            for table in tables:
                text = roles.reference if is_reference else roles.hypotheses[0]
                found = roles.transcript(table, text or "", part.name, rows)
                rows += len(table.table.frame)
                yield found

        return cls(shard, part.name, roles, transcripts())

    @property
    def has_ids(self) -> bool:
        """Whether the file has ids, once its first rows were read."""
        return self.roles.ident is not None

    def advance(self) -> None:
        """Read some rows more."""
        import polars as pl

        found = next(self.parts, None)
        if found is None:
            self.ended = True
            return
        self.rows += len(found.frame)
        frames = [found.frame] if self.waiting is None else [self.waiting, found.frame]
        self.waiting = pl.concat(frames, how="vertical_relaxed")

    def transcript(self, frame: pl.DataFrame | None) -> Transcript:
        """Return rows as transcripts of this file."""
        assert frame is not None, "no rows were read"
        return Transcript(self.shard.shown, self.format, frame)
