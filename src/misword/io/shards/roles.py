"""What the columns of a shard are for: ids, references, hypotheses, metadata."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from misword.core.errors import InputError
from misword.io.files.sources import Source
from misword.io.shards.tables import TablePart
from misword.io.transcripts.columns import Columns, Role, Table, find_id, find_text, first_of, shape
from misword.io.transcripts.missing import Missing
from misword.io.transcripts.pairing import Transcript
from misword.io.transcripts.read import prediction_column

Content = Literal["reference", "hypothesis", "both"]


@dataclass(frozen=True, slots=True)
class ShardReading:
    """How shards are read: the names of columns (None: found by usual names) and of systems.

    `metadata` are the columns that are kept beside ids and texts. `missing` says what becomes of
    utterances without a hypothesis (see `io/transcripts/missing.py`).
    """

    systems: tuple[str, ...]
    id_column: str | None = None
    reference_column: str | None = None
    hypothesis_columns: tuple[str | None, ...] = (None,)
    metadata: tuple[str, ...] = ()
    missing: Missing = "error"
    format: str | None = None
    hypothesis_format: str | None = None


@dataclass(slots=True)
class ColumnRoles:
    """The columns of one shard, found when its first rows are read.

    `content` says which sides the shard has. `reference` is the column of the references,
    `hypotheses` are those of the hypotheses, `ident` is that of the ids; None where there is none.
    """

    reading: ShardReading
    content: Content
    reference: str | None = None
    hypotheses: list[str] = field(default_factory=list)
    ident: str | None = None

    def pick(self, names: Sequence[str], source: Source) -> list[str]:
        """Return the columns that are needed; raise if one of them is not there."""
        reading, texts = self.reading, []
        if self.content != "hypothesis":
            wanted = Columns("reference", text=reading.reference_column)
            self.reference = find_text(names, wanted, source)
            texts = [self.reference]
        rest = [name for name in names if name not in texts]
        columns = reading.hypothesis_columns if self.content != "reference" else ()
        self.hypotheses = [self._hypothesis(column, rest, source) for column in columns]
        texts += self.hypotheses
        others = [name for name in names if name not in texts]
        self.ident = find_id(others, reading.id_column, source)
        for name in (metadata := self._metadata()):
            if name not in others:
                raise InputError(
                    f"no column {name!r}; it has: {', '.join(names)}",
                    where=source.at(),
                    fix="name one of them",
                )
        idents = [] if self.ident is None else [self.ident]
        return list(dict.fromkeys([*idents, *texts, *metadata]))

    def transcript(self, part: TablePart, text: str, format: str, rows: int = 0) -> Transcript:
        """Return the transcripts of a text column, numbered after `rows` rows without ids.

        The references have the metadata.
        """
        import polars as pl

        is_reference = text == self.reference
        role: Role = "reference" if is_reference else "hypothesis"
        gaps = not is_reference and self.reading.missing != "error"
        idents = [] if self.ident is None else [self.ident]
        names = list(dict.fromkeys([*idents, text, *(self._metadata() if is_reference else ())]))
        table, source = part.table, part.source
        chosen = Table(table.frame.select(names), table.lines, not_text=table.not_text)
        columns = Columns(role, self.reading.id_column, text, gaps=gaps)
        frame = shape(chosen, columns, source).frame.with_columns(pl.col("line") + source.before)
        if self.ident is None:
            numbers = pl.int_range(rows + 1, rows + len(frame) + 1, eager=True)
            frame = frame.with_columns(utt=numbers.cast(pl.String))
        return Transcript(source.shown, format, frame)

    def _metadata(self) -> Sequence[str]:
        return self.reading.metadata if self.content != "hypothesis" else ()

    def _hypothesis(self, column: str | None, names: Sequence[str], source: Source) -> str:
        """Return a column of hypotheses."""
        import polars as pl

        wanted = Columns("hypothesis", text=column)
        if self.content == "hypothesis" or first_of((column or "",), names):
            return find_text(names, wanted, source)
        # Names such as `text` are those of references if the table has both.
        table = Table(pl.DataFrame(schema=list(names)), pl.Series(dtype=pl.Int64))
        return find_text(
            names, Columns("hypothesis", text=prediction_column(wanted, names, table, source)),
            source,
        )  # fmt: skip
