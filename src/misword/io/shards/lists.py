"""N-best lists in shards, some lists at a time: a row for each hypothesis.

The rows of a list follow each other. The references are in a column of the same table, or file k of
the references belongs to file k of the lists; then the references of one shard are in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from misword.core.errors import InputError, MismatchError
from misword.core.rank_order import lists_in_order
from misword.core.types import Corpus
from misword.io.files.sources import Source
from misword.io.shards.listing import Shard, ShardTask
from misword.io.shards.local_copies import local_file
from misword.io.shards.roles import ColumnRoles, ShardReading
from misword.io.shards.tables import TablePart, shard_format, table_parts
from misword.io.transcripts.columns import typed
from misword.io.transcripts.formats.hypothesis_lists import RANK
from misword.io.transcripts.nbest import check_ranks

if TYPE_CHECKING:
    import polars as pl

RANKS = "rank"  # the column with the ranks, if there is one


def read_lists(task: ShardTask, reading: ShardReading) -> Iterator[Corpus]:
    """Yield the lists of a shard, each system after the other; a corpus has one system."""
    if len(task.files) == 1:
        (shard,) = task.files
        yield from _ListFile(shard, reading, reading.systems[0]).corpora(None)
        return
    references = _references(task.files[0], reading)
    for shard, system in zip(task.files[1:], reading.systems, strict=True):
        yield from _ListFile(shard, reading, system).corpora(references)


def _references(shard: Shard, reading: ShardReading) -> pl.DataFrame:
    """Return the ids and texts of the references of a shard."""
    import polars as pl

    roles = ColumnRoles(replace(reading, hypothesis_columns=()), "reference")
    part = shard_format(shard, reading.format)
    frames, rows = [], 0
    with local_file(shard) as path:
        for table in table_parts(path, shard, part, roles.pick):
            found = roles.transcript(table, roles.reference or "", part.name, rows)
            frames.append(found.frame.select("utt", "text"))
            rows += len(frames[-1])
    whole = pl.concat(frames)
    if roles.ident is None:
        raise InputError("no column of ids", where=shard.shown, fix="name it with --id-column")
    if doubled := whole.filter(whole["utt"].is_duplicated())["utt"].head(1).to_list():
        raise InputError(f"utterance {doubled[0]!r} is there twice", where=shard.shown)
    return whole


@dataclass
class _ListFile:
    """A file of lists; `pending` are the rows of the last list, which may go on."""

    shard: Shard
    reading: ShardReading
    system: str
    pending: pl.DataFrame | None = None
    ranks: str | None = None
    seen: list[pl.Series] = field(default_factory=list)

    def corpora(self, references: pl.DataFrame | None) -> Iterator[Corpus]:
        """Yield the lists of the file with their references."""
        both = references is None
        spec = self.reading.format if both else (self.reading.hypothesis_format or None)
        part = shard_format(self.shard, spec)
        roles = ColumnRoles(self.reading, "both" if both else "hypothesis")

        def pick(names: Sequence[str], source: Source) -> list[str]:
            picked = roles.pick(names, source)
            self.ranks = RANKS if RANKS in names and RANKS not in picked else None
            return [*picked, RANKS] if self.ranks else picked

        with local_file(self.shard) as path:
            for table in table_parts(path, self.shard, part, pick):
                rows = self._rows(table, roles, part.name)
                for lists in self._whole_lists(rows):
                    yield self._corpus(lists, references, table.source)
        if self.pending is not None:
            yield self._corpus(self.pending, references, table.source)
        if references is not None:
            self._refuse_lacking(references)

    def _rows(self, table: TablePart, roles: ColumnRoles, format: str) -> pl.DataFrame:
        """Return a row for each hypothesis: `utt`, `text`, `line`, the reference and the rank."""
        if roles.ident is None:
            raise InputError(
                "no column of ids, which say where a list ends",
                where=self.shard.shown,
                fix="name it with --id-column",
            )
        frame = roles.transcript(table, roles.hypotheses[0], format).frame
        if roles.reference is not None:
            texts = roles.transcript(table, roles.reference, format).frame["text"]
            frame = frame.with_columns(texts.alias("reference"))
        if self.ranks:
            frame = frame.with_columns(typed(table.table.frame[RANKS]).alias(RANK))
        return frame

    def _whole_lists(self, rows: pl.DataFrame) -> Iterator[pl.DataFrame]:
        """Yield the lists that have ended; the rows of the last one wait."""
        import polars as pl

        joined = rows if self.pending is None else pl.concat([self.pending, rows])
        same = joined["utt"] == joined["utt"][-1]
        start = int((~same.reverse()).arg_max() or 0)
        length = start if not same.all() else len(joined)
        self.pending = joined.tail(length)
        if length < len(joined):
            yield joined.head(len(joined) - length)

    def _corpus(
        self, rows: pl.DataFrame, references: pl.DataFrame | None, source: Source
    ) -> Corpus:
        """Return some lists as a corpus."""
        import polars as pl

        ranks = pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("utt")
        if self.ranks:
            first = 1 if rows[RANK].min() == 0 else 0
            ranks = pl.col(RANK).cast(pl.Int64) + first
        rows = rows.with_columns(ranks.alias(RANK))
        check_ranks(rows, source)
        utts = rows.select("utt").unique(maintain_order=True)
        if references is None:
            texts = rows.unique("utt", keep="first", maintain_order=True)
            known = texts.select("utt", text=pl.col("reference"))
        else:
            known = utts.join(references, on="utt", how="left", maintain_order="left")
            if lacking := known.filter(pl.col("text").is_null())["utt"].head(1).to_list():
                raise MismatchError(
                    f"utterance {lacking[0]!r} has no reference", where=self.shard.shown
                )
            self.seen.append(utts["utt"])
        if not lists_in_order(rows, RANK):
            first_row = pl.int_range(pl.len()).min().over("utt")
            rows = rows.sort(first_row, RANK)
        return Corpus(
            known,
            rows.select(
                "utt",
                pl.lit(self.system).alias("system"),
                pl.col(RANK).alias("rank"),
                "text",
                pl.lit(None, pl.Float64).alias("score"),
            ),
        )

    def _refuse_lacking(self, references: pl.DataFrame) -> None:
        """Raise if an utterance of the references has no list, or two."""
        import polars as pl

        seen = pl.concat(self.seen) if self.seen else pl.Series("utt", [], pl.String)
        lacking = references.filter(~references["utt"].is_in(seen.implode()))["utt"]
        if len(lacking):
            raise MismatchError(f"utterance {lacking[0]!r} has no list", where=self.shard.shown)
        if len(seen) > len(references):
            doubled = seen.filter(seen.is_duplicated())[0]
            raise InputError(
                f"the rows of utterance {doubled!r} do not follow each other",
                where=self.shard.shown,
                fix="sort the rows by id",
            )
