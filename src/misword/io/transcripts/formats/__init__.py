"""Formats of transcript files, by name.

The order of the table is the order in which formats are asked whether a content looks like theirs:
from the one that is hardest to mistake to the one that fits everything.
"""

from __future__ import annotations

from typing import ClassVar, Protocol, runtime_checkable

from misword.core.registry import Entry, Registry
from misword.io.files.sources import Source
from misword.io.transcripts.columns import Columns, Reading, Table

HERE = "misword.io.transcripts.formats"


class Format(Protocol):
    """A way to write transcripts down.

    `suffixes` are the ends of file names that settle the format (`.stm`), or a whole name (`text`).
    """

    name: ClassVar[str]
    suffixes: ClassVar[tuple[str, ...]]

    def looks_like(self, source: Source) -> bool:
        """Whether the content is surely of this format; asked where the name settles nothing."""
        ...

    def read(self, source: Source, columns: Columns) -> Reading:
        """Read everything, or raise an `InputError` that names the line."""
        ...


@runtime_checkable
class TableFormat(Protocol):
    """A format with named columns, which one file may use for both sides or for metadata."""

    def table(self, source: Source) -> Table:
        """All columns as they are."""
        ...


FORMATS: Registry[Format] = Registry(
    "formats",
    {
        "parquet": Entry(f"{HERE}.parquet:Parquet"),
        "jsonl": Entry(f"{HERE}.jsonl:JsonLines"),
        "csv": Entry(f"{HERE}.delimited:Csv"),
        "tsv": Entry(f"{HERE}.delimited:Tsv"),
        "trn": Entry(f"{HERE}.trn:Trn"),
        "stm": Entry(f"{HERE}.stm:Stm"),
        "ctm": Entry(f"{HERE}.ctm:Ctm"),
        "kaldi": Entry(f"{HERE}.kaldi:Kaldi"),
        "lines": Entry(f"{HERE}.lines:Lines"),
    },
)
