"""References and hypotheses in aligned files: file k of each side has the same utterances.

Rows are joined by id, or by position if no file has ids. Rows wait in memory until all files have
given their row of the utterance: a few if the files have the same order, up to the whole shard if
they do not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace

from misword.core.errors import InputError, MismatchError
from misword.core.lazy import pl
from misword.core.types import Corpus, lists_in_order
from misword.io.files.sources import Source
from misword.io.shards import ShardReading
from misword.io.shards.files import Shard, ShardTask, local_file
from misword.io.shards.tables import ColumnRoles, TablePart, shard_format, table_parts
from misword.io.transcripts.columns import typed
from misword.io.transcripts.formats import RANK
from misword.io.transcripts.nbest import check_ranks
from misword.io.transcripts.pairing import Transcript, pair, refuse_duplicates

# The references of some utterances, the hypotheses of each system, and whether they have ids.
Matched = tuple[Transcript, list[Transcript], bool]


def joined_files(files: Sequence[Shard], reading: ShardReading) -> Iterator[Matched]:
    """Yield the utterances of aligned files; at the end those that some files lack."""
    with ExitStack() as stack:
        sides = [
            AlignedFile.open(shard, reading, stack, is_reference=not at)
            for at, shard in enumerate(files)
        ]
        while unread := [side for side in sides if not side.ended]:
            min(unread, key=lambda side: side.rows).advance()
            if all(side.waiting is not None for side in sides):
                yield from _matched(sides)
        ours, *theirs = (side.transcript(side.waiting) for side in sides)
        if any(len(side.frame) for side in (ours, *theirs)):
            yield ours, theirs, sides[0].has_ids


def _matched(sides: Sequence[AlignedFile]) -> Iterator[Matched]:
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


def _refuse_mixed(sides: Sequence[AlignedFile]) -> None:
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
class AlignedFile:
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
    ) -> AlignedFile:
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


# A shard as corpora of some of its utterances, one after the other.


@dataclass(frozen=True, slots=True, eq=False)
class ShardCorpus:
    """Some utterances of a shard.

    `has_ids` is false if the ids are the numbers of rows within the shard. `lacking` counts the
    utterances without a hypothesis of each system, and `left_out` those that were left out for it.
    """

    corpus: Corpus
    has_ids: bool
    lacking: dict[str, int] = field(default_factory=dict)
    left_out: int = 0


def read_corpora(task: ShardTask, reading: ShardReading) -> Iterator[ShardCorpus]:
    """Yield the utterances of a shard, some thousand at a time.

    Both sides are columns of one file, or the task has a file for each side (`joining`).
    """
    sides = _columns_of_one if len(task.files) == 1 else joined_files
    for references, hypotheses, has_ids in sides(task.files, reading):
        for transcript in (references, *hypotheses):
            refuse_duplicates(transcript)
        found = _corpus(references, hypotheses, reading, has_ids)
        if found is not None:
            yield found


def _columns_of_one(files: Sequence[Shard], reading: ShardReading) -> Iterator[Matched]:
    """Yield both sides of a table that has references and hypotheses."""
    (shard,) = files
    part, roles, rows = shard_format(shard, reading.format), ColumnRoles(reading, "both"), 0
    with local_file(shard) as path:
        for table in table_parts(path, shard, part, roles.pick):
            ours, *theirs = (
                roles.transcript(table, text or "", part.name, rows)
                for text in (roles.reference, *roles.hypotheses)
            )
            rows += len(table.table.frame)
            yield ours, theirs, roles.ident is not None


def _corpus(
    references: Transcript,
    hypotheses: Sequence[Transcript],
    reading: ShardReading,
    has_ids: bool,
) -> ShardCorpus | None:
    """Pair some utterances; None if all of them are left out."""

    gaps = reading.missing != "error"
    frame = references.frame.drop("line").select("utt", "text", pl.exclude("utt", "text"))
    texts = {
        name: pair(references, side, gaps=gaps)
        for name, side in zip(reading.systems, hypotheses, strict=True)
    }
    lacking = {name: count for name, text in texts.items() if (count := text.null_count())}
    rows = len(frame)
    if lacking and reading.missing == "skip":
        scored = pl.Series([True]).new_from_index(0, rows)
        for text in texts.values():
            scored &= text.is_not_null()
        frame = frame.filter(scored)
        texts = {name: text.filter(scored) for name, text in texts.items()}
    if not len(frame):
        return None
    filled = {name: text.fill_null("") for name, text in texts.items()}
    return ShardCorpus(Corpus.of(frame, filled), has_ids, lacking, rows - len(frame))


# N-best lists in shards, some lists at a time: a row for each hypothesis.
#
# The rows of a list follow each other. The references are in a column of the same table, or file k
# of the references belongs to file k of the lists; then the references of one shard are in memory.

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
    if duplicates := whole.filter(whole["utt"].is_duplicated())["utt"].head(1).to_list():
        raise InputError(f"duplicate utterance {duplicates[0]!r}", where=shard.shown)
    return whole


@dataclass
class _ListFile:
    """A file of lists; `pending` are the rows that were read last, whose last list may go on."""

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
                for lists in self._whole_lists():
                    yield self._corpus(lists, references, table.source)
                pending = self.pending
                self.pending = rows if pending is None else pl.concat([pending, rows])
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

    def _whole_lists(self) -> Iterator[pl.DataFrame]:
        """Yield the lists that have ended before more rows are read; the last one waits."""
        rows = self.pending
        if rows is None:
            return
        same = rows["utt"] == rows["utt"][-1]
        start = int((~same.reverse()).arg_max() or 0)
        length = start if not same.all() else len(rows)
        self.pending = rows.tail(length)
        if length < len(rows):
            yield rows.head(len(rows) - length)

    def _corpus(
        self, rows: pl.DataFrame, references: pl.DataFrame | None, source: Source
    ) -> Corpus:
        """Return some lists as a corpus."""

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

        seen = pl.concat(self.seen) if self.seen else pl.Series("utt", [], pl.String)
        lacking = references.filter(~references["utt"].is_in(seen.implode()))["utt"]
        if len(lacking):
            raise MismatchError(f"utterance {lacking[0]!r} has no list", where=self.shard.shown)
        if len(seen) > len(references):
            duplicate = seen.filter(seen.is_duplicated())[0]
            raise InputError(
                f"the rows of utterance {duplicate!r} do not follow each other",
                where=self.shard.shown,
                fix="sort the rows by id",
            )


# The ids of a shard, which are compared with those of other shards.


def corpus_ids(task: ShardTask, reading: ShardReading) -> Iterator[pl.Series]:
    """Yield the ids of the utterances of a shard."""
    for batch in read_corpora(task, reading):
        yield batch.corpus.references["utt"]


def list_ids(task: ShardTask, reading: ShardReading) -> Iterator[pl.Series]:
    """Yield the ids of the lists of a shard, those of the first system."""
    for corpus in read_lists(task, reading):
        if corpus.systems[0] == reading.systems[0]:
            yield corpus.references["utt"]
